import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'
import { type FileLock, takeFileLock } from './file-lock.ts'

const PATIENCE_MS = 60_000
const PAUSE_MS = 20

/** Does the work while nobody else, in any process, does such work in this folder. */
export async function whileAlone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, 'history.lock')
  const deadline = Date.now() + PATIENCE_MS
  let lock: FileLock | undefined
  while (!(lock = takeFileLock(path))) {
    if (Date.now() > deadline) throw heldTooLong(path)
    await delay(PAUSE_MS)
  }
  try {
    return await work()
  } finally {
    lock.release()
  }
}

const heldTooLong = (path: string) =>
  new PlatformError('history_unwritable', {
    path,
    message: `Another Parley has been setting up the history for a minute and holds ${path}. It may wait for you to unlock the keychain; answer it or end it, then try again.`,
  })
