import { Fact, SessionView, Source, StartedSession } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { learn } from '../testing/learn.ts'
import { answerIn, resultsIn, typedApi } from './typed-api.fixture.ts'

let api: Awaited<ReturnType<typeof typedApi>>
beforeAll(async () => {
  api = await typedApi()
  await api.tell(
    'garden',
    'Garden notes',
    'I am Ada Winter. I planted the pear tree in 1998. I live in Kent.',
  )
  await api.tell('diary', 'Diary', 'I am Ada Winter. My secret boat is called Kettlewick.')
  await api.rebuild()
})
afterAll(() => api.dispose())

test('[X2] the owner asks offline and gets the evidence with its source', async () => {
  const events = await api.say(await api.started(), 'When was the pear tree planted?')
  expect(events.map(({ type }) => type)).toContain('agent:tool_call')
  expect(answerIn(events)).toMatch(/pear tree in 1998\. That is from Garden notes\./)
  expect(resultsIn(events)[0]?.text).toMatch(/^\[data \w+ from the sources of this reflection/)
})

test('[X2] a question that no source answers gets no answer', async () => {
  const events = await api.say(await api.started(), 'What is the capital of Peru?')
  expect(answerIn(events)).toContain('I find nothing about that in my sources.')
})

test('[P3] the session is read, listed and ended like any other', async () => {
  const sessionId = await api.started({ title: 'Pears' }, api.viewer)
  await api.say(sessionId, 'When was the pear tree planted?', api.viewer)
  const { answer } = await api.call('GET', `/sessions/${sessionId}`, { token: api.viewer })
  expect(SessionView.parse(answer)).toMatchObject({ title: 'Pears', channel: 'text', provider: 'offline' })
  const ended = await api.call('POST', `/sessions/${sessionId}/end`, { token: api.viewer })
  expect(SessionView.parse(ended.answer).status).toBe('ended')
  const after = await api.call('POST', `/sessions/${sessionId}/messages`, {
    token: api.viewer,
    body: { text: 'And now?' },
  })
  expect(after.problem?.code).toBe('session_ended')
})

test('[A3] neither the session nor an event shows the prompt or a path of the server', async () => {
  const sessionId = await api.started({}, api.viewer)
  await api.say(sessionId, 'When was the pear tree planted?', api.viewer)
  const view = await api.read(`/sessions/${sessionId}`, api.viewer)
  const messages = await api.read(`/sessions/${sessionId}/messages`, api.viewer)
  const told = [view.text, messages.text, JSON.stringify(await api.say(sessionId, 'Hello!', api.viewer))]
  for (const text of told) {
    expect(text).not.toMatch(/\[policy|end of policy|bind_sig|Kettlewick/)
    expect(text).not.toContain('workspace')
  }
})

const INGEST = 'Please request a source ingest: the pear tree is blue.'

test('[V2] an operator’s source waits for approval', async () => {
  const events = await api.say(await api.started({}, api.operator), INGEST, api.operator)
  expect(resultsIn(events)).toEqual([{ kind: 'ok', text: expect.stringMatching(/^Submitted as src_\w+\./) }])
})

test('[V2] a viewer’s agent cannot add a source, even if the model requests it', async () => {
  const before = await api.read(`/reflections/${api.reflectionId}/sources`)
  const events = await api.say(await api.started({}, api.viewer), INGEST, api.viewer)
  expect(events.filter(({ type }) => type === 'agent:tool_call')).not.toContainEqual(
    expect.objectContaining({ call: expect.objectContaining({ name: 'request-source-ingest' }) }),
  )
  expect(await api.read(`/reflections/${api.reflectionId}/sources`)).toEqual(before)
})

test('[V4] a member who was demoted during the session is refused at the call', async () => {
  const { reflectionId } = api
  const member = await api.person('operator', { reflectionId })
  const sessionId = await api.started({}, member.token)
  const demoted = { personId: member.personId, role: 'viewer' }
  const { status } = await api.call('PUT', `/reflections/${reflectionId}/members`, { body: demoted })
  expect(status).toBeLessThan(300)
  const before = await api.read(`/reflections/${api.reflectionId}/sources`)
  const events = await api.say(sessionId, INGEST, member.token)
  expect(resultsIn(events)).toMatchObject([{ kind: 'failed', code: 'tool_denied' }])
  expect(answerIn(events)).toBe('I am not allowed to do that here.')
  expect(await api.read(`/reflections/${api.reflectionId}/sources`)).toEqual(before)
})

test.each<[string, object, string]>([
  ['an agent by name', { agentId: 'offline' }, 'leave out agentId, or leave out reflectionId'],
  ['tools', { tools: [] }, 'leave out tools'],
])('refuses %s together with a reflection, with a fix', async (_, body, expected) => {
  const { status, problem } = await api.start(body)
  expect(status).toBe(400)
  expect(problem?.detail).toContain(expected)
})

test('[S5] a session with a reflection takes only the variables of a context, and has no folder', async () => {
  const variables = { theme: 'pears' }
  const context = { workingDir: '/etc', fsScopeTier: 'full', activeFile: '/etc/passwd', variables }
  const sessionId = await api.started({ context }, api.viewer)
  const { answer } = await api.call('GET', `/sessions/${sessionId}`, { token: api.viewer })
  const { context: kept } = SessionView.parse(answer)
  expect(kept).toEqual({ workingDir: '.', fsScopeTier: 'sandboxed', variables })
})

test('fields of a reflection are refused without one, except offRecord', async () => {
  const { problem } = await api.call('POST', '/sessions', { body: { mode: 'onboarding' } })
  expect(problem?.detail).toBe('mode is for a session with a reflection: name one by reflectionId.')
  const { status } = await api.call('POST', '/sessions', { body: { offRecord: false } })
  expect(status).toBe(201)
})

test('a person who is no member gets nothing of a reflection', async () => {
  const stranger = await api.person('operator')
  expect((await api.start({}, stranger.token)).problem?.code).toBe('reflection_not_found')
})

test('[V6] without promoted artifacts a generic agent answers in private, under the policy, and the response says so', async () => {
  const { id: reflectionId } = await api.reflection('Newly Made')
  const { answer } = await api.start({ reflectionId })
  const { sessionId, warnings, firstMessage } = StartedSession.parse(answer)
  expect(warnings).toEqual([
    { code: 'agent_generic', message: expect.stringContaining('no artifacts are promoted') },
  ])
  expect(firstMessage).toContain('the reflection of Newly Made')
  expect(answerIn(await api.say(sessionId, 'Where do you live?'))).not.toBe('')
  const { text } = await api.read(`/sessions/${sessionId}/export`)
  expect(text).toMatch(/\[policy [0-9a-f]+\][^]*\[end of policy[^]*the reflection of Newly Made/)
})

test('[A3] an export for a role below admin omits only the agent', async () => {
  const sessionId = await api.started({ title: 'Export' }, api.viewer)
  await api.say(sessionId, 'When was the pear tree planted?', api.viewer)
  const theirs = await api.read(`/sessions/${sessionId}/export`, api.viewer)
  const owners = await api.read(`/sessions/${sessionId}/export`)
  expect([theirs.status, owners.status]).toEqual([200, 200])
  expect(owners.text).toContain('[end of policy')
  expect(theirs.text).not.toMatch(/\[policy|system_prompt|agents:/)
  const lines = new Set(owners.text.split('\n'))
  expect(theirs.text.split('\n').filter((line) => !lines.has(line))).toEqual([])
  expect(theirs.text).toContain('When was the pear tree planted?')
})

test('[A3] an admin of the reflection exports the complete session', async () => {
  const sessionId = await api.started({}, api.admin)
  await api.say(sessionId, 'Hello!', api.admin)
  expect((await api.read(`/sessions/${sessionId}/export`, api.admin)).text).toContain('[end of policy')
})

test('[A3] a fork does not contain the prompt', async () => {
  const sessionId = await api.started({}, api.viewer)
  await api.say(sessionId, 'Hello!', api.viewer)
  const fork = (body: object) => api.call('POST', `/sessions/${sessionId}/fork`, { token: api.viewer, body })
  expect((await fork({})).problem?.detail).toContain('made for one session')
  const forked = SessionView.parse((await fork({ agentId: 'offline' })).answer).sessionId
  expect((await api.read(`/sessions/${forked}/export`, api.viewer)).text).not.toContain('[policy')
})

const interviewed = async (...answers: readonly string[]) => {
  const sessionId = await api.started({ agentType: 'interviewer' })
  const said: string[] = []
  for (const answer of answers) said.push(answerIn(await api.say(sessionId, answer)))
  return { sessionId, said }
}
const LONG = 'That is a long story, of which I will tell you a good part now, since you ask.'

test('[V1] an interview asks one open question at a time', async () => {
  const { said } = await interviewed('Hello!', LONG, LONG)
  expect(said.map((text) => text.match(/[^.?]+\?/)?.[0].trim())).toEqual([
    'What do you do, and how did you come to it?',
    'Where did you grow up, and what was it like there?',
    'Who are the people closest to you?',
  ])
  expect(said.join(' ')).not.toContain('Where do you live now')
})

test('[V7] the next interview does not repeat a question whose answer waits for approval', async () => {
  const { id: reflectionId } = await api.reflection('Asked Twice')
  const first = await api.started({ reflectionId, mode: 'onboarding' })
  expect(answerIn(await api.say(first, 'Hello!'))).toContain('What do you do, and how')
  expect(answerIn(await api.say(first, LONG))).toContain('Where did you grow up')
  expect(answerIn(await api.say(first, 'Can we stop?'))).toMatch(/^Thank you .*Goodbye\.$/)
  await api.call('POST', `/sessions/${first}/end`)

  const { answer } = await api.start({ reflectionId, mode: 'onboarding' })
  const { sessionId, firstMessage } = StartedSession.parse(answer)
  expect(firstMessage).toContain('get to know Asked Twice better')
  const asked = answerIn(await api.say(sessionId, 'Hello!'))
  expect(asked).not.toContain('What do you do')
  expect(asked).toContain('Where did you grow up')
})

test('[V7] an unanswered question is asked again, however many interviews asked it', async () => {
  const { id: reflectionId } = await api.reflection('Never Answering')
  const hello = async () => {
    const sessionId = await api.started({ reflectionId, mode: 'onboarding' })
    return answerIn(await api.say(sessionId, 'Hello!'))
  }
  const first = await hello()
  expect(first).toContain('What do you do, and how')
  expect([await hello(), await hello()]).toEqual([first, first])
})

test('[V5] the words of an interview become a source when it ends', async () => {
  const { sessionId } = await interviewed(
    'Hello!',
    'I am a gardener, as my aunt Fernlight was before me in Kent.',
  )
  await api.call('POST', `/sessions/${sessionId}/end`)
  const { answer } = await api.call('GET', `/reflections/${api.reflectionId}/sources?limit=1`)
  expect(answer).toMatchObject({ items: [{ namespace: 'conversations' }] })
})

test.each<[string, () => string, string, string, readonly string[]]>([
  [
    'the owner, of themself by name',
    () => api.ownerToken,
    'Ada Winter',
    'Ada Winter lives in Vadso.',
    ['Ada Winter lives in Vadso.'],
  ],
  [
    'the owner, in the first person',
    () => api.ownerToken,
    'Ada Winter',
    'I live in Bodo.',
    ['Ada Winter lives in Bodo.'],
  ],
  [
    'the owner of The Lighthouse',
    () => api.ownerToken,
    'The Lighthouse',
    'I live in Tromso.',
    ['Ada Winter lives in Tromso.'],
  ],
  ['an operator, of themself', () => api.operator, 'Ada Winter', 'I live in Narvik.', []],
])('[V5] what is learned from a session: %s', async (_, token, displayName, said, expected) => {
  const body = { displayName, creatorName: 'Ada Winter' }
  await api.call('PATCH', `/reflections/${api.reflectionId}`, { body })
  const sessionId = await api.started({}, token())
  // The agent says where Ada lives, too: those are not the person's words.
  await api.say(sessionId, 'Where do you live?', token())
  await api.say(sessionId, said, token())
  await api.call('POST', `/sessions/${sessionId}/end`, { token: token() })
  const listed = await api.call('GET', `/reflections/${api.reflectionId}/sources?limit=1`)
  const [source] = z.object({ items: z.array(Source) }).parse(listed.answer).items
  expect(source?.namespace).toBe('conversations')
  if (source) await learn(api.databaseUrl, source.id)
  const { answer } = await api.call(
    'GET',
    `/reflections/${api.reflectionId}/facts?sourceId=${source?.id}&state=candidate`,
  )
  const facts = z.object({ items: z.array(Fact) }).parse(answer).items
  expect(facts.map(({ statement }) => statement)).toEqual(expected)
})

test.each<[string, () => Promise<Awaited<ReturnType<typeof api.start>>>, string]>([
  ['a viewer', () => api.start({ agentType: 'interviewer' }, api.viewer), 'forbidden'],
  [
    'who wants it off the record',
    () => api.start({ agentType: 'interviewer', offRecord: true }),
    'interview_requires_ingestion',
  ],
])('[V5] no interview for %s', async (_, start, code) => {
  expect((await start()).problem?.code).toBe(code)
})

test('[V1] an empty reflection can be interviewed', async () => {
  const { id: reflectionId } = await api.reflection('Newer')
  const sessionId = await api.started({ reflectionId, mode: 'onboarding' })
  expect(answerIn(await api.say(sessionId, 'Hello!'))).toContain('What do you do')
})
