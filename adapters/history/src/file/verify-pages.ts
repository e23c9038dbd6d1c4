import type Database from 'better-sqlite3-multiple-ciphers'
import { damaged, historyError } from './history-error.ts'

export interface Verified {
  readonly pages: number
  readonly bytes: number
}

/** Reads every page that holds something, and checks that they fit together. */
export function verifyPages(database: Database, path: string): Verified {
  try {
    const found = String(database.pragma('integrity_check(1)', { simple: true }))
    if (found !== 'ok') throw damaged(path, wordsOf(found))
    const pages = Number(database.pragma('page_count', { simple: true }))
    return { pages, bytes: pages * Number(database.pragma('page_size', { simple: true })) }
  } catch (error) {
    throw historyError(error, path)
  }
}

function wordsOf(found: string): string {
  const [, page] =
    /page (\d+): unable to get the page/.exec(found) ?? /failed to get page (\d+)/.exec(found) ?? []
  if (page !== undefined) return `its page ${page} is not what was written`
  return `its pages do not fit together (${found.replace(/^\*{3}.*\*{3}\s*/, '').trim()})`
}
