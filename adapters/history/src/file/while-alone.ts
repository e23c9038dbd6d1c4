import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'
import Database from 'better-sqlite3-multiple-ciphers'
import { createPrivately } from './private-file.ts'

const PATIENCE_MS = 60_000
const PAUSE_MS = 20

/** Does the work while nobody else, in any process, does such work in this folder. A lock dies with its process. */
export async function whileAlone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, 'history.lock')
  createPrivately(path)
  const lock = new Database(path, { timeout: 0 })
  try {
    const deadline = Date.now() + PATIENCE_MS
    while (!isTaken(lock)) {
      if (Date.now() > deadline) throw heldTooLong(path)
      await delay(PAUSE_MS)
    }
    return await work()
  } finally {
    lock.close()
  }
}

function isTaken(lock: Database): boolean {
  try {
    lock.exec('begin exclusive')
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return false
    throw error
  }
}

const heldTooLong = (path: string) =>
  new PlatformError('history_unwritable', {
    path,
    message: `Another Parley has been setting up the history for a minute and holds ${path}. It may wait for you to unlock the keychain; answer it or end it, then try again.`,
  })
