import { realpath } from 'node:fs/promises'
import type Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError } from '@parley/contracts'
import {
  type KeySources,
  type HistoryKeys,
  findKeys,
  createKeyNotFoundError,
  getErrorText,
} from '../key/history-key.ts'
import { completeRotation, createKey } from '../key/store-keys.ts'
import { removeKeyChecks, createKeyCheck, writeKeyChecks } from '../key/key-check.ts'
import { checkWriteAheadLog } from './check-write-ahead-log.ts'
import { type HistoryConnection, connectToHistory } from './connect.ts'
import type { HistoryPlace } from './history-place.ts'
import { HISTORY_FORMAT, HISTORY_SCHEMA } from './history-schema.ts'
import { createPrivateFile } from './private-file.ts'

export interface OpenHistoryFile extends HistoryConnection {
  /** The real path, with links resolved. */
  readonly file: string
}

/** Opens an existing history. The caller holds its lock, so that nobody changes its key. */
export async function openFile({ path, sources }: HistoryPlace): Promise<OpenHistoryFile> {
  const search = await findKeys(sources)
  if (search.kind === 'missing') throw createKeyNotFoundError(path, sources, search)
  return openWithKeys(path, sources, search.keys)
}

export async function openWithKeys(
  path: string,
  sources: KeySources,
  keys: HistoryKeys,
): Promise<OpenHistoryFile> {
  const file = await realpath(path)
  await checkWriteAheadLog(path, file, sources.onNotice)
  const { database, key } = await connectToHistory(path, keys)
  try {
    ensureTables(database, path)
    await completeRotation({ path, file, key }, sources, keys).catch((error: unknown) =>
      sources.onNotice(
        `The history opens, but an interrupted key rotation could not be completed yet (${getErrorText(error)}). The next start tries again.`,
      ),
    )
    return { database, key, file }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Creates a history, and a key if none is found. The caller holds its lock exclusively. */
export async function createFile({ path, sources }: HistoryPlace): Promise<void> {
  const search = await findKeys(sources)
  const key = search.kind === 'found' ? search.keys[0] : await createKey(sources, search)
  await removeKeyChecks(path)
  createPrivateFile(path)
  const { database } = await connectToHistory(path, [key])
  try {
    ensureTables(database, path)
    await writeKeyChecks(path, [await createKeyCheck(key, { event: 'made', at: new Date().toISOString() })])
  } finally {
    database.close()
  }
}

/** Creates the tables of a new history, and refuses a history of another format. */
function ensureTables(database: Database, path: string): void {
  if (readFormat(database, path) === HISTORY_FORMAT) return
  const create = database.transaction(() => {
    // Another process may have created them while this one waited.
    if (readFormat(database, path) === HISTORY_FORMAT) return
    database.exec(HISTORY_SCHEMA)
    database.pragma(`user_version = ${HISTORY_FORMAT}`)
  })
  create.exclusive()
}

/** Zero for a new file. */
function readFormat(database: Database, path: string): number {
  const format = Number(database.pragma('user_version', { simple: true }))
  if (format === 0 || format === HISTORY_FORMAT) return format
  const [writer, advice] =
    format > HISTORY_FORMAT
      ? ['a newer Parley', 'Update Parley, or set PARLEY_HOME to another folder.']
      : ['an older Parley', 'Set PARLEY_HOME to another folder.']
  throw new PlatformError('history_unwritable', {
    path,
    message: `The history ${path} was written by ${writer}: its format is ${format}, and this version reads format ${HISTORY_FORMAT}. ${advice} Nothing was changed.`,
  })
}
