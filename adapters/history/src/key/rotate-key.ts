import Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError } from '@parley/contracts'
import { reencrypt, unlock, verifyPages } from '../file/connect.ts'
import { createInUseError } from '../file/history-error.ts'
import { WAIT_FOR_EXCLUSIVE, withHistoryLock } from '../file/history-lock.ts'
import {
  type HistoryOptions,
  type HistoryPlace,
  withHistoryPlace,
  requireHistory,
} from '../file/history-place.ts'
import { type OpenHistoryFile, openFile } from '../file/open-file.ts'
import { createPrivateFile, removeDrafts, renameSafely, syncToDisk } from '../file/private-file.ts'
import {
  type HistoryKey,
  type KeyPlace,
  type KeySecret,
  toKeyFilePath,
  parseSecret,
  getErrorText,
} from './history-key.ts'
import { toDraftPath, completeRotation, replaceKeys, createSecret, removeDraft } from './store-keys.ts'
import { toKeyCheckPath, createKeyCheck, readKeyChecks, writeKeyChecks } from './key-check.ts'

interface RotateOptions extends HistoryOptions {
  /** Required if the key comes from the environment. */
  readonly newKey?: string
}

interface RotatedKey {
  readonly history: string
  readonly keyPlace: KeyPlace
  /** The place, for messages. */
  readonly where: string
}

/**
 * Encrypts the history with a new key. At every moment a stored key opens the file: the new key is stored beside the
 * old one, the history is copied with it, the copy replaces the file atomically, and then the old key is forgotten. The
 * next start completes an interrupted rotation.
 */
export function rotateKey({ newKey, ...options }: RotateOptions): Promise<RotatedKey> {
  return withHistoryPlace(options, { makeFolder: false }, async (place) => {
    const { path, sources } = place
    await requireHistory(path)
    const work = async () => {
      for (const file of [toKeyFilePath(sources.folder), toKeyCheckPath(path)]) await removeDrafts(file)
      return rotate(place, newKey || undefined)
    }
    return withHistoryLock(path, 'exclusive', work, WAIT_FOR_EXCLUSIVE)
  })
}

async function rotate(place: HistoryPlace, newKey: string | undefined): Promise<RotatedKey> {
  const { path, sources } = place
  const opened = await openFile(place)
  const { key, file, database } = opened
  try {
    const next = chooseNextKey(key, newKey)
    requireExclusiveAccess(database, path)
    await changeKey(next, place, opened)
    await completeRotation({ path, file, key: next }, sources, [key, next]).catch((error: unknown) =>
      sources.onNotice(
        `The history has its new key, but the old one could not be removed from ${key.where} yet (${getErrorText(error)}). The next start tries again.`,
      ),
    )
    return { history: path, keyPlace: key.place, where: key.where }
  } finally {
    database.close()
  }
}

async function changeKey(next: HistoryKey, place: HistoryPlace, opened: OpenHistoryFile): Promise<void> {
  const { path, sources } = place
  const { key, file, database } = opened
  try {
    const since = { event: 'rotated' as const, at: new Date().toISOString() }
    await writeKeyChecks(path, [...(await readKeyChecks(path)), await createKeyCheck(next, since)])
    await replaceKeys(sources, [key, next])
    await removeDraft(file)
    await writeCopy(toDraftPath(file), { from: database, key, next })
    // Windows does not replace a file that is open.
    database.close()
    await renameSafely(toDraftPath(file), file)
  } catch (error) {
    database.close()
    await undoRotation(place, file).catch(() => undefined)
    throw error
  }
}

/** Keeps the key that opens the history. */
async function undoRotation(place: HistoryPlace, file: string): Promise<void> {
  // First, since it may be filling the disk.
  await removeDraft(file)
  const { database } = await openFile(place)
  database.close()
}

function chooseNextKey(key: HistoryKey, newKey: string | undefined): HistoryKey {
  if (key.place !== 'environment') {
    if (newKey === undefined) return { ...key, secret: createSecret() }
    throw new PlatformError('validation', {
      message: `The key is in ${key.where}, where the new one will be created and stored; PARLEY_HISTORY_KEY_NEW is only for keys from PARLEY_HISTORY_KEY. Nothing was changed.`,
      fix: 'Unset PARLEY_HISTORY_KEY_NEW, then try again.',
    })
  }
  if (newKey === undefined) {
    throw new PlatformError('validation', {
      message:
        'The key comes from PARLEY_HISTORY_KEY, so the new key must be given, too. Nothing was changed.',
      fix: 'Set PARLEY_HISTORY_KEY_NEW to the new key (64 hexadecimal digits) or the new passphrase, then try again.',
    })
  }
  const secret = parseSecret(newKey)
  if (!isSameSecret(secret, key.secret)) return { ...key, secret }
  throw new PlatformError('validation', {
    message: 'PARLEY_HISTORY_KEY_NEW is already the key of the history. Nothing was changed.',
    fix: 'Set it to another one.',
  })
}

function isSameSecret(one: KeySecret, other: KeySecret): boolean {
  if (one.kind === 'raw') return other.kind === 'raw' && one.hex.toLowerCase() === other.hex.toLowerCase()
  return other.kind === 'passphrase' && one.passphrase === other.passphrase
}

/** Parley's own processes take the history's lock; this also stops programs that do not know it. */
function requireExclusiveAccess(database: Database, path: string): void {
  database.pragma('locking_mode = exclusive')
  // Moves the log to the file and removes it: SQLite would take it for the log of the new file.
  if (database.pragma('journal_mode = delete', { simple: true }) !== 'delete') throw createInUseError(path)
}

interface KeyChange {
  readonly from: Database
  readonly key: HistoryKey
  readonly next: HistoryKey
}

/** Copies a history to a new file, encrypted with another key, and verifies that the copy is on the disk. */
async function writeCopy(path: string, { from, key, next }: KeyChange): Promise<void> {
  createPrivateFile(path)
  from.prepare<[string]>('vacuum into ?').run(path)
  await withDatabase(path, key, (copy) => {
    // The copy is discarded on failure, so it needs no journal.
    copy.unsafeMode()
    copy.pragma('journal_mode = off')
    reencrypt(copy, next)
  })
  await syncToDisk(path, 'r+')
  await withDatabase(path, next, (copy) => {
    verifyPages(copy, path)
    if (readSchema(copy) !== readSchema(from)) throw createCopyError(path)
  })
}

async function withDatabase(
  path: string,
  key: HistoryKey,
  work: (database: Database) => void,
): Promise<void> {
  const database = new Database(path, { fileMustExist: true })
  try {
    unlock(database, key)
    work(database)
  } finally {
    database.close()
  }
}

const readSchema = (database: Database): string =>
  JSON.stringify([
    database.pragma('user_version', { simple: true }),
    database.prepare<[]>('select type, name, sql from sqlite_schema order by type, name').all(),
  ])

const createCopyError = (path: string) =>
  new PlatformError('internal', {
    message: `The copy ${path} of the history with the new key differs from the history. Nothing was changed.`,
  })
