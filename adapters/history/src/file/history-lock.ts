import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError } from '@parley/contracts'
import { createInUseError } from './history-error.ts'
import { createPrivateFile } from './private-file.ts'

const PAUSE_MS = 20

interface LockWait {
  readonly milliseconds: number
  readonly failure: (historyPath: string) => PlatformError
}

/** Longer than creating a history or changing its key. */
const WAIT_TO_OPEN: LockWait = { milliseconds: 60_000, failure: createTimeoutError }

/** Short, since others may have the history open for days. */
export const WAIT_FOR_EXCLUSIVE: LockWait = { milliseconds: 2_000, failure: createInUseError }

/**
 * Takes the history's lock: shared by all who have it open, exclusive for creating it or changing its key. `chooseKind`
 * is called at every attempt, since another process may have created the history by then.
 */
export async function lockHistory(
  historyPath: string,
  chooseKind: () => Promise<LockKind>,
  { milliseconds, failure }: LockWait = WAIT_TO_OPEN,
): Promise<FileLock> {
  const path = join(dirname(historyPath), 'history.lock')
  const deadline = Date.now() + milliseconds
  for (;;) {
    const lock = takeFileLock(path, await chooseKind())
    if (lock) return lock
    if (Date.now() > deadline) throw failure(historyPath)
    await delay(PAUSE_MS)
  }
}

/** Runs the work with the history's lock. */
export async function withHistoryLock<T>(
  historyPath: string,
  kind: LockKind,
  work: () => Promise<T>,
  wait: LockWait = WAIT_TO_OPEN,
): Promise<T> {
  const lock = await lockHistory(historyPath, async () => kind, wait)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

function createTimeoutError(path: string): PlatformError {
  return new PlatformError('history_in_use', {
    path,
    message: `Another Parley has been creating the history ${path}, or changing its key, for a minute. It may be waiting for you to unlock the keychain: answer it or end it, then try again. Nothing was changed.`,
  })
}

export interface FileLock {
  readonly kind: LockKind
  readonly release: () => void
}

/** Many processes can share it; only one can have it exclusively. */
type LockKind = 'exclusive' | 'shared'

const TAKE_LOCK: Record<LockKind, string> = {
  exclusive: 'begin exclusive',
  // The first read takes the lock, until the transaction ends.
  shared: 'begin; select 1 from sqlite_schema',
}

/** Takes the lock of this file; undefined if others have it. It ends with its process. */
export function takeFileLock(path: string, kind: LockKind = 'exclusive'): FileLock | undefined {
  createPrivateFile(path)
  const lock = new Database(path, { timeout: 0 })
  try {
    lock.exec(TAKE_LOCK[kind])
    return { kind, release: () => lock.close() }
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined
    throw error
  }
}
