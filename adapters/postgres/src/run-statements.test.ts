import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { toRoleUrl } from './login/database-url.ts'
import { GuardedClient } from './login/guarded-client.ts'
import { createRun, createTransact } from './run-statements.ts'
import { runSql, waitUntil } from './server/testing/test-cluster.ts'
import { freshDatabase, openTransaction } from './testing/index.ts'

const CANCELLED = { code: 'cancelled' }
const LOCK = { name: 'take_lock', text: 'select pg_advisory_lock(1)' }

test('[V9] an abort cancels the statement on the server, or leaves the queue for a connection', async () => {
  const { databaseUrl, drop } = await freshDatabase()
  // Only the abort ends a statement here.
  const pool = new Pool({ connectionString: databaseUrl, Client: GuardedClient, max: 1 })
  // The database may be dropped before its last connection has closed.
  pool.on('error', () => {})
  const run = createRun(pool, databaseUrl)
  const holder = await openTransaction(databaseUrl, 'select pg_advisory_lock(1)')
  const countWaiting = async () =>
    (await runSql(databaseUrl, `select pid from pg_stat_activity where wait_event = 'advisory'`)).length

  const stop = new AbortController()
  const blocked = run(LOCK, [], stop.signal)
  await waitUntil(async () => (await countWaiting()) === 1)
  const queued = run({ name: 'one', text: 'select 1 as one' }, [], stop.signal)
  const ended = Promise.allSettled([blocked, queued])
  stop.abort()
  expect(await ended).toMatchObject([{ reason: CANCELLED }, { reason: CANCELLED }])
  await waitUntil(async () => (await countWaiting()) === 0)
  await expect(run(LOCK, [], stop.signal)).rejects.toMatchObject(CANCELLED)

  const { signal } = new AbortController()
  expect(await run({ name: 'two', text: 'select 2 as two' }, [], signal)).toEqual([{ two: 2 }])
  await holder.end()
  await pool.end()
  await drop()
})

test('[X4] a connection that breaks between two statements fails the transaction, not the process', async () => {
  const fresh = await freshDatabase()
  const pool = new Pool({
    connectionString: toRoleUrl(fresh.databaseUrl, 'parley_learning'),
    Client: GuardedClient,
  })
  pool.on('error', () => {})
  onTestFinished(async () => {
    await pool.end()
    await fresh.drop()
  })
  const transact = createTransact(pool, fresh.databaseUrl)
  const broken = transact(async (run) => {
    const [mine] = await run<{ pid: number }>({ name: 'mine', text: 'select pg_backend_pid() as pid' })
    await runSql(fresh.databaseUrl, `select pg_terminate_backend(${mine?.pid})`)
    await new Promise((resolve) => setImmediate(resolve))
    return run({ name: 'one', text: 'select 1' })
  })
  await expect(broken).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(await transact((run) => run({ name: 'two', text: 'select 2 as two' }))).toEqual([{ two: 2 }])
})
