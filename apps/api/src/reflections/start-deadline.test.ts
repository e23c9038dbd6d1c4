import type { Channel, PersonId, Reflection, SessionId } from '@parley/contracts'
import { PlatformError } from '@parley/contracts'
import { openTransaction } from '@parley/postgres/testing'
import type { Wait } from '@parley/engine'
import { startInTime } from '@parley/reflections'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSql, waitUntil } from '../../../../adapters/postgres/src/server/testing/test-cluster.ts'
import type { Services } from '../services.ts'
import { rebuild } from '../testing/learn.ts'
import { spokenApi } from './spoken-api.fixture.ts'
import { composeReflectionSessions } from './reflection-host.ts'

let api: Awaited<ReturnType<typeof spokenApi>>
let composed: Awaited<ReturnType<typeof api.services>>
let reflection: Reflection

beforeAll(async () => {
  api = await spokenApi()
  composed = await api.services()
  const { id } = await api.reflection()
  await api.learned(id, 'essays', 'I live in Oslo. I like rowing. I work as a baker.')
  await api.call('PATCH', `/reflections/${id}`, { voice: { voiceId: 'slt', kind: 'stock' } })
  await rebuild(api.databaseUrl, id)
  const found = await composed.services.reflections.find(id)
  if (!found) throw new Error('no reflection')
  reflection = found
  // The agents are made before anything is locked.
  await start('voice', composed.services, () => new Promise(() => {})).outcome
}, 60_000)
afterAll(async () => {
  await composed.close()
  await api[Symbol.asyncDispose]()
})

let starts = 0

/** A start by this clock: its outcome and the reported session. */
function start(channel: Channel, services: Services, wait: Wait) {
  const reported: SessionId[] = []
  const errors = {
    capture: (_: unknown, about: { sessionId: SessionId }) => void reported.push(about.sessionId),
  }
  const given: Services = { ...services, errors }
  // Nobody who was here before: the titles of earlier sessions would be read from the locked table.
  starts += 1
  const personId = `per_new${starts}` as PersonId
  const request = {
    reflection,
    personId,
    role: 'owner',
    audience: 'private',
    hints: {},
    offRecord: false,
  } as const
  const reflectionSessions = composeReflectionSessions(given)
  const outcome = startInTime<unknown>(wait, (time) =>
    channel === 'text'
      ? reflectionSessions.startTyped(request, time)
      : reflectionSessions.startVoiceConversation(request, 'web', time),
  ).then(
    () => 'started',
    (failure: unknown) => (failure instanceof PlatformError ? failure.code : failure),
  )
  return { outcome, sessionId: () => reported[0] ?? ('' as SessionId) }
}

/** How many statements of the server wait for a lock and begin so. */
const waiting = async (statement = '') =>
  (
    await runSql(
      api.databaseUrl,
      `select query from pg_stat_activity where datname = current_database()
       and usename = 'parley_serving' and wait_event_type = 'Lock' and query ilike '%${statement}%'`,
    )
  ).length

const STORE = 'insert into agent_sessions'
const ACTIVATE = 'update reflection_sessions set status'

/** Twelve seconds are over when the test says so; whatever else is waited for is over with them. */
function manualDeadline() {
  const over = Promise.withResolvers<void>()
  return { wait: () => over.promise, pass: () => over.resolve() }
}

describe.each(['text', 'voice'] as const)('[V9] a start by %s with a slow database', (channel) => {
  test('is answered in time, and the statement is cancelled', async () => {
    const clock = manualDeadline()
    const lock = await openTransaction(api.databaseUrl, 'lock table agent_sessions in access exclusive mode')
    try {
      const { outcome, sessionId } = start(channel, composed.services, clock.wait)
      await waitUntil(async () => (await waiting(STORE)) > 0)
      clock.pass()
      expect(await outcome).toBe('run_timeout')
      await waitUntil(async () => (await waiting(STORE)) === 0)
      const { sessionRows } = composed.services
      await expect
        .poll(() => sessionRows.find(sessionId()))
        .toMatchObject({ status: 'failed', failure: 'run_timeout' })
      await lock.end()
      await waitUntil(async () => (await waiting()) === 0)
      await expect.poll(() => composed.services.store.find(sessionId())).toBeUndefined()
    } finally {
      await lock.end()
    }
  }, 40_000)

  test('never becomes active once its time is up', async () => {
    const clock = manualDeadline()
    const { services } = composed
    const { sessionRows } = services
    let lock = { end: async () => {} }
    const held = async () => {
      lock = await openTransaction(api.databaseUrl, 'lock table reflection_sessions in share mode')
    }
    const sessions: Services['sessionRows'] = {
      ...sessionRows,
      activateSpoken: async (...bound) => (await held(), sessionRows.activateSpoken(...bound)),
      activateTyped: async (...activated) => (await held(), sessionRows.activateTyped(...activated)),
    }
    const { outcome, sessionId } = start(channel, { ...services, sessionRows: sessions }, clock.wait)
    await waitUntil(async () => (await waiting(ACTIVATE)) > 0)
    clock.pass()
    expect(await outcome).toBe('run_timeout')
    await waitUntil(async () => (await waiting(ACTIVATE)) === 0)
    await lock.end()
    await expect
      .poll(() => sessionRows.find(sessionId()))
      .toMatchObject({ status: 'failed', failure: 'run_timeout' })
    expect((await sessionRows.find(sessionId()))?.providerConversationId).toBeUndefined()
  }, 40_000)
})

test('[V9] a provider that takes five seconds for each answer is in time', async () => {
  await api.faults({ match: 'GET /v1/convai/conversation/get*', latencyMs: 5_000 })
  const { status } = await api.call('POST', '/sessions', { channel: 'voice', reflectionId: reflection.id })
  await api.faults()
  expect(status).toBe(201)
}, 30_000)
