import { chmod, stat } from 'node:fs/promises'
import Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError } from '@parley/contracts'
import type { HistoryKey, KeyPlace, Keys } from '../key/history-key.ts'
import { isOf, readKeyChecks } from '../key/key-check.ts'
import { damaged, historyError, isDamage } from './history-error.ts'

// As long as another process may take to wipe what it removed.
const BUSY_TIMEOUT_MS = 30_000

const SETTINGS = [
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  'secure_delete = on',
  // Otherwise what is sorted could be written, unencrypted, to files of its own.
  'temp_store = memory',
]

export interface Connection {
  readonly database: Database
  /** The one that opened it. */
  readonly key: HistoryKey
}

/** Opens the file with one of the keys, or says whether they are wrong or the file is damaged; then it stays as it is. */
export async function connect(path: string, keys: Keys): Promise<Connection> {
  await keepPrivate(path)
  let cause: unknown
  for (const key of keys) {
    const database = new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    noteOpen(path, database)
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
  throw await doesNotOpen(path, keys, cause)
}

/** A wrong key and a damaged first page look alike to SQLite. */
async function doesNotOpen(path: string, keys: Keys, cause: unknown): Promise<PlatformError> {
  const [{ place, where }] = keys
  const checks = await readKeyChecks(path)
  const isKnown = await isAmong(checks, keys)
  if (isKnown && keys.length >= checks.length) {
    const wasRotated = checks.some(({ since }) => since?.event === 'rotated')
    return damaged(path, 'its beginning cannot be read with its own key', {
      cause,
      ...(wasRotated && { mend: OLD_COPY }),
    })
  }
  const doubt =
    checks.length === 0 ? ' (If you are sure of the key, then the file is damaged: restore a copy.)' : ''
  const mend = isKnown ? ROTATED : `${MEND[place]}${doubt}`
  const message = `The key from ${where} does not open the history ${path}. ${mend} Nothing was changed.`
  return new PlatformError('history_key_wrong', { path, keyPlace: place, message }, { cause })
}

async function isAmong(checks: Awaited<ReturnType<typeof readKeyChecks>>, keys: Keys): Promise<boolean> {
  for (const check of checks) for (const key of keys) if (await isOf(check, key)) return true
  return false
}

const OLD_COPY =
  'If it is a copy from before its key was rotated, put the key of that time back with `parley keys restore FILE`; else restore it from another copy, or move it away to start anew'

const ROTATED =
  'A rotation of its key was broken off, and this is one of the two keys: give the other one, the new for the old or the old for the new.'

const MEND: Record<KeyPlace, string> = {
  environment:
    'Set PARLEY_HISTORY_KEY to the key or passphrase that it was made with or last rotated to, or unset it if the key is in the key file or the keychain.',
  keychain:
    'Put a copy of the right key back with `parley keys restore FILE`, or set PARLEY_HISTORY_KEY to it.',
  'key file':
    'Put a copy of the right key back with `parley keys restore FILE`, or set PARLEY_HISTORY_KEY to it.',
  'back-up': 'It is the key of another history, or one that this history had before its key was rotated.',
}

/** SQLite gives the files it makes beside this one the same mode. */
async function keepPrivate(path: string): Promise<void> {
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(path, 0o600)
}

const opened = new Map<string, Database[]>()

function noteOpen(path: string, database: Database): void {
  opened.set(path, [...openAt(path), database])
}

/** Whether this process has the history open. To read SQLite's index of the log would then undo SQLite's locks on it. */
export const isOpenHere = (path: string): boolean => openAt(path).length > 0

const openAt = (path: string): readonly Database[] => (opened.get(path) ?? []).filter(({ open }) => open)

/** For passphrases; a key is taken as it is. */
const KEY_DERIVATION_ROUNDS = 600_000

export function unlock(database: Database, { secret }: HistoryKey): void {
  // Every byte of a page, the salt at the file's head too, is covered by this cipher's check.
  database.pragma("cipher = 'chacha20'")
  if (secret.kind === 'raw') {
    database.pragma(`key = "x'${secret.hex}'"`)
    return
  }
  database.pragma(`kdf_iter = ${KEY_DERIVATION_ROUNDS}`)
  database.key(Buffer.from(secret.passphrase))
}

/** Encrypts every page of an unlocked database with another key. */
export function relock(database: Database, { secret }: HistoryKey): void {
  if (secret.kind === 'raw') {
    database.pragma(`rekey = "x'${secret.hex}'"`)
    return
  }
  database.pragma(`kdf_iter = ${KEY_DERIVATION_ROUNDS}`)
  database.rekey(Buffer.from(secret.passphrase))
}

export interface Verified {
  readonly pages: number
  readonly bytes: number
}

/** Reads every page that holds something, and checks that they fit together. */
export function verifyPages(database: Database, path: string): Verified {
  try {
    const found = String(database.pragma('integrity_check(1)', { simple: true }))
    if (found !== 'ok') throw damaged(path, wordsOf(found))
    const pages = Number(database.pragma('page_count', { simple: true }))
    return { pages, bytes: pages * Number(database.pragma('page_size', { simple: true })) }
  } catch (error) {
    throw historyError(error, path)
  }
}

function wordsOf(found: string): string {
  const [, page] =
    /page (\d+): unable to get the page/.exec(found) ?? /failed to get page (\d+)/.exec(found) ?? []
  if (page !== undefined) return `its page ${page} is not what was written`
  return `its pages do not fit together (${found.replace(/^\*{3}.*\*{3}\s*/, '').trim()})`
}
