import Database from 'better-sqlite3-multiple-ciphers'
import { createPrivately } from './private-file.ts'

export interface FileLock {
  readonly release: () => void
}

/** The lock that this file stands for, unless another process has it. It ends with its process, however that ends. */
export function takeFileLock(path: string): FileLock | undefined {
  createPrivately(path)
  const lock = new Database(path, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined
    throw error
  }
}
