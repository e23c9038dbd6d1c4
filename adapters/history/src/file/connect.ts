import { chmod, stat } from 'node:fs/promises'
import Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError } from '@parley/contracts'
import type { HistoryKey, KeyPlace, HistoryKeys } from '../key/history-key.ts'
import { matchesKey, readKeyChecks } from '../key/key-check.ts'
import { createDamagedError, toHistoryError, isDamage } from './history-error.ts'

// Another process may take this long to wipe removed data.
const BUSY_TIMEOUT_MS = 30_000

const SETTINGS = [
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  'secure_delete = on',
  // Otherwise SQLite may write sorted data, unencrypted, to temporary files.
  'temp_store = memory',
]

export interface HistoryConnection {
  readonly database: Database
  /** The key that opened it. */
  readonly key: HistoryKey
}

/** Opens the file with one of the keys. If none works, reports wrong keys or a damaged file and changes nothing. */
export async function connectToHistory(path: string, keys: HistoryKeys): Promise<HistoryConnection> {
  await restrictToOwner(path)
  let cause: unknown
  for (const key of keys) {
    const database = new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    rememberOpen(path, database)
    try {
      unlock(database, key)
      database.pragma('user_version')
      for (const setting of SETTINGS) database.pragma(setting)
      return { database, key }
    } catch (error) {
      database.close()
      if (!isDamage(error)) throw error
      cause = error
    }
  }
  throw await createOpeningError(path, keys, cause)
}

/** A wrong key and a damaged first page look alike to SQLite. */
async function createOpeningError(path: string, keys: HistoryKeys, cause: unknown): Promise<PlatformError> {
  const [{ place, where }] = keys
  const checks = await readKeyChecks(path)
  const isKnown = await hasCheckFor(checks, keys)
  if (isKnown && keys.length >= checks.length) {
    const wasRotated = checks.some(({ since }) => since?.event === 'rotated')
    return createDamagedError(path, 'its first page cannot be read with its own key', {
      cause,
      ...(wasRotated && { fix: OLD_COPY }),
    })
  }
  const hint = checks.length === 0 ? ' (If the key is right, the file is damaged: restore a copy.)' : ''
  const fix = isKnown ? ROTATED : `${FIX[place]}${hint}`
  const message = `The key from ${where} does not open the history ${path}. ${fix} Nothing was changed.`
  return new PlatformError('history_key_wrong', { path, keyPlace: place, message }, { cause })
}

async function hasCheckFor(
  checks: Awaited<ReturnType<typeof readKeyChecks>>,
  keys: HistoryKeys,
): Promise<boolean> {
  for (const check of checks) for (const key of keys) if (await matchesKey(check, key)) return true
  return false
}

const OLD_COPY =
  'If it is a copy from before a key rotation, restore its old key with `parley keys restore FILE`. Otherwise restore it from another copy, or move it away to start a new history'

const ROTATED = 'A key rotation was interrupted, and this is one of the two keys: use the other one.'

const FIX: Record<KeyPlace, string> = {
  environment:
    'Set PARLEY_HISTORY_KEY to its current key or passphrase, or unset it if the key is in the key file or the keychain.',
  keychain: 'Restore the right key with `parley keys restore FILE`, or set PARLEY_HISTORY_KEY to it.',
  'key file': 'Restore the right key with `parley keys restore FILE`, or set PARLEY_HISTORY_KEY to it.',
  'back-up': 'It belongs to another history, or is an old key of this one.',
}

/** SQLite creates its other files with the same mode. */
async function restrictToOwner(path: string): Promise<void> {
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(path, 0o600)
}

const opened = new Map<string, Database[]>()

function rememberOpen(path: string, database: Database): void {
  opened.set(path, [...openDatabases(path), database])
}

/** Whether this process has the history open. Reading SQLite's log index would then release SQLite's locks on it. */
export const isOpenHere = (path: string): boolean => openDatabases(path).length > 0

const openDatabases = (path: string): readonly Database[] =>
  (opened.get(path) ?? []).filter(({ open }) => open)

/** For passphrases; a raw key is used unchanged. */
const KEY_DERIVATION_ROUNDS = 600_000

export function unlock(database: Database, key: HistoryKey): void {
  // This cipher authenticates every byte of a page, and the salt at the start of the file.
  database.pragma("cipher = 'chacha20'")
  applyKey(database, key, 'key')
}

/** Encrypts every page of an unlocked database with another key. */
export const reencrypt = (database: Database, key: HistoryKey): void => applyKey(database, key, 'rekey')

function applyKey(database: Database, { secret }: HistoryKey, command: 'key' | 'rekey'): void {
  if (secret.kind === 'raw') {
    database.pragma(`${command} = "x'${secret.hex}'"`)
    return
  }
  database.pragma(`kdf_iter = ${KEY_DERIVATION_ROUNDS}`)
  database[command](Buffer.from(secret.passphrase))
}

export interface VerifiedSize {
  readonly pages: number
  readonly bytes: number
}

/** Reads every used page and checks that they are consistent. */
export function verifyPages(database: Database, path: string): VerifiedSize {
  try {
    const result = String(database.pragma('integrity_check(1)', { simple: true }))
    if (result !== 'ok') throw createDamagedError(path, describeProblem(result))
    const pages = Number(database.pragma('page_count', { simple: true }))
    return { pages, bytes: pages * Number(database.pragma('page_size', { simple: true })) }
  } catch (error) {
    throw toHistoryError(error, path)
  }
}

function describeProblem(result: string): string {
  const [, page] =
    /page (\d+): unable to get the page/.exec(result) ?? /failed to get page (\d+)/.exec(result) ?? []
  if (page !== undefined) return `page ${page} fails its integrity check`
  return `its pages are inconsistent (${result.replace(/^\*{3}.*\*{3}\s*/, '').trim()})`
}
