import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { createThreadPool, type ThreadPool, type ThreadPoolOptions } from './thread-pool.ts'

/** A job waits at its gate, then acts as `does` says. */
interface Job {
  readonly does: string
  readonly gate: SharedArrayBuffer
}

const THREAD = `
  const { parentPort, threadId } = require('node:worker_threads')
  parentPort.on('message', ({ does, gate }) => {
    Atomics.wait(new Int32Array(gate), 0, 0)
    if (does === 'throw') throw new Error('It broke.')
    if (does === 'exit') process.exit(3)
    parentPort.postMessage(does + ' in ' + threadId)
  })
`
const { signal } = new AbortController()
const open: ThreadPool<Job, string>[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()))
})

test('[X2] one thread runs jobs in order', async () => {
  const { pool, started } = poolOf({})
  const done: string[] = []
  const run = async (does: string) =>
    done.push((await pool.run({ does, gate: openGate() }, signal)).split(' ')[0] ?? '')
  await Promise.all(['a', 'b', 'c'].map(run))
  expect(done).toEqual(['a', 'b', 'c'])
  expect(started).toHaveLength(1)
})

test('[X2] threads start only for jobs, and never more than allowed', async () => {
  const { pool, started } = poolOf({ threads: 2 })
  expect(started).toHaveLength(0)
  const gate = closedGate()
  const jobs = [1, 2, 3].map((job) => pool.run({ does: `${job}`, gate }, signal))
  expect(started).toHaveLength(2)
  letThrough(gate)
  await Promise.all(jobs)
  expect(started).toHaveLength(2)
})

test('[X2] a full queue rejects the next job, and accepts jobs again later', async () => {
  const { pool } = poolOf({ maxWaiting: 2 })
  const gate = closedGate()
  const jobs = [1, 2, 3].map((job) => pool.run({ does: `${job}`, gate }, signal))
  await expect(pool.run({ does: '4', gate }, signal)).rejects.toMatchObject({ code: 'provider_rate_limit' })
  letThrough(gate)
  await Promise.all(jobs)
  await expect(pool.run({ does: '5', gate }, signal)).resolves.toContain('5')
})

test('[X2] an abort drops waiting jobs and the results of running ones', async () => {
  const { pool, started } = poolOf({ maxWaiting: 1 })
  const gate = closedGate()
  const leaving = new AbortController()
  const running = pool.run({ does: 'running', gate }, leaving.signal)
  const waiting = pool.run({ does: 'exit', gate }, leaving.signal)
  leaving.abort(new Error('The person left.'))
  await expect(running).rejects.toThrow('The person left.')
  await expect(waiting).rejects.toThrow('The person left.')

  const next = pool.run({ does: 'next', gate }, signal)
  letThrough(gate)
  expect(await next).toContain('next')
  expect(started).toHaveLength(1)
  await expect(pool.run({ does: 'never', gate }, leaving.signal)).rejects.toThrow('The person left.')
})

test.each([
  ['throw', 'It broke.'],
  ['exit', 'It ended with code 3.'],
])('[X2] a thread that dies by %s fails only its own job and is replaced', async (does, why) => {
  const { pool, started, errors } = poolOf({})
  const fails = pool.run({ does, gate: openGate() }, signal)
  const works = pool.run({ does: 'works', gate: openGate() }, signal)
  await expect(fails).rejects.toMatchObject({
    code: 'provider_unavailable',
    message: expect.stringContaining(why),
  })
  expect(await works).toContain('works')
  expect(started).toHaveLength(2)
  expect(errors).toHaveLength(1)
})

test('[X2] a thread that takes too long is replaced', async () => {
  const { pool, started } = poolOf({ maxMilliseconds: 50 })
  await expect(pool.run({ does: 'late', gate: closedGate() }, signal)).rejects.toMatchObject({
    code: 'provider_unavailable',
  })
  expect(started).toHaveLength(1)
})

test('[X2] closing ends all threads and cancels unfinished jobs', async () => {
  const { pool, started, errors } = poolOf({})
  const gate = closedGate()
  const jobs = [1, 2].map((job) => pool.run({ does: `${job}`, gate }, signal))
  const outcomes = Promise.allSettled(jobs)
  await pool.close()
  expect(await outcomes).toMatchObject([{ reason: { code: 'cancelled' } }, { reason: { code: 'cancelled' } }])
  await expect(pool.run({ does: '3', gate }, signal)).rejects.toMatchObject({ code: 'cancelled' })
  expect(started.map(({ threadId }) => threadId)).toEqual([-1])
  expect(errors).toEqual([])
})

function poolOf(options: Partial<ThreadPoolOptions>) {
  const started: Worker[] = []
  const errors: Error[] = []
  const start = () => {
    const worker = new Worker(THREAD, { eval: true, execArgv: [] })
    started.push(worker)
    return worker
  }
  const onError = (error: Error) => void errors.push(error)
  const usual = { work: 'testing', threads: 1, maxWaiting: 8, maxMilliseconds: 60_000 }
  const pool = createThreadPool<Job, string>({ ...usual, start, onError, ...options })
  open.push(pool)
  return { pool, started, errors }
}

const closedGate = () => new SharedArrayBuffer(4)

function openGate(): SharedArrayBuffer {
  const gate = closedGate()
  letThrough(gate)
  return gate
}

function letThrough(gate: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(gate), 0, 1)
  Atomics.notify(new Int32Array(gate), 0)
}
