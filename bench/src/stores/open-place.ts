import { join } from 'node:path'
import type { SessionStore } from '@parley/engine'
import { migrate, startBundledPostgres } from '@parley/postgres'
import Database from 'better-sqlite3-multiple-ciphers'
import { Pool } from 'pg'
import type { FloorStore } from './floor-store.ts'
import { type OpenStore, openFloor, openOurs, type StorePlace, type StoreName } from './place.ts'
import {
  assertSameDurability,
  findCallers,
  postgresDurability,
  type DurabilitySettings,
  sqliteDurability,
} from './same-durability.ts'

/** A place with both stores on it: ours and the floor. */
export interface OpenPlace {
  readonly name: StoreName
  readonly place: StorePlace
  readonly store: SessionStore
  readonly floor: FloorStore
  readonly close: () => Promise<void>
}

/** Creates and opens a place in the folder. Throws if the two stores differ in durability. */
export async function openPlace(name: StoreName, folder: string): Promise<OpenPlace> {
  const { place, stop } = name === 'history' ? historyIn(folder) : await postgresIn(folder)
  try {
    const { store, close, durability } = await openWatched(place)
    const floor = await openFloor(place)
    assertSameDurability(name, durability, await floor.durability())
    return {
      name,
      place,
      store,
      floor,
      async close() {
        try {
          await floor.close()
          await close()
        } finally {
          await stop()
        }
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

interface MadePlace {
  readonly place: StorePlace
  readonly stop: () => Promise<void>
}

const historyIn = (folder: string): MadePlace => ({
  place: { kind: 'history', home: join(folder, 'history') },
  stop: async () => {},
})

async function postgresIn(folder: string): Promise<MadePlace> {
  const { url, stop } = await startBundledPostgres({ home: folder })
  try {
    await migrate({ databaseUrl: url })
    return { place: { kind: 'postgres', url }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openWatched(
  place: StorePlace,
): Promise<OpenStore & { readonly durability: DurabilitySettings }> {
  const open = () => openOurs(place)
  if (place.kind === 'postgres') {
    const { callers, result } = await findCallers(Pool.prototype, 'query', open)
    const pool = callers.at(-1)
    if (!pool) throw new Error('Our store opened no connection pool, so its durability is unknown.')
    return { ...result, durability: await postgresDurability(pool) }
  }
  const { callers, result } = await findCallers(Database.prototype, 'pragma', open)
  const database = callers.at(-1)
  if (!database) throw new Error('Our store opened no SQLite connection, so its durability is unknown.')
  return { ...result, durability: sqliteDurability(database) }
}
