import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ReflectionId, SourceId } from '@parley/contracts'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ADA, useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'
import { toRoleUrl } from '../login/database-url.ts'
import { runSql, waitUntil } from '../server/testing/test-cluster.ts'
import { type JobHandlers, startJobWorker, type JobWorker } from './start-job-worker.ts'

const base = await useKnowledgeBase()
let reflectionId: ReflectionId
const workers: JobWorker[] = []
const children: ChildProcess[] = []

beforeAll(async () => {
  reflectionId = (await base.database.reflections.create({ displayName: 'Ada', ownerId: ADA })).id
})
afterEach(async () => {
  vi.useRealTimers()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

const idle: JobHandlers = {
  'ingest-source': async () => {},
  'review-patch': async () => {},
  'propose-correction': async () => {},
  'remove-source': async () => {},
  'remove-reflection': async () => {},
  'rebuild-voice': async () => {},
  gaveUp: async () => {},
}

async function startTestWorker(handlers: Partial<JobHandlers>): Promise<void> {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  workers.push(await startJobWorker({ ...base, handlers: { ...idle, ...handlers }, onError }))
  expect(errors).toEqual([])
}

const add = async (text: string, sourceId?: SourceId) => {
  const bytes = new TextEncoder().encode(text)
  const source = { title: 'Notes', namespace: 'general', bytes, mediaType: 'text/plain' }
  return (await base.database.reflections.addSource(reflectionId, source, ADA, sourceId)).id
}

test('each request of the server reaches a worker once', async () => {
  const done: string[] = []
  const { reflections } = base.database
  const handlers: Partial<JobHandlers> = {
    'ingest-source': async (job) => void done.push(`ingest ${job.sourceId}`),
    'remove-source': async (job) => void done.push(`remove ${job.sourceId}`),
    'remove-reflection': async (job) => void done.push(`remove ${job.reflectionId}`),
  }
  await startTestWorker(handlers)
  await startTestWorker(handlers)
  const sourceId = await add('One')
  await waitUntil(() => done.length === 1)
  const { id } = await reflections.create({ displayName: 'Brief', ownerId: ADA })
  await reflections.remove(id, ADA)
  await waitUntil(() => done.length === 2)
  expect(done).toEqual([`ingest ${sourceId}`, `remove ${id}`])
})

/** From now on no new worker polls for jobs. */
const stopPolling = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })

test('a new job wakes a worker', async () => {
  stopPolling()
  const done: string[] = []
  await startTestWorker({ 'ingest-source': async (job) => void done.push(job.sourceId) })
  const sent: string[] = []
  for (const text of ['First', 'Second']) {
    sent.push(await add(text))
    await waitUntil(() => done.length === sent.length)
  }
  expect(done).toEqual(sent)
})

test('[X4] a worker whose LISTEN was interrupted finds the jobs that arrived in that time', async () => {
  stopPolling()
  const done: string[] = []
  await startTestWorker({ 'ingest-source': async (job) => void done.push(job.sourceId) })
  const database = new URL(base.databaseUrl).pathname.slice(1)
  await runSql(base.databaseUrl, `revoke connect on database ${database} from parley_learning`)
  expect(await runSql(base.databaseUrl, END_LISTENER)).toEqual([{ ended: true }])
  const sourceId = await add('Sent to nobody')
  await runSql(base.databaseUrl, `grant connect on database ${database} to parley_learning`)
  await waitUntil(() => done.length > 0)
  expect(done).toEqual([sourceId])
})

const END_LISTENER = `select pg_terminate_backend(pid, 5000) as ended from pg_stat_activity
  where datname = current_database() and application_name = 'parley-worker' and query like 'listen %'`

test('a transaction that fails leaves no job', async () => {
  const before = await runSql(base.databaseUrl, 'select from pgboss.job')
  const source = { title: 'x', namespace: 'nowhere', bytes: new Uint8Array(1), mediaType: 'text/plain' }
  await expect(base.database.reflections.addSource(reflectionId, source, ADA)).rejects.toThrow('nowhere')
  expect(await runSql(base.databaseUrl, 'select from pgboss.job')).toHaveLength(before.length)
})

