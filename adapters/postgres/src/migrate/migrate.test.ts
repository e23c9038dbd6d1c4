import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { JOB_NAMES } from '../jobs/queues.ts'
import { DATABASE_ROLES } from '../login/database-url.ts'
import { openDatabase } from '../open-database.ts'
import { startBundledPostgres } from '../server/start-bundled-postgres.ts'
import { createFolder, runSql } from '../server/testing/test-cluster.ts'
import { type FreshDatabase, freshDatabase } from '../testing/index.ts'
import { PGVECTOR_URL, usePgvectorServer } from '../testing/test-server.ts'
import { installVectors, migrate } from './migrate.ts'

const MIGRATIONS = [{ name: '0001_baseline' }]

const listMigrations = (databaseUrl: string) =>
  runSql(databaseUrl, 'select name from migrations order by name')

describe('in an empty database', () => {
  let fresh: FreshDatabase
  beforeAll(async () => {
    fresh = await freshDatabase('empty')
  })
  afterAll(() => fresh.drop())

  test('five concurrent migrations run each migration once', async () => {
    const steps: string[] = []
    const onStep = (what: string) => steps.push(what)
    await Promise.all(Array.from({ length: 5 }, () => migrate({ ...fresh, onStep })))
    expect(await listMigrations(fresh.databaseUrl)).toEqual(MIGRATIONS)
    expect(steps).toContain(`Migrating the database: ${MIGRATIONS.map(({ name }) => name).join(', ')}`)
  })

  test('a second migration has nothing to do', async () => {
    const steps: string[] = []
    const start = performance.now()
    await migrate({ ...fresh, onStep: (what) => steps.push(what) })
    console.log(`migrate with nothing to do: ${(performance.now() - start).toFixed(0)} ms`)
    expect(steps).toEqual([])
    expect(await listMigrations(fresh.databaseUrl)).toHaveLength(MIGRATIONS.length)
  })

  test('queues with outdated options are updated', async () => {
    await runSql(fresh.databaseUrl, 'update pgboss.queue set notify = false')
    await runSql(fresh.databaseUrl, `comment on schema pgboss is 'pg-boss 12.30.0, gave-up, ingest-source'`)
    await migrate(fresh)
    const notifying = `select count(*)::int as count from pgboss.queue where notify and policy = 'singleton'`
    expect(await runSql(fresh.databaseUrl, notifying)).toEqual([{ count: JOB_NAMES.length }])
  })

  test('a database with an unknown migration is refused with a clear message', async () => {
    await runSql(fresh.databaseUrl, `insert into migrations (name, run_on) values ('9999_later', now())`)
    await expect(migrate(fresh)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/another version of Parley \(9999_later\)/),
    })
  })
})

test('a missing database is refused with a clear message', async () => {
  const { databaseUrl, drop } = await freshDatabase('empty')
  await drop()
  const refusal = { code: 'config_invalid', message: expect.stringMatching(/does not exist.*Create that/) }
  await expect(migrate({ databaseUrl })).rejects.toMatchObject(refusal)
  await expect(openDatabase({ databaseUrl })).rejects.toMatchObject(refusal)
})

test('a user who may not migrate is refused with a clear message', async () => {
  const { databaseUrl, drop } = await freshDatabase('empty')
  const weak = `weak_${process.pid}`
  await runSql(databaseUrl, `create role ${weak} login password 'weak'`)
  const url = new URL(databaseUrl)
  url.username = weak
  url.password = 'weak'
  await expect(migrate({ databaseUrl: url.href })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/permission denied.*owns the database/),
  })
  await drop()
  const admin = await freshDatabase('empty')
  await runSql(admin.databaseUrl, `drop role ${weak}`)
  await admin.drop()
})

test('a server that does not answer is database_unavailable', async () => {
  const databaseUrl = 'postgresql://parley:x@127.0.0.1:1/parley'
  const refusal = { code: 'database_unavailable', message: expect.stringMatching(/127.0.0.1:1\/parley/) }
  await expect(migrate({ databaseUrl })).rejects.toMatchObject(refusal)
  await expect(openDatabase({ databaseUrl })).rejects.toMatchObject(refusal)
})

test('two databases of a new server create the roles concurrently, and a changed password is repaired', async () => {
  const { url } = await startBundledPostgres({ home: await createFolder() })
  // Only the bundled server has the roles before the migrations do.
  await runSql(url, `drop role ${DATABASE_ROLES.join(', ')}`)
  await runSql(url, 'create database second')
  const second = new URL(url)
  second.pathname = '/second'
  await expect(openDatabase({ databaseUrl: url })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/run the migrations/),
  })

  await Promise.all([url, second.href, url, second.href].map((databaseUrl) => migrate({ databaseUrl })))
  for (const databaseUrl of [url, second.href]) {
    const database = await openDatabase({ databaseUrl })
    await database.ready()
    await database.close()
  }

  await runSql(url, `alter role parley_serving password 'changed'`)
  await expect(openDatabase({ databaseUrl: url })).rejects.toMatchObject({ code: 'config_invalid' })
  await Promise.all([url, second.href, url].map((databaseUrl) => migrate({ databaseUrl })))
  const database = await openDatabase({ databaseUrl: url })
  await database.close()
})

async function createEmptyDatabase() {
  const { databaseUrl, drop } = await freshDatabase('empty')
  onTestFinished(drop)
  return databaseUrl
}

async function keepsVectors(databaseUrl: string): Promise<boolean> {
  const database = await openDatabase({ databaseUrl })
  await database.close()
  return database.retriever.byVector !== undefined
}

describe.skipIf(!PGVECTOR_URL)('with pgvector', () => {
  beforeAll(usePgvectorServer)

  test('[K5] concurrent and repeated installations succeed', async () => {
    const databaseUrl = await createEmptyDatabase()
    await Promise.all([1, 2, 3].map(() => migrate({ databaseUrl })))
    await migrate({ databaseUrl })
    expect(await keepsVectors(databaseUrl)).toBe(true)
  })

  test('[K5] an extension in another schema is used', async () => {
    const databaseUrl = await createEmptyDatabase()
    await runSql(databaseUrl, 'create schema "Other one"; create extension vector with schema "Other one"')
    await migrate({ databaseUrl })
    expect(await keepsVectors(databaseUrl)).toBe(true)
    const asked = `select * from search_vectors('{}', '{1,2}', 'local/any', 5)`
    expect(await runSql(databaseUrl, asked)).toEqual([])
  })

  test('[K5] a user who may not create the extension continues without it', async () => {
    const databaseUrl = await createEmptyDatabase()
    const name = `lesser_${randomBytes(4).toString('hex')}`
    await runSql(
      databaseUrl,
      `create role ${name} login password 'made-up'; create schema extensions authorization ${name}`,
    )
    onTestFinished(async () => {
      await runSql(databaseUrl, `drop owned by ${name}; drop role ${name}`)
    })
    const url = new URL(databaseUrl)
    url.username = name
    url.password = 'made-up'
    const lesser = new Client(url.href)
    await lesser.connect()
    await installVectors(lesser)
    await lesser.end()
    expect(await runSql(databaseUrl, `select from pg_extension where extname = 'vector'`)).toEqual([])
  })
})
