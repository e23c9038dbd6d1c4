import { PlatformError } from '@parley/contracts'
import type Database from 'better-sqlite3-multiple-ciphers'
import { MIGRATIONS } from './migrations.ts'

/** Brings the tables to the form that this version knows. */
export function migrate(database: Database, path: string): void {
  if (formatOf(database, path) === MIGRATIONS.length) return
  const bringUp = database.transaction(() => {
    // Another process may have done it while this one waited.
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < formatOf(database, path)) continue
      database.exec(migration)
      database.pragma(`user_version = ${index + 1}`)
    }
  })
  bringUp.exclusive()
}

function formatOf(database: Database, path: string): number {
  const format = Number(database.pragma('user_version', { simple: true }))
  if (format <= MIGRATIONS.length) return format
  throw new PlatformError('history_unwritable', {
    path,
    message: `The history ${path} was written by a newer Parley: its format is ${format}, and this one knows up to ${MIGRATIONS.length}. Update Parley, or set PARLEY_HOME to another folder. Nothing was changed.`,
  })
}
