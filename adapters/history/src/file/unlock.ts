import type Database from 'better-sqlite3-multiple-ciphers'
import type { HistoryKey } from '../key/history-key.ts'

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
