import type { SessionStore } from '@parley/engine'
import type Database from 'better-sqlite3-multiple-ciphers'
import type { FileLock } from './file/file-lock.ts'
import { historyError } from './file/history-error.ts'
import { lockHistory } from './file/history-lock.ts'
import { atHistory, type HistoryOptions, type HistoryPlace, isThere } from './file/history-place.ts'
import { makeFile, openFile } from './file/open-file.ts'
import { type Verified, verifyPages } from './file/verify-pages.ts'
import type { KeyPlace } from './key/history-key.ts'
import { type SecretStore, sqliteSecretStore } from './secrets/secret-store.ts'
import { type ClosableStore, sqliteSessionStore } from './store/sqlite-session-store.ts'
import { withHistoryErrors } from './store/with-history-errors.ts'

export interface History {
  readonly store: SessionStore
  readonly secrets: SecretStore
  readonly path: string
  readonly keyPlace: KeyPlace
  /** Reads every page; throws where one is damaged. */
  readonly verify: () => Verified
  /** Gives up the leases that are held, too. */
  readonly close: () => void
}

export function openHistory(options: HistoryOptions): Promise<History> {
  return atHistory(options, { makeFolder: true }, async (place) => {
    const { path } = place
    const lock = await shareHistory(place)
    try {
      const { database, key } = await openFile(place)
      const store = storeOn(database)
      return {
        store: withHistoryErrors(store, path),
        secrets: secretsOn(database, path),
        path,
        keyPlace: key.place,
        verify: () => verifyPages(database, path),
        close() {
          try {
            store.close()
          } catch (error) {
            throw historyError(error, path)
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

function storeOn(database: Database): ClosableStore {
  try {
    return sqliteSessionStore(database)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Its failures say what happened to the file. */
function secretsOn(database: Database, path: string): SecretStore {
  const secrets = sqliteSecretStore(database)
  const told = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw historyError(error, path)
    }
  }
  return {
    set: (name, value) => told(() => secrets.set(name, value)),
    remove: (name) => told(() => secrets.remove(name)),
    list: () => told(() => secrets.list()),
    revision: () => told(() => secrets.revision()),
  }
}

/** Its lock, and first the history itself where there is none. */
async function shareHistory(place: HistoryPlace): Promise<FileLock> {
  const { path } = place
  const lock = await lockHistory(path, async () => ((await isThere(path)) ? 'shared' : 'exclusive'))
  if (lock.kind === 'shared') return lock
  try {
    // Of two that make it at once, the second would lock the first out with a key of its own.
    if (!(await isThere(path))) await makeFile(place)
  } finally {
    lock.release()
  }
  return shareHistory(place)
}
