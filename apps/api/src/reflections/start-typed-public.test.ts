import { type PersonId, PlatformError, type SessionId } from '@parley/contracts'
import { findTablesContaining } from '@parley/postgres/testing'
import { startInTime } from '@parley/reflections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ComposedServices } from '../compose.ts'
import type { Services } from '../services.ts'
import { wait as afterDelay } from '../node-host.ts'
import { composeReflectionSessions } from './reflection-host.ts'
import { typedApi } from './typed-api.fixture.ts'

let api: Awaited<ReturnType<typeof typedApi>>
let composed: ComposedServices
beforeAll(async () => {
  api = await typedApi()
  await api.tell(
    'garden',
    'Garden notes',
    'I am Ada Winter. I planted the pear tree in 1998. I live in Kent.',
  )
  await api.tell('diary', 'Diary', 'I am Ada Winter. I live on a boat called Kettlewick.')
  await api.rebuild()
  composed = await api.composed()
})
afterAll(() => api.dispose())

const change = (to: 'publish' | 'unpublish', ...namespaces: readonly string[]) =>
  api.call('POST', `/reflections/${api.reflectionId}/${to}`, { body: { namespaces } })

let visitors = 0
async function visit(services: Services = composed.services) {
  const reflection = await composed.services.reflections.find(api.reflectionId)
  if (!reflection) throw new Error('no reflection')
  visitors += 1
  const personId = `per_visitor${visitors}` as PersonId
  const guest = { personId, role: 'guest', audience: 'public', hints: { roomPrefix: 'share' } } as const
  const request = { reflection, ...guest, offRecord: false }
  return startInTime(afterDelay, (time) => composeReflectionSessions(services).startTyped(request, time))
}
const refusal = async (services?: Services) =>
  visit(services).then(
    () => 'started',
    (failure: unknown) => (failure instanceof PlatformError ? failure.code : failure),
  )
const promptOf = async (sessionId: SessionId) =>
  (await composed.services.store.find(sessionId))?.session.agentSnapshot.system_prompt ?? ''

test('[P8] a public session starts only if the artifacts match the published namespaces', async () => {
  expect(await refusal()).toBe('public_runtime_not_ready')
  await change('publish', 'garden')
  expect(await refusal()).toBe('public_runtime_stale')
  await api.rebuild()
  expect(await refusal()).toBe('started')
  await change('publish', 'diary')
  expect(await refusal()).toBe('public_runtime_stale')
  await change('unpublish', 'diary')
  expect(await refusal()).toBe('started')
})

test('[P5] a visitor’s agent knows published content only', async () => {
  const { sessionId } = await visit()
  const prompt = await promptOf(sessionId)
  expect(prompt).toContain('public')
  expect(prompt).toContain('Kent')
  expect(prompt).not.toContain('Kettlewick')
  const session = await composed.services.sessionRows.find(sessionId)
  expect(session).toMatchObject({ sessionAudience: 'public', surface: 'public', namespaces: ['garden'] })
  if (!session) return
  const { signal } = new AbortController()
  const ask = (query: string) => composed.services.retrieveForSession(session, query, signal)
  expect(JSON.stringify(await ask('Where is the pear tree?'))).toContain('1998')
  expect(JSON.stringify(await ask('What is the boat called?'))).not.toContain('Kettlewick')
})

test('[P8] a change during a start fails it and leaves only its row', async () => {
  const { services } = composed
  const opened: SessionId[] = []
  const sessions: Services['sessions'] = {
    ...services.sessions,
    start: async (opening) => {
      if (opening.id) opened.push(opening.id)
      await change('unpublish', 'garden')
      return services.sessions.start({ ...opening, title: 'Fernlight' })
    },
  }
  expect(await refusal({ ...services, sessions })).toBe('public_runtime_stale')
  expect(await findTablesContaining(api.databaseUrl, 'Fernlight')).toEqual([])
  const [sessionId = '' as SessionId] = opened
  expect(await services.sessionRows.find(sessionId)).toMatchObject({
    status: 'ended',
    failure: 'unpublished',
  })
})
