import type Database from 'better-sqlite3-multiple-ciphers'
import type { SessionStore } from '@parley/engine'
import { toHistoryError } from './file/history-error.ts'
import { type FileLock, lockHistory } from './file/history-lock.ts'
import {
  type HistoryOptions,
  type HistoryPlace,
  withHistoryPlace,
  historyExists,
} from './file/history-place.ts'
import { createFile, openFile } from './file/open-file.ts'
import { type VerifiedSize, verifyPages } from './file/connect.ts'
import type { KeyPlace } from './key/history-key.ts'
import { type ClosableStore, createSqliteSessionStore } from './store/sqlite-session-store.ts'

export interface History {
  readonly store: SessionStore
  readonly secrets: SecretStore
  readonly path: string
  readonly keyPlace: KeyPlace
  /** Reads every page; throws if one is damaged. */
  readonly verify: () => VerifiedSize
  /** Also gives up its leases. */
  readonly close: () => void
}

export function openHistory(options: HistoryOptions): Promise<History> {
  return withHistoryPlace(options, { makeFolder: true }, async (place) => {
    const { path } = place
    const lock = await takeSharedLock(place)
    try {
      const { database, key } = await openFile(place)
      const store = openStore(database)
      return {
        store: withHistoryErrors(store, path),
        secrets: withHistoryErrors(sqliteSecretStore(database), path),
        path,
        keyPlace: key.place,
        verify: () => verifyPages(database, path),
        close() {
          try {
            store.close()
          } catch (error) {
            throw toHistoryError(error, path)
          } finally {
            lock.release()
          }
        },
      }
    } catch (error) {
      lock.release()
      throw error
    }
  })
}

function openStore(database: Database): ClosableStore {
  try {
    return createSqliteSessionStore(database)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Takes the shared lock, after creating the history if it is missing. */
async function takeSharedLock(place: HistoryPlace): Promise<FileLock> {
  const { path } = place
  const lock = await lockHistory(path, async () => ((await historyExists(path)) ? 'shared' : 'exclusive'))
  if (lock.kind === 'shared') return lock
  try {
    // If two processes created it at once, the second would lock the first out with another key.
    if (!(await historyExists(path))) await createFile(place)
  } finally {
    lock.release()
  }
  return takeSharedLock(place)
}

/** The same store. Its errors become PlatformErrors that say how to fix the file. */
function withHistoryErrors<Store extends object>(store: Store, path: string): Store {
  const fail = (error: unknown): never => {
    throw toHistoryError(error, path)
  }
  const wrap = (method: (...values: unknown[]) => unknown) => {
    return (...values: unknown[]) => {
      try {
        const result = method(...values)
        return result instanceof Promise ? result.catch(fail) : result
      } catch (error) {
        return fail(error)
      }
    }
  }
  const methods = Object.entries(store).map(([name, method]) => [name, wrap(method)] as const)
  return Object.fromEntries(methods) as Store
}

/** A named value that is never shown. */
interface StoredSecret {
  readonly name: string
  readonly value: string
  readonly setAt: string
  /** Replaced or removed, but still hidden. */
  readonly isRetired: boolean
}

/** Secrets, beside the sessions in the encrypted history. */
interface SecretStore {
  set(name: string, value: string): void
  /** False if there is no secret of that name. */
  remove(name: string): boolean
  /** All values, also earlier ones. */
  list(): readonly StoredSecret[]
  /** Changes whenever any process changes the history. */
  revision(): number
}

interface SecretRow {
  readonly name: string
  readonly value: string
  readonly set_at: string
  readonly replaced_at: string | null
}

function sqliteSecretStore(database: Database): SecretStore {
  const retire = database.prepare<{ name: string; at: string }>(
    'update secrets set replaced_at = :at where name = :name and replaced_at is null',
  )
  const insert = database.prepare<{ name: string; value: string; at: string }>(
    `insert into secrets (name, value, set_at) values (:name, :value, :at)
     on conflict (name, value) do update set set_at = :at, replaced_at = null`,
  )
  const all = database.prepare<[], SecretRow>(
    // Of values set within one millisecond, the current one is last.
    'select name, value, set_at, replaced_at from secrets order by name, set_at, replaced_at is null, rowid',
  )

  let changes = 0
  const version = database.prepare<[], { data_version: number }>('pragma data_version')

  const set = database.transaction((name: string, value: string) => {
    const at = now()
    retire.run({ name, at })
    insert.run({ name, value, at })
  })

  return {
    set(name, value) {
      set.immediate(name, value)
      changes += 1
    },
    remove(name) {
      changes += 1
      return retire.run({ name, at: now() }).changes > 0
    },
    revision: () => (version.get()?.data_version ?? 0) + changes * OWN_CHANGE,
    list: () =>
      all.all().map(({ name, value, set_at, replaced_at }) => ({
        name,
        value,
        setAt: set_at,
        isRetired: replaced_at !== null,
      })),
  }
}

/** Keeps own changes apart from those of other processes. */
const OWN_CHANGE = 2 ** 32

const now = () => new Date().toISOString()
