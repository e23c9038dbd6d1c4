import { open } from 'node:fs/promises'
import { PlatformError } from '@parley/contracts'
import Database from 'better-sqlite3-multiple-ciphers'
import type { HistoryKey } from '../key/history-key.ts'
import { createPrivately } from './private-file.ts'
import { relock, unlock } from './unlock.ts'
import { verifyPages } from './verify-pages.ts'

interface Change {
  readonly from: Database
  readonly key: HistoryKey
  readonly next: HistoryKey
}

/** Writes all of a history to a file of its own, encrypted with another key; it is on the disk and can be read afterwards. */
export async function writeAnew(path: string, { from, key, next }: Change): Promise<void> {
  createPrivately(path)
  from.prepare<[string]>('vacuum into ?').run(path)
  await withDatabase(path, key, (copy) => {
    // A journal would only save what is thrown away when this fails.
    copy.unsafeMode()
    copy.pragma('journal_mode = off')
    relock(copy, next)
  })
  await sync(path)
  await withDatabase(path, next, (copy) => {
    verifyPages(copy, path)
    if (formatOf(copy) !== formatOf(from)) throw notTheSame(path)
  })
}

async function withDatabase(
  path: string,
  key: HistoryKey,
  work: (database: Database) => void,
): Promise<void> {
  const database = new Database(path, { fileMustExist: true })
  try {
    unlock(database, key)
    work(database)
  } finally {
    database.close()
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const formatOf = (database: Database): string =>
  JSON.stringify([
    database.pragma('user_version', { simple: true }),
    database.prepare<[]>('select type, name, sql from sqlite_schema order by type, name').all(),
  ])

const notTheSame = (path: string) =>
  new PlatformError('internal', {
    message: `The copy ${path} of the history with the new key is not the same as the history. Nothing was changed.`,
  })
