import { type PersonId, type ReflectionId, SessionView } from '@parley/contracts'
import { reconcileCalls, type ReflectionSession } from '@parley/reflections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toReflectionHost } from './reflection-host.ts'
import { spokenApi } from './spoken-api.fixture.ts'

type Api = Awaited<ReturnType<typeof spokenApi>>

const { signal } = new AbortController()
const DAY = 86_400_000

let api: Api
let reflectionId: ReflectionId
let operator: { readonly personId: PersonId; readonly token: string }

beforeAll(async () => {
  api = await spokenApi()
  reflectionId = (await api.reflection()).id
  operator = await api.member('operator', reflectionId)
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

/** A session with the reflection in which one thing was typed and answered. */
async function typed(ingestion: ReflectionSession['ingestion']) {
  const { personId, token } = operator
  const started = await api.call('POST', '/sessions', { channel: 'text' }, token)
  const { sessionId } = SessionView.parse(started.answer)
  await api.database.sessionRows.open({
    sessionId,
    reflectionId,
    personId,
    channel: 'text',
    mode: 'interview',
    sessionAudience: 'private',
    surface: 'standard',
    role: 'operator',
    ingestion,
    namespaces: [],
    status: 'active',
  })
  const view = async () =>
    SessionView.parse((await api.call('GET', `/sessions/${sessionId}`, undefined, token)).answer)
  await api.call('POST', `/sessions/${sessionId}/messages`, { text: 'I live in Bergen.' }, token)
  await expect.poll(async () => (await view()).openTurn).toBeUndefined()
  return { sessionId, view, end: () => api.call('POST', `/sessions/${sessionId}/end`, undefined, token) }
}

const sources = async () => {
  const { answer } = await api.call(
    'GET',
    `/reflections/${reflectionId}/sources?namespace=conversations&limit=100`,
  )
  return (answer as { readonly items: readonly unknown[] }).items.length
}
const statusOf = async ({ sessionId }: Awaited<ReturnType<typeof typed>>) =>
  (await api.database.sessionRows.find(sessionId))?.status

test.each([
  ['ingest', 1],
  ['keep-only', 0],
] as const)(
  '[V5] a typed session with %s that is ended, twice, hands in %i source',
  async (ingestion, count) => {
    const session = await typed(ingestion)
    const before = await sources()
    await Promise.all([session.end(), session.end()])
    expect(await statusOf(session)).toBe('ended')
    expect((await sources()) - before).toBe(count)
  },
)

test('[V5] a session that is silent for days ends and is learned once, whatever process finds it', async () => {
  const session = await typed('ingest')
  const before = await sources()
  const processes = await Promise.all([api.services(), api.services()])
  try {
    const look = (later: number) =>
      Promise.all(
        processes.map(({ services }) =>
          reconcileCalls(toReflectionHost(services), signal, Date.now() + later),
        ),
      )
    await look(2 * DAY)
    expect(await statusOf(session)).toBe('active')
    await look(4 * DAY)
    await look(4 * DAY)
  } finally {
    await Promise.all(processes.map(({ close }) => close()))
  }
  expect(await statusOf(session)).toBe('ended')
  expect((await session.view()).status).toBe('ended')
  expect((await sources()) - before).toBe(1)
})

test('[X4] the steps after the end of a session are repeated if their process died', async () => {
  const session = await typed('ingest')
  const before = await sources()
  await api.database.sessions.end(session.sessionId, new Date().toISOString())
  const { services, close } = await api.services()
  await reconcileCalls(toReflectionHost(services), signal, Date.now())
  await close()
  expect(await statusOf(session)).toBe('ended')
  expect((await sources()) - before).toBe(1)
})

test('[V5] a removed session is not learned from', async () => {
  const session = await typed('ingest')
  const before = await sources()
  await api.call('DELETE', `/sessions/${session.sessionId}`, undefined, operator.token)
  expect(await statusOf(session)).toBe('ended')
  expect(await sources()).toBe(before)
})
