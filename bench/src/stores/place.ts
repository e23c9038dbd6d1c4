import { join } from 'node:path'
import type { SessionStore } from '@parley/engine'
import type { FloorStore } from './floor-store.ts'

export const STORE_NAMES = ['history', 'postgres'] as const
export type StoreName = (typeof STORE_NAMES)[number]

/** Location of a store's data, as JSON for other processes. */
export type StorePlace =
  | { readonly kind: 'history'; readonly home: string }
  | { readonly kind: 'postgres'; readonly url: string }

export interface OpenStore {
  readonly store: SessionStore
  readonly close: () => Promise<void>
}

/** A fixed key: the history contains only benchmark data. */
const KEY = '5a'.repeat(32)

// Load a driver only when it is used, because loaded code counts as memory.

export async function openOurs(place: StorePlace): Promise<OpenStore> {
  if (place.kind === 'history') {
    const { openHistory } = await import('@parley/history')
    const history = await openHistory({ home: place.home, key: KEY })
    return { store: history.store, close: async () => history.close() }
  }
  const { openDatabase } = await import('@parley/postgres')
  const database = await openDatabase({ databaseUrl: place.url })
  await database.ready()
  return { store: database.sessions, close: () => database.close() }
}

export async function openFloor(place: StorePlace): Promise<FloorStore> {
  if (place.kind === 'history') {
    const { openSqliteFloor } = await import('./sqlite-floor.ts')
    return openSqliteFloor(join(place.home, 'floor.db'))
  }
  const { openPostgresFloor } = await import('./postgres-floor.ts')
  return openPostgresFloor(place.url)
}
