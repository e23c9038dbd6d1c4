import { expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { freshDatabase } from './fresh-database.ts'

test('each test gets its own migrated database, which can be dropped', async () => {
  const [first, second] = await Promise.all([freshDatabase(), freshDatabase()])
  const start = performance.now()
  const third = await freshDatabase()
  console.log(`freshDatabase: ${(performance.now() - start).toFixed(0)} ms`)
  await runSql(first.databaseUrl, `insert into people (id, label) values ('per_ada', 'Ada')`)
  expect(await runSql(first.databaseUrl, 'select id from people')).toHaveLength(1)
  expect(await runSql(second.databaseUrl, 'select id from people')).toHaveLength(0)

  const database = await openDatabase(third)
  await database.ready()
  await database.close()
  for (const { drop } of [first, second, third]) await drop()
  await expect(runSql(first.databaseUrl, 'select 1')).rejects.toMatchObject({ code: '3D000' })
})

test('a clone gives no more access than its template', async () => {
  const fresh = await freshDatabase()
  const [row] = await runSql(
    fresh.databaseUrl,
    `select has_database_privilege('parley_public', current_database(), 'connect') as in,
       has_database_privilege('parley_public', current_database(), 'temporary') as temporary`,
  )
  expect(row).toEqual({ in: true, temporary: false })
  await fresh.drop()
})

test('an empty database has no tables', async () => {
  const fresh = await freshDatabase('empty')
  expect(await runSql(fresh.databaseUrl, `select from pg_tables where schemaname = 'public'`)).toEqual([])
  await fresh.drop()
})
