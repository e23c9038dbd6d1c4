import { setTimeout as delay } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'
import type Database from 'better-sqlite3-multiple-ciphers'
import { isDamage } from '../file/history-error.ts'

const PATIENCE_MS = 5_000
const PAUSE_MS = 20

/** Leaves nothing of removed rows in the file or its log. */
export async function wipeRemoved(database: Database, patienceMs = PATIENCE_MS): Promise<void> {
  try {
    // A removed row is overwritten, but not the copies that moving rows between pages has left where nothing is now:
    // docs/decisions/0010.
    database.exec('vacuum')
    const deadline = Date.now() + patienceMs
    while (!tryToEmptyLog(database)) {
      if (Date.now() > deadline) throw new Error('another program is reading it')
      await delay(PAUSE_MS)
    }
  } catch (cause) {
    throw isDamage(cause) ? cause : notWiped(cause)
  }
}

/** False while another is reading or writing. It is not waited for here, since this thread has turns to carry on. */
function tryToEmptyLog(database: Database): boolean {
  const patience = database.pragma('busy_timeout', { simple: true })
  database.pragma('busy_timeout = 0')
  try {
    return database.pragma('wal_checkpoint(truncate)', { simple: true }) === 0
  } finally {
    database.pragma(`busy_timeout = ${String(patience)}`)
  }
}

function notWiped(cause: unknown): PlatformError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `The session was removed, but words of it may still be in unused parts of the history (${why}). They go with the next session that is removed: close other programs that use the history, and make room on the disk if there is none.`
  return new PlatformError('history_unwritable', { message }, { cause })
}
