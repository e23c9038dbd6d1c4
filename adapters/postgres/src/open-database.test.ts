import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { SessionId } from '@parley/contracts'
import { createTestSession } from '@parley/engine/testing'
import type { HealthRecord, RecordedProcess } from './health/health-log.ts'
import { EMPTY_SPREAD, addDuration } from './health/minute-samples.ts'
import { ADA, BEN, useKnowledgeBase } from './knowledge/testing/knowledge-base.ts'
import { migrate } from './migrate/migrate.ts'
import { openDatabase } from './open-database.ts'
import { startBundledPostgres } from './server/start-bundled-postgres.ts'
import { runSql, waitUntil, createUsedHome } from './server/testing/test-cluster.ts'
import { getErrorCode } from './login/database-error.ts'
import { AT, createBatch, ids, createNewTurn } from './sessions/testing/turns.ts'
import { freshDatabase } from './testing/index.ts'

const UNAVAILABLE = { code: 'database_unavailable' }

test('connections that the server ends are reported and replaced, and crash nothing', async () => {
  const fresh = await freshDatabase()
  const errors: unknown[] = []
  const database = await openDatabase({ ...fresh, onError: (error) => errors.push(error) })
  await Promise.all([database.ready(), database.ready(), database.ready()])
  const ended = await runSql(
    fresh.databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and usename = 'parley_serving' and application_name = 'parley'`,
  )
  expect(ended.length).toBeGreaterThan(1)
  await waitUntil(() => errors.length >= ended.length)
  for (const error of errors) expect(error).toMatchObject(UNAVAILABLE)

  await database.ready()
  const id = ids.sessionId()
  await database.sessions.create(...createTestSession(id, AT))
  const lease = await database.sessions.beginTurn(createNewTurn(id))
  await database.sessions.append(lease, createBatch(lease))
  await database.close()
  await fresh.drop()
})

test('[X4][S4] an unavailable server is reported; writes of turns wait for it and are stored once', async () => {
  const home = await createUsedHome()
  const server = await startBundledPostgres({ home })
  await migrate({ databaseUrl: server.url })
  const database = await openDatabase({ databaseUrl: server.url })
  const { sessions } = database
  const [running, idle] = [ids.sessionId(), ids.sessionId()]
  for (const id of [running, idle]) await sessions.create(...createTestSession(id, AT))
  const lease = await sessions.beginTurn(createNewTurn(running))

  process.kill(server.pid, 'SIGKILL')
  await waitUntil(async () => (await toAnswer(database.ready())) === UNAVAILABLE.code)
  const ended = sessions.append(lease, createBatch(lease))
  const runBegin = sessions.beginTurn(createNewTurn(idle))
  // It comes back on its old port.
  await startBundledPostgres({ home })
  await ended
  expect(await runBegin).toMatchObject({ sessionId: idle, lastMessageNumber: 1 })
  expect((await sessions.find(running))?.openTurn).toBeUndefined()
  expect(await sessions.readMessages(running, { after: 0, limit: 10 })).toHaveLength(2)
  expect((await sessions.find(idle))?.openTurn?.state).toBe('running')
  expect(await sessions.readMessages(idle, { after: 0, limit: 10 })).toHaveLength(1)
  await database.close()
})

test('a closed database refuses requests and leaves no connection open', async () => {
  const fresh = await freshDatabase()
  const database = await openDatabase(fresh)
  await database.ready()
  await database.close()
  await expect(database.ready()).rejects.toMatchObject(UNAVAILABLE)
  await waitUntil(async () => {
    const left = await runSql(
      fresh.databaseUrl,
      `select from pg_stat_activity where usename = 'parley_serving'
      and datname = current_database()`,
    )
    return left.length === 0
  })
  await fresh.drop()
})

const toAnswer = (promise: Promise<void>) => promise.then(() => 'ready', getErrorCode)

const base = await useKnowledgeBase()

const MINUTE = '2026-03-01T10:00:00.000Z'
const newProcess = (kind: RecordedProcess['kind'] = 'api'): RecordedProcess => ({
  instance: randomUUID(),
  kind,
  startedAt: new Date().toISOString(),
})
const compareText = (one: string, other: string) => (one < other ? -1 : 1)
const toRecord = (given: Partial<HealthRecord>): HealthRecord => ({
  samples: [],
  failures: [],
  providers: [],
  ...given,
})
const toTime = (second: number) => new Date(Date.parse(MINUTE) + second * 1_000).toISOString()
const runHere = (text: string) => runSql(base.databaseUrl, text)

test('counts of processes add up, and writing a minute again replaces it', async () => {
  const { health } = base.database
  const [one, other] = [newProcess(), newProcess('worker')]
  const sample = { at: MINUTE, what: 'request', label: 'GET /v1/me 2xx' } as const
  const timed = (...times: readonly number[]) => ({
    ...sample,
    count: times.length,
    sum: times.reduce((sum, ms) => sum + ms, 0),
    spread: times.reduce((spread, ms) => addDuration(spread, ms), EMPTY_SPREAD),
  })
  await health.write(one, toRecord({ samples: [timed(3)] }))
  await health.write(one, toRecord({ samples: [timed(3, 40)] }))
  await base.learning.health.write(other, toRecord({ samples: [timed(4)] }))
  const window = { from: MINUTE, to: '2026-03-01T11:00:00.000Z', pieceSeconds: 900 }
  expect(await health.sumSamples(window)).toEqual([
    {
      what: 'request',
      label: 'GET /v1/me 2xx',
      piece: 0,
      count: 3,
      sum: 47,
      spread: addDuration(addDuration(addDuration(EMPTY_SPREAD, 3), 4), 40),
    },
  ])
})

test('a process that wrote recently is alive, and one that left is not listed', async () => {
  const { health } = base.database
  const [alive, silent, left] = [newProcess(), newProcess('worker'), newProcess('worker')]
  for (const process of [alive, silent, left]) await health.write(process, toRecord({}))
  await runHere(
    `update health_processes set seen_at = now() - interval '1 minute' where instance = '${silent.instance}'`,
  )
  await health.removeProcess(left.instance)
  const found = new Map((await health.listProcesses()).map(({ instance, isAlive }) => [instance, isAlive]))
  expect([alive, silent, left].map(({ instance }) => found.get(instance))).toEqual([true, false, undefined])
})

test('a provider counts as failing from its first failure until it works again; the later result wins', async () => {
  const { health } = base.database
  const failed = (second: number) =>
    ({ kind: 'failed', at: toTime(second), code: 'provider_unavailable', problem: 'No answer.' }) as const
  const note = (outcome: HealthRecord['providers'][number][1]) =>
    health.write(newProcess(), toRecord({ providers: [['acme', outcome]] }))
  const state = async () => (await health.listProviders()).find(({ name }) => name === 'acme')
  await note(failed(1))
  await note(failed(5))
  expect(await state()).toEqual({
    name: 'acme',
    failedAt: toTime(5),
    failingSince: toTime(1),
    code: 'provider_unavailable',
    problem: 'No answer.',
  })
  await note({ kind: 'worked', at: toTime(3) })
  expect(await state()).toMatchObject({ failingSince: toTime(1) })
  await note({ kind: 'worked', at: toTime(9) })
  expect(await state()).not.toHaveProperty('failingSince')
  expect(await state()).toMatchObject({ workedAt: toTime(9), failedAt: toTime(5) })
})

async function createFailedJob() {
  const { id: reflectionId } = await base.database.reflections.create({ displayName: 'Ada', ownerId: ADA })
  const bytes = new TextEncoder().encode(randomUUID())
  const source = { title: 'Letters', namespace: 'general', bytes, mediaType: 'text/plain' }
  const { id: sourceId } = await base.database.reflections.addSource(reflectionId, source, ADA)
  const [row] = await runHere(
    `update pgboss.job set state = 'failed', completed_on = now(), retry_count = 3,
       output = '{"message": "The disk is full."}'
     where name = 'ingest-source' and data ->> 'sourceId' = '${sourceId}' returning id`,
  )
  return { reflectionId, sourceId, jobId: String(row?.id) }
}

test('a failed job names its reflection and source only to viewers who may know them', async () => {
  const { health } = base.database
  const { jobId, sourceId, reflectionId } = await createFailedJob()
  const seenBy = async (personId: typeof ADA, isOwner: boolean) =>
    (await health.listFailedJobs({ personId, isOwner }, 50)).find((job) => job.jobId === jobId)
  const whole = {
    jobId,
    queue: 'ingest-source',
    failedAt: expect.any(String),
    tries: 4,
    problem: 'The disk is full.',
    reflection: { reflectionId, displayName: 'Ada' },
    source: { sourceId, title: 'Letters' },
  }
  expect(await seenBy(ADA, false)).toEqual(whole)
  expect(await seenBy(BEN, true)).toEqual(whole)
  const { reflection: _, source: __, ...told } = whole
  expect(await seenBy(BEN, false)).toEqual(told)
  expect((await health.listQueues()).find(({ name }) => name === 'ingest-source')?.failed).toBeGreaterThan(0)
})

test('[A5] a failed job is queued again once and recorded, and the server changes no job for that', async () => {
  const { health, audit } = base.database
  const { jobId, sourceId } = await createFailedJob()
  const outcomes = await Promise.all([health.retryJob(jobId, ADA), health.retryJob(jobId, ADA)])
  expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['retried', 'retried_before'])
  expect(await health.retryJob(randomUUID(), ADA)).toEqual({ kind: 'unknown' })
  const jobs = await runHere(
    `select state, singleton_key from pgboss.job
     where name = 'ingest-source' and data ->> 'sourceId' = '${sourceId}' order by created_on`,
  )
  expect(jobs).toEqual([
    { state: 'failed', singleton_key: sourceId },
    { state: 'created', singleton_key: sourceId },
  ])
  const listed = await health.listFailedJobs({ personId: ADA, isOwner: true }, 50)
  expect(listed.map((job) => job.jobId)).not.toContain(jobId)
  const { items } = await audit.read({ limit: 5 })
  expect(items).toContainEqual(expect.objectContaining({ what: 'job_retried', target: jobId, who: ADA }))
})

test('a failed turn names its session only to viewers who may read it, and is removed with the session', async () => {
  const { health } = base.database
  const { id: reflectionId } = await base.database.reflections.create({ displayName: 'Ada', ownerId: ADA })
  const [plain, withAda] = [`ses_plain`, `ses_ada`] as SessionId[]
  for (const id of [plain, withAda]) {
    await runHere(`insert into agent_sessions (id, owner_id, channel, status, agent_slug, agent_snapshot, context,
        created_at, updated_at, message_count, event_last, event_reserved)
      values ('${id}', '${ADA}', 'text', 'active', 'helper', '{}', '{}', now(), now(), 0, 1, 1)`)
  }
  await runHere(`insert into reflection_sessions (session_id, reflection_id, person_id, channel, mode, session_audience,
      surface, role, ingestion, namespaces, status)
    values ('${withAda}', '${reflectionId}', '${ADA}', 'text', 'reflection', 'private', 'standard', 'owner',
      'ingest', '{}', 'active')`)
  const failures = [plain, withAda, 'ses_gone' as SessionId].flatMap((sessionId) =>
    sessionId ? [{ at: toTime(1), sessionId, code: 'provider_unavailable' }] : [],
  )
  await health.write(newProcess(), toRecord({ failures }))
  const seenBy = async (personId: typeof ADA, isOwner: boolean) =>
    (await health.listFailures(MINUTE, { personId, isOwner }, 50))
      .map(({ sessionId = 'not told' }) => String(sessionId))
      .toSorted(compareText)
  expect(await seenBy(ADA, false)).toEqual([withAda, plain])
  expect(await seenBy(BEN, false)).toEqual(['not told', plain])
  expect(await seenBy(BEN, true)).toEqual([withAda, plain])
  await base.database.sessions.remove(plain ?? withAda ?? ('' as SessionId))
  expect(await seenBy(ADA, false)).toEqual([withAda])
})

test('old samples are deleted', async () => {
  const { health } = base.database
  await runHere(`insert into health_samples (at, what, label, instance, count, sum)
    values (now() - interval '9 days', 'turn', 'completed', 'old', 1, 0)`)
  await health.prune()
  expect(await runHere(`select from health_samples where instance = 'old'`)).toEqual([])
})
