import type { Lease } from '@parley/engine'
import { newSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { openDatabase } from './open-database.ts'
import { startBundledPostgres } from './server/start-bundled-postgres.ts'
import { query, until, usedHome } from './server/testing/test-cluster.ts'
import { codeOf } from './server/unavailable.ts'
import { AT, batch, ids, opening } from './sessions/testing/turns.ts'
import { migrate } from './migrate/migrate.ts'
import { freshDatabase } from './testing/index.ts'

const UNAVAILABLE = { code: 'database_unavailable' }

test('connections that the server ends are told of, replaced, and crash nothing', async () => {
  const fresh = await freshDatabase()
  const errors: unknown[] = []
  const database = await openDatabase({ ...fresh, onError: (error) => errors.push(error) })
  await Promise.all([database.ready(), database.ready(), database.ready()])
  const ended = await query(
    fresh.databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and usename = 'parley_serving' and application_name = 'parley'`,
  )
  expect(ended.length).toBeGreaterThan(1)
  await until(() => errors.length >= ended.length)
  for (const error of errors) expect(error).toMatchObject(UNAVAILABLE)

  await database.ready()
  const id = ids.sessionId()
  await database.sessions.create(...newSession(id, AT))
  const lease = await database.sessions.begin(opening(id))
  await database.sessions.append(lease, batch(lease))
  await database.close()
  await fresh.drop()
})

test('[X4] while the server is away it says so, and goes on when it is back', async () => {
  const home = await usedHome()
  const server = await startBundledPostgres({ home })
  await migrate({ databaseUrl: server.url })
  const database = await openDatabase({ databaseUrl: server.url })
  const id = ids.sessionId()
  await database.sessions.create(...newSession(id, AT))
  const interrupted = await database.sessions.begin(opening(id))

  process.kill(server.pid, 'SIGKILL')
  await until(async () => (await answered(database.ready())) === UNAVAILABLE.code)
  await expect(database.sessions.begin(opening(id))).rejects.toMatchObject(UNAVAILABLE)
  await expect(database.sessions.append(interrupted, batch(interrupted))).rejects.toMatchObject(UNAVAILABLE)

  database.sessions.giveUp(interrupted)

  // It comes back on its old port.
  await startBundledPostgres({ home })
  await until(async () => (await answered(database.ready())) === 'ready')
  // The process lives, but the turn that could not write its end is given up.
  let lease: Lease | undefined
  await until(async () => {
    lease = await database.sessions.takeOver({ ...interrupted, state: 'interrupted', reserve: 10 })
    return lease !== undefined
  })
  expect(lease).toMatchObject({ epoch: interrupted.epoch + 1, eventSequence: interrupted.reservedUpTo + 1 })
  if (lease) await database.sessions.append(lease, batch(lease))
  await database.close()
})

test('a closed database answers no more, and leaves no connection behind', async () => {
  const fresh = await freshDatabase()
  const database = await openDatabase(fresh)
  await database.ready()
  await database.close()
  await expect(database.ready()).rejects.toMatchObject(UNAVAILABLE)
  await until(async () => {
    const left = await query(
      fresh.databaseUrl,
      `select from pg_stat_activity where usename = 'parley_serving'
      and datname = current_database()`,
    )
    return left.length === 0
  })
  await fresh.drop()
})

const answered = (promise: Promise<void>) => promise.then(() => 'ready', codeOf)