test('[K4] runs of one source do not overlap, and a version that arrives during a run is processed', async () => {
  let running = 0
  let most = 0
  let calls = 0
  const { promise: goOn, resolve } = Promise.withResolvers<void>()
  const handlers: Partial<JobHandlers> = {
    async 'ingest-source'() {
      running += 1
      calls += 1
      most = Math.max(most, running)
      await goOn
      running -= 1
    },
  }
  await startTestWorker(handlers)
  await startTestWorker(handlers)
  const sourceId = await add('Version one')
  await waitUntil(() => running === 1)
  await add('Version two', sourceId)
  await add('Version three', sourceId)
  const other = await add('Another source')
  // It does not delay the job of another source.
  await waitUntil(() => running === 2)
  const waiting = await runSql(
    base.databaseUrl,
    `select from pgboss.job where singleton_key = '${sourceId}' and state = 'created'`,
  )
  expect(waiting).toHaveLength(2)
  expect(other).not.toBe(sourceId)
  resolve()
  await waitUntil(() => calls === 4)
  expect(most).toBe(2)
})

test('[K4] a reflection with many sources does not delay one with few', async () => {
  const { reflections } = base.database
  const { id: other } = await reflections.create({ displayName: 'Ben', ownerId: ADA })
  for (let n = 0; n < 20; n += 1) await add(`One of many, ${n}`)
  const source = { title: 'x', namespace: 'general', bytes: new Uint8Array(1), mediaType: 'text/plain' }
  const { id: little } = await reflections.addSource(other, source, ADA)
  const done: string[] = []
  await startTestWorker({ 'ingest-source': async (job) => void done.push(job.sourceId) })
  await waitUntil(() => done.length >= 21)
  expect(done.indexOf(little)).toBeLessThan(4)
})

test('[K4] a failing job is retried, and then given up with its last problem', async () => {
  const gaveUp: unknown[] = []
  let tries = 0
  await startTestWorker({
    async 'ingest-source'() {
      tries += 1
      throw new Error(`The disk is full, ${tries}.`)
    },
    gaveUp: async (...what) => void gaveUp.push(what),
  })
  const sourceId = await add('Never read')
  await waitUntil(async () => {
    // Simulates that the time until the next attempt has passed.
    await runSql(base.databaseUrl, `update pgboss.job set start_after = now() where state = 'retry'`)
    return gaveUp.length > 0
  })
  expect(gaveUp).toEqual([['ingest-source', { sourceId }, 'The disk is full, 4.']])
  expect(tries).toBe(4)
})

test('[X4] a worker that stops returns its job, and a worker that saw the job busy takes it', async () => {
  const { promise: taken, resolve: take } = Promise.withResolvers<void>()
  const stopped = await startJobWorker({
    ...base,
    handlers: {
      ...idle,
      async 'ingest-source'(_, signal) {
        take()
        await once(signal, 'abort')
        throw signal.reason
      },
    },
  })
  const sourceId = await add('Put down and taken up')
  await taken
  // A worker remembers which keys were busy when it looked.
  const busy = `select from pgboss.queue where '${sourceId}' = any (singletons_active)`
  await waitUntil(async () => (await runSql(base.databaseUrl, busy)).length > 0)
  const readId = `select id from pgboss.job where singleton_key = '${sourceId}'`
  const takenId = await runSql(base.databaseUrl, readId)
  const done: string[] = []
  const { promise: free, resolve: setFree } = Promise.withResolvers<void>()
  await startTestWorker({
    async 'ingest-source'(job) {
      await free
      done.push(job.sourceId)
    },
  })
  await stopped.stop()
  const start = performance.now()
  const state = `select state, retry_count from pgboss.job where singleton_key = '${sourceId}'`
  await waitUntil(async () => (await runSql(base.databaseUrl, state))[0]?.['state'] === 'active')
  console.log(
    `a stopped worker's job reached another within ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  expect(await runSql(base.databaseUrl, state)).toEqual([{ state: 'active', retry_count: 0 }])
  // Late updates of the stopped worker do not change the other worker's job.
  expect(await runSql(base.databaseUrl, readId)).not.toEqual(takenId)
  setFree()
  await waitUntil(() => done.length > 0)
  expect(done).toEqual([sourceId])
})

test('[X4] the job of a killed worker reaches another worker', async () => {
  const script = fileURLToPath(new URL('./testing/stuck-worker.ts', import.meta.url))
  const child = spawn(process.execPath, [script, base.databaseUrl], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const sourceId = await add('Taken by the one that dies')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const start = performance.now()
  const done: string[] = []
  await startTestWorker({ 'ingest-source': async (job) => void done.push(job.sourceId) })
  await waitUntil(() => done.length > 0)
  console.log(
    `a killed worker's job reached another within ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  expect(done).toEqual([sourceId])
})

test('[K1] the server login can add jobs, but not take, change or delete them', async () => {
  const url = toRoleUrl(base.databaseUrl, 'parley_serving')
  for (const statement of [
    `update pgboss.job set state = 'active'`,
    'delete from pgboss.job',
    'truncate pgboss.job',
  ]) {
    await expect(runSql(url, statement)).rejects.toMatchObject({ code: '42501' })
  }
})
