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

test('[X4][S4] while the server is away it says so; what turns write waits for it, and is stored once', async () => {
  const home = await usedHome()
  const server = await startBundledPostgres({ home })
  await migrate({ databaseUrl: server.url })
  const database = await openDatabase({ databaseUrl: server.url })
  const { sessions } = database
  const [running, idle] = [ids.sessionId(), ids.sessionId()]
  for (const id of [running, idle]) await sessions.create(...newSession(id, AT))
  const lease = await sessions.begin(opening(running))

  process.kill(server.pid, 'SIGKILL')
  await until(async () => (await answered(database.ready())) === UNAVAILABLE.code)
  const ended = sessions.append(lease, batch(lease))
  const begun = sessions.begin(opening(idle))
  // It comes back on its old port.
  await startBundledPostgres({ home })
  await ended
  expect(await begun).toMatchObject({ sessionId: idle, lastMessage: 1 })
  expect((await sessions.find(running))?.openTurn).toBeUndefined()
  expect(await sessions.readMessages(running, { after: 0, limit: 10 })).toHaveLength(2)
  expect((await sessions.find(idle))?.openTurn?.state).toBe('running')
  expect(await sessions.readMessages(idle, { after: 0, limit: 10 })).toHaveLength(1)
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
