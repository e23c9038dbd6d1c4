import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { urlAs } from '../login/database-url.ts'
import { GuardedClient } from '../login/guarded-client.ts'
import { query } from '../server/testing/test-cluster.ts'
import { freshDatabase } from '../testing/index.ts'
import { createTransact } from './transact.ts'

test('[X4] a connection that breaks between two statements fails the transaction, and not the process', async () => {
  const fresh = await freshDatabase()
  const pool = new Pool({
    connectionString: urlAs(fresh.databaseUrl, 'parley_learning'),
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
    await query(fresh.databaseUrl, `select pg_terminate_backend(${mine?.pid})`)
    await new Promise((resolve) => setImmediate(resolve))
    return run({ name: 'one', text: 'select 1' })
  })
  await expect(broken).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(await transact((run) => run({ name: 'two', text: 'select 2 as two' }))).toEqual([{ two: 2 }])
})
