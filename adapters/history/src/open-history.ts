import { mkdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { SessionStore } from '@parley/engine'
import { checkWriteAheadLog } from './file/check-write-ahead-log.ts'
import { connect } from './file/connect.ts'
import { damaged, historyError } from './file/history-error.ts'
import { migrate } from './file/migrate.ts'
import { createPrivately } from './file/private-file.ts'
import { whileAlone } from './file/while-alone.ts'
import { findKey, type KeyPlace, type KeySources, keyNotFound, makeKey } from './key/history-key.ts'
import { forgetKey, hasKeyCheck, rememberKey } from './key/key-check.ts'
import { type Keychain, osKeychain } from './key/keychain.ts'
import { type ClosableStore, sqliteSessionStore } from './store/sqlite-session-store.ts'
import { withHistoryErrors } from './store/with-history-errors.ts'

export interface HistoryOptions {
  /** The folder that holds it; made where it is missing. */
  readonly home: string
  /** 64 hexadecimal digits are the key itself; any other text is a passphrase, and an empty one is none. */
  readonly key?: string
  readonly keychain?: Keychain
  /** Told in a sentence where a key was put, and what was mended. */
  readonly onNotice?: (text: string) => void
}

export interface History {
  readonly store: SessionStore
  readonly path: string
  readonly keyPlace: KeyPlace
  /** Gives up the leases that are held, too. */
  readonly close: () => void
}

export async function openHistory({ home, key, keychain, onNotice }: HistoryOptions): Promise<History> {
  let path = join(resolve(home), 'history.db')
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const folder = await realpath(home)
    path = join(folder, 'history.db')
    const sources: KeySources = {
      folder,
      keychain: keychain ?? osKeychain,
      onNotice: onNotice ?? (() => undefined),
      ...(key && { given: key }),
    }
    // Of two that make the history at once, the second would lock the first out with a key of its own.
    const opened = (await isThere(path))
      ? await open(path, sources)
      : await whileAlone(folder, () => open(path, sources))
    const { store, keyPlace } = opened
    return { store: withHistoryErrors(store, path), path, keyPlace, close: store.close }
  } catch (error) {
    throw historyError(error, path)
  }
}

async function open(
  path: string,
  sources: KeySources,
): Promise<{ store: ClosableStore; keyPlace: KeyPlace }> {
  const isNew = !(await isThere(path))
  const search = await findKey(sources)
  if (search.kind === 'missing' && !isNew) throw keyNotFound(path, sources, search)
  const key = search.kind === 'found' ? search.key : await makeKey(sources, search)
  if (isNew) {
    await forgetKey(path)
    createPrivately(path)
  } else await checkWriteAheadLog(path)
  const database = await connect(path, key)
  try {
    migrate(database, path)
    if (!(await hasKeyCheck(path))) await rememberKey(path, key)
    return { store: sqliteSessionStore(database), keyPlace: key.place }
  } catch (error) {
    database.close()
    throw error
  }
}

/** An empty file is one whose making was broken off, unless a key once opened it. To SQLite one byte is empty, too. */
async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined || found.size > 1) return found !== undefined
  if (await hasKeyCheck(path)) throw damaged(path, 'it is empty')
  return false
}
