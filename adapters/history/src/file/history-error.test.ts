import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import Database from 'better-sqlite3-multiple-ciphers'
import { expect, test } from 'vitest'
import { createTestHome } from '../testing/fresh-home.ts'
import { toHistoryError } from './history-error.ts'

const catchFailure = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('It did not fail.')
}

test('[S16] a full disk is reported', async () => {
  const database = new Database(join(await createTestHome(), 'full.db'))
  database.exec('create table t (text text)')
  database.pragma('max_page_count = 3')
  const full = catchFailure(() => database.exec(`insert into t values ('${'x'.repeat(20_000)}')`))
  const told = toHistoryError(full, '/home/ada/.parley/history.db')
  expect(told).toMatchObject({ code: 'history_disk_full', cause: full })
  expect(String(told)).toContain('/home/ada/.parley/history.db')
  expect(String(told)).toContain('full')
  database.close()
})

test('a history that another program has locked is reported', async () => {
  const path = join(await createTestHome(), 'held.db')
  const [first, second] = [new Database(path), new Database(path, { timeout: 10 })]
  first.exec('begin exclusive')
  const held = catchFailure(() => second.exec('begin immediate'))
  expect(toHistoryError(held, path)).toMatchObject({ code: 'history_in_use' })
  first.close()
  second.close()
})

test('an error that does not concern the file stays unchanged', () => {
  const busy = new PlatformError('session_busy')
  const bug = new TypeError('x is not a function')
  expect(toHistoryError(busy, '/history.db')).toBe(busy)
  expect(toHistoryError(bug, '/history.db')).toBe(bug)
})
