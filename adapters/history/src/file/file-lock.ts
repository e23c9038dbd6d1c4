import Database from 'better-sqlite3-multiple-ciphers'
import { createPrivately } from './private-file.ts'

export interface FileLock {
  readonly kind: LockKind
  readonly release: () => void
}

/** Many can share it at once; one alone has it exclusively. */
export type LockKind = 'exclusive' | 'shared'

const TAKE: Record<LockKind, string> = {
  exclusive: 'begin exclusive',
  // The lock is taken by the first read, and kept to the end of the transaction.
  shared: 'begin; select 1 from sqlite_schema',
}

/** The lock that this file stands for, unless others have it. It ends with its process, however that ends. */
export function takeFileLock(path: string, kind: LockKind = 'exclusive'): FileLock | undefined {
  createPrivately(path)
  const lock = new Database(path, { timeout: 0 })
  try {
    lock.exec(TAKE[kind])
    return { kind, release: () => lock.close() }
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined
    throw error
  }
}
