import { AuditPage, Problem, SessionPage, SessionView, Source } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { findTablesContaining } from '@parley/postgres/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { typedApi } from '../reflections/typed-api.fixture.ts'

let api: Awaited<ReturnType<typeof typedApi>>
const tokens = new Map<Who, string>()

beforeAll(async () => {
  api = await typedApi()
  await api.tell('diary', 'A diary', 'Ada Winter works as a gardener in Umbrellafactory.')
  await api.rebuild()
  const other = await api.reflection('Grace Example')
  tokens.set('its person', api.operator)
  tokens.set('an admin of it', api.admin)
  tokens.set('a viewer of it', api.viewer)
  tokens.set('the server’s owner', api.ownerToken)
  const admin = await api.person('admin')
  await api.call('PUT', `/reflections/${other.id}/members`, {
    body: { personId: admin.personId, role: 'admin' },
  })
  tokens.set('an admin of another', admin.token)
  tokens.set('an admin of none', (await api.person('admin')).token)
}, 60_000)
afterAll(() => api.dispose())

type Who =
  | 'its person'
  | 'an admin of it'
  | 'a viewer of it'
  | 'the server’s owner'
  | 'an admin of another'
  | 'an admin of none'

/** The error code of a request; undefined if it succeeds. */
async function codeOf(
  method: string,
  path: string,
  token: string,
  body?: object,
): Promise<string | undefined> {
  const abort = new AbortController()
  const response = await fetch(`${api.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: abort.signal,
  })
  const code = response.ok ? undefined : Problem.parse(await response.json()).code
  abort.abort()
  return code
}

const GONE = 'session_not_found'
const ALL: readonly Who[] = [
  'its person',
  'an admin of it',
  'a viewer of it',
  'the server’s owner',
  'an admin of another',
  'an admin of none',
]
const ADMINS: readonly Who[] = ['its person', 'an admin of it', 'the server’s owner']
const ALONE: readonly Who[] = ['its person']

describe('[A3] a private session with a reflection', () => {
  const ROUTES: readonly [string, string, object | undefined, readonly Who[]][] = [
    ['GET', '', undefined, ADMINS],
    ['GET', '/messages', undefined, ADMINS],
    ['GET', '/events', undefined, ADMINS],
    ['GET', '/export', undefined, ADMINS],
    ['POST', '/export', {}, ADMINS],
    ['PATCH', '', { title: 'A title' }, ALONE],
    ['POST', '/messages', { text: 'What do you do?' }, ALONE],
    ['POST', '/cancel', {}, ALONE],
    ['POST', '/resume', {}, ALONE],
    ['POST', '/reconnect', {}, ALONE],
    ['POST', '/fork', {}, ALONE],
    ['POST', '/compact', {}, ALONE],
    ['POST', '/trim', { keep: 10 }, ALONE],
    ['POST', '/approvals/call_1', { decision: 'refuse' }, ALONE],
    ['POST', '/end', {}, ADMINS],
    ['DELETE', '', undefined, ADMINS],
  ]
  test.each(ROUTES)('%s /sessions/ID%s', async (method, path, body, letIn) => {
    for (const who of ALL) {
      const sessionId = await api.started({}, api.operator)
      const code = await codeOf(method, `/sessions/${sessionId}${path}`, tokens.get(who) ?? '', body)
      // Members are viewers of the server, who approve nothing: the table of routes stops them before.
      const isStopped = code === 'forbidden' && path.startsWith('/approvals')
      expect([who, code === GONE || isStopped]).toEqual([who, isStopped || !letIn.includes(who)])
    }
  })

  test('[A3] readers see whether they may write, in the session and in the list', async () => {
    const sessionId = await api.started({}, api.operator)
    const told = async (who: Who, whose: string) => {
      const token = tokens.get(who) ?? ''
      const one = SessionView.parse((await api.call('GET', `/sessions/${sessionId}`, { token })).answer)
      const listed = SessionPage.parse((await api.call('GET', `/sessions?whose=${whose}`, { token })).answer)
      return [one.mayWrite, listed.items.find((item) => item.sessionId === sessionId)?.mayWrite]
    }
    expect(await told('its person', 'own')).toEqual([true, true])
    expect(await told('an admin of it', 'all')).toEqual([false, false])
  })

  test('[A1] an off-record session does not exist for people who may not read it', async () => {
    const sessionId = await api.started({ offRecord: true }, api.operator)
    const exported = (who: Who) => codeOf('GET', `/sessions/${sessionId}/export`, tokens.get(who) ?? '')
    expect(await exported('its person')).toBe('off_record')
    expect(await exported('an admin of it')).toBe(GONE)
    expect(await exported('an admin of another')).toBe(GONE)
  })
})

/** What takes a person out of a reflection, or lowers them. */
const CHANGES = {
  'nothing happened': async () => {},
  'they were let out': async ({ personId }: Person) =>
    api.call('DELETE', `/reflections/${api.reflectionId}/members/${personId}`),
  'they are a viewer now': async ({ personId }: Person) =>
    api.call('PUT', `/reflections/${api.reflectionId}/members`, { body: { personId, role: 'viewer' } }),
  'their token was revoked': async ({ tokenId }: Person) => api.call('DELETE', `/tokens/${tokenId}`),
}
type Person = Awaited<ReturnType<typeof api.person>>

const forkOf = async (sessionId: string, token: string) =>
  SessionView.parse(
    (await api.call('POST', `/sessions/${sessionId}/fork`, { token, body: { agentId: 'offline' } })).answer,
  ).sessionId

const conversations = async () => {
  const { answer } = await api.call(
    'GET',
    `/reflections/${api.reflectionId}/sources?namespace=conversations&limit=100`,
  )
  return Source.array().parse((answer as { readonly items: unknown }).items).length
}

describe('[V5] what is learned from an ended interview', () => {
  test.each<[keyof typeof CHANGES, number]>([
    ['nothing happened', 1],
    ['they were let out', 0],
    ['they are a viewer now', 0],
    ['their token was revoked', 0],
  ])('if %s: %i source', async (change, count) => {
    const person = await api.person('operator', { reflectionId: api.reflectionId })
    const sessionId = await api.started({ agentType: 'interviewer' }, person.token)
    await api.say(sessionId, 'I was born in Madrid.', person.token)
    const before = await conversations()
    await CHANGES[change](person)
    expect((await api.call('POST', `/sessions/${sessionId}/end`, { body: {} })).status).toBe(200)
    expect((await conversations()) - before).toBe(count)
  })
})

test('[A3] [V5] a former member can neither continue nor stream, and may still remove their session', async () => {
  const person = await api.person('operator', { reflectionId: api.reflectionId })
  const sessionId = await api.started({}, person.token)
  const at = `/sessions/${sessionId}`
  const listening = await fetch(`${api.url}/v1${at}/events`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  const forked = await forkOf(sessionId, person.token)
  expect(await codeOf('GET', `/sessions/${forked}/messages`, person.token)).toBeUndefined()
  expect(await codeOf('GET', `/sessions/${forked}`, tokens.get('an admin of none') ?? '')).toBe(GONE)
  await CHANGES['they were let out'](person)
  expect(await codeOf('GET', `/sessions/${forked}/messages`, person.token)).toBe(GONE)
  expect(await codeOf('POST', `${at}/messages`, person.token, { text: 'And now?' })).toBe(GONE)
  expect(await codeOf('POST', `${at}/resume`, person.token, { continue: true })).toBe(GONE)
  expect(await codeOf('GET', `${at}/messages`, person.token)).toBe(GONE)
  // It ends by itself.
  expect(await listening.text()).toContain('session:started')
  expect(await codeOf('DELETE', at, person.token)).toBeUndefined()
})

test('[A5] exports and removals of sessions are in the reflection’s audit log', async () => {
  const sessionId = await api.started({}, api.operator)
  expect(await codeOf('GET', `/sessions/${sessionId}/export`, api.admin)).toBeUndefined()
  expect(await codeOf('DELETE', `/sessions/${sessionId}`, api.operator)).toBeUndefined()
  const { answer } = await api.call('GET', `/reflections/${api.reflectionId}/audit?limit=2`)
  expect(AuditPage.parse(answer).items).toMatchObject([
    { what: 'session_removed', target: sessionId },
    { what: 'session_exported', target: sessionId },
  ])
})

test('[X5] removing a reflection removes its sessions with all their words', async () => {
  const kept = await api.started({}, api.operator)
  const hidden = await api.started({ offRecord: true }, api.operator)
  await api.say(kept, 'Do you know the word Quillfeather?', api.operator)
  const forked = await forkOf(kept, api.operator)
  const said = await api.read(`/sessions/${forked}/messages`, api.operator)
  expect(said.text).toContain('Quillfeather')
  const ofSessions = async (word: string) =>
    (await findTablesContaining(api.databaseUrl, word)).filter((table) => /session|media/.test(table))
  expect(await ofSessions('Quillfeather')).toContain('public.session_messages')
  expect(await ofSessions('Umbrellafactory')).toContain('public.agent_sessions')

  expect(await codeOf('DELETE', `/reflections/${api.reflectionId}`, api.ownerToken)).toBeUndefined()
  expect(await ofSessions('Quillfeather')).toEqual([])
  expect(await ofSessions('Umbrellafactory')).toEqual([])
  const refused = async () => {
    for (const sessionId of [kept, forked, hidden]) {
      expect(await codeOf('GET', `/sessions/${sessionId}`, api.operator)).toBe(GONE)
      expect(await codeOf('GET', `/sessions/${sessionId}`, api.ownerToken)).toBe(GONE)
      expect(await codeOf('POST', `/sessions/${sessionId}/messages`, api.operator, { text: 'Hm?' })).toBe(
        GONE,
      )
    }
  }
  await refused()

  const learning = openLearning({ databaseUrl: api.databaseUrl })
  await learning.learning.eraseReflection(api.reflectionId)
  await learning.close()
  await refused()
  expect(await findTablesContaining(api.databaseUrl, 'Quillfeather')).toEqual([])
})
