import { chmod, stat } from 'node:fs/promises'
import { PlatformError } from '@parley/contracts'
import Database from 'better-sqlite3-multiple-ciphers'
import type { HistoryKey, KeyPlace } from '../key/history-key.ts'
import { checkKey } from '../key/key-check.ts'
import { damaged, isDamage } from './history-error.ts'

const BUSY_TIMEOUT_MS = 5_000

/** For passphrases; a key is taken as it is. */
const KEY_DERIVATION_ROUNDS = 600_000

const SETTINGS = [
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  'secure_delete = on',
  // Otherwise what is sorted could be written, unencrypted, to files of its own.
  'temp_store = memory',
]

/** Opens the file, or says whether the key is wrong or the file is damaged; either way leaves it as it is. */
export async function connect(path: string, key: HistoryKey): Promise<Database> {
  await keepPrivate(path)
  const database = new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
  try {
    unlock(database, key)
    database.pragma('user_version')
    for (const setting of SETTINGS) database.pragma(setting)
    return database
  } catch (error) {
    database.close()
    throw isDamage(error) ? await doesNotOpen(path, key, error) : error
  }
}

function unlock(database: Database, { secret }: HistoryKey): void {
  // Every byte of a page, the salt at the file's head too, is covered by this cipher's check.
  database.pragma("cipher = 'chacha20'")
  if (secret.kind === 'raw') {
    database.pragma(`key = "x'${secret.hex}'"`)
    return
  }
  database.pragma(`kdf_iter = ${KEY_DERIVATION_ROUNDS}`)
  database.key(Buffer.from(secret.passphrase))
}

/** A wrong key and a damaged first page look alike to SQLite. */
async function doesNotOpen(path: string, key: HistoryKey, cause: unknown): Promise<PlatformError> {
  const check = await checkKey(path, key)
  if (check === 'right') return damaged(path, 'its first page cannot be read with its own key', cause)
  const doubt =
    check === 'unknown' ? ' (If you are sure of the key, then the file is damaged: restore a copy.)' : ''
  const message = `The key from ${key.where} does not open the history ${path}. ${MEND[key.place]}${doubt} Nothing was changed.`
  return new PlatformError('history_key_wrong', { path, keyPlace: key.place, message }, { cause })
}

const MEND: Record<KeyPlace, string> = {
  environment:
    'Set PARLEY_HISTORY_KEY to the key or passphrase it was made with, or unset it if the key is in the key file or the keychain.',
  keychain: 'Put the right key back there, or set PARLEY_HISTORY_KEY to it.',
  'key file': 'Put the right key file back, or set PARLEY_HISTORY_KEY to the right key.',
}

/** SQLite gives the files it makes beside this one the same mode. */
async function keepPrivate(path: string): Promise<void> {
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(path, 0o600)
}
