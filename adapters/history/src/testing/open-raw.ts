import Database from 'better-sqlite3-multiple-ciphers'
import { KEY } from './fresh-home.ts'

/** A connection of one's own to a history that has the key of the tests. It does not wait for others. */
export function openRaw(path: string): Database {
  const raw = new Database(path, { fileMustExist: true, timeout: 0 })
  raw.pragma("cipher = 'chacha20'")
  raw.pragma(`key = "x'${KEY}'"`)
  return raw
}
