import { createHash } from 'node:crypto'
import type { CallId, SessionEvent, SessionId } from '@parley/contracts'
import {
  createAnswerScript,
  createFakeTools,
  createMemoryStores,
  createScriptedModel,
  type ModelScript,
  createTestSessions,
} from '@parley/engine/testing'
import type { ServerAudit } from '@parley/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { framesOf, testApi, tokenOf } from '../testing/test-api.ts'

const CALL = 'call/1' as CallId

const asking: ModelScript = [
  { type: 'tool_call', call: { id: CALL, name: 'send_letter', input: {} } },
  { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } },
]

const ended = ({ type }: SessionEvent) => type === 'session:turn_completed'

const codeOf = async (response: Promise<Response>) =>
  ((await (await response).json()) as { code: string }).code

const isAnswered = (event: SessionEvent) =>
  ended(event) && 'stopReason' in event && event.stopReason === 'completed'

const stuck: ModelScript = async function* () {
  yield { type: 'text', text: 'Well' }
  await new Promise(() => {})
}

async function apiWith(
  scripts: readonly ModelScript[],
  parts: Parameters<typeof testApi>[2] = {},
  given: Parameters<typeof testApi>[1] = {},
) {
  const api = await testApi(createScriptedModel(scripts), given, parts)
  onTestFinished(api.close)
  const start = async (token = tokenOf('owner')) => {
    const response = await api.call('POST', '/v1/sessions', { token, body: { channel: 'text' } })
    return ((await response.json()) as { sessionId: string }).sessionId
  }
  const say = async (sessionId: string, body: object, token = tokenOf('owner')) =>
    framesOf(
      await api.call('POST', `/v1/sessions/${sessionId}/messages`, {
        token,
        body,
        headers: { accept: 'text/event-stream' },
      }),
    )
  return { ...api, start, say }
}

test('[S2] a session is renamed, found, ended and removed; one that has ended is not resumed', async () => {
  const { call, start, say } = await apiWith([createAnswerScript('In Kyōto.')])
  const sessionId = await start()
  await say(sessionId, { text: 'Where is the temple?' })
  const at = `/v1/sessions/${sessionId}`
  expect(await (await call('PATCH', at, { body: { title: ' Journeys ' } })).json()).toMatchObject({
    title: 'Journeys',
  })
  expect(await codeOf(call('PATCH', at, { body: { title: ' ' } }))).toBe('validation')
  for (const words of ['journ', 'KYŌTO', 'temple']) {
    const found = await (await call('GET', `/v1/sessions?search=${encodeURIComponent(words)}`)).json()
    expect(found).toMatchObject({ items: [{ sessionId }] })
  }
  expect(await (await call('GET', '/v1/sessions?search=nowhere')).json()).toEqual({ items: [] })

  expect(await (await call('POST', `${at}/end`)).json()).toMatchObject({ status: 'ended' })
  expect(await codeOf(call('POST', `${at}/messages`, { body: { text: 'Hello?' } }))).toBe('session_ended')
  for (const body of [{}, { continue: true }])
    expect(await codeOf(call('POST', `${at}/resume`, { body }))).toBe('session_ended')
  expect((await call('GET', `${at}/messages`)).status).toBe(200)

  const removed = await call('DELETE', at)
  expect([removed.status, await removed.text()]).toEqual([204, ''])
  for (const path of [at, `${at}/messages`, `${at}/events`])
    expect((await call('GET', path)).status).toBe(404)
})

test('[A3] another person’s session can be neither renamed, ended, forked nor removed', async () => {
  const { call, start } = await apiWith([])
  const sessionId = await start(tokenOf('viewer'))
  const token = tokenOf('operator')
  const at = `/v1/sessions/${sessionId}`
  const answers = await Promise.all([
    call('PATCH', at, { token, body: { title: 'Mine' } }),
    call('DELETE', at, { token }),
    call('POST', `${at}/end`, { token }),
    call('POST', `${at}/fork`, { token, body: {} }),
    call('POST', `${at}/resume`, { token, body: { continue: true } }),
    call('POST', `${at}/approvals/call-1`, { token, body: { decision: 'allow' } }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
  expect((await call('GET', at, { token: tokenOf('viewer') })).status).toBe(200)
})

test('[S4] a resume ends the turn of a dead process, and continues it on request', async () => {
  const processes = createMemoryStores()
  const gone = processes.open()
  const before = createTestSessions(createScriptedModel([stuck]), { store: gone.store })
  const { id } = await before.start()
  await before.sessions.send(id, 'Tell me')
  gone.die()

  const { call } = await apiWith([createAnswerScript('Gladly.')], { store: processes.open().store })
  const at = `/v1/sessions/${id}`
  expect(await (await call('GET', at)).json()).toMatchObject({ openTurn: { state: 'interrupted' } })
  const resumed = await call('POST', `${at}/resume`, { body: {} })
  expect([resumed.status, await resumed.json()]).toEqual([
    200,
    expect.not.objectContaining({ openTurn: expect.anything() }),
  ])
  const goesOn = await call('POST', `${at}/resume`, { body: { continue: true } })
  expect([goesOn.status, await goesOn.json()]).toEqual([202, { turnId: expect.stringMatching(/^trn_/) }])
  const frames = await framesOf(await call('GET', `${at}/events`), isAnswered)
  expect(frames.filter(({ type }) => type === 'session:turn_started')).toMatchObject([
    { event: {} },
    { event: { continued: true } },
  ])
  expect(await codeOf(call('POST', `${at}/resume`, { body: { continue: true } }))).toBe('nothing_to_continue')
})

test('[S13] a call waits for a person; operators decide, once', async () => {
  const tools = createFakeTools({
    findTargetToApprove: () => 'Ada',
    run: async (_, { decision }) => ({ kind: 'ok', text: `The person said: ${decision}` }),
  })
  const { call, start, say } = await apiWith([asking, createAnswerScript('Sent.')], { tools })
  const sessionId = await start()
  const frames = await say(sessionId, { text: 'Write to Ada' })
  expect(frames.at(-1)?.event).toMatchObject({
    type: 'agent:approval_requested',
    callId: CALL,
    target: 'Ada',
  })
  const at = `/v1/sessions/${sessionId}`
  expect(await (await call('GET', at)).json()).toMatchObject({ openTurn: { state: 'waiting' } })
  expect(await codeOf(call('POST', `${at}/messages`, { body: { text: 'Hello?' } }))).toBe('session_busy')

  const decide = (token: string, decision: string) =>
    call('POST', `${at}/approvals/${encodeURIComponent(CALL)}`, { token, body: { decision } })
  expect(await codeOf(decide(tokenOf('viewer'), 'allow'))).toBe('forbidden')
  expect(await codeOf(decide(tokenOf('owner'), 'perhaps'))).toBe('validation')
  expect((await decide(tokenOf('owner'), 'allow')).status).toBe(202)
  const rest = await framesOf(await call('GET', `${at}/events`), ended)
  expect(rest.map(({ type }) => type)).toContain('agent:approval_answered')
  expect(rest.find(({ type }) => type === 'agent:tool_result')?.event).toMatchObject({
    outcome: { text: 'The person said: allow' },
  })
  expect(await codeOf(decide(tokenOf('owner'), 'refuse'))).toBe('approval_not_pending')
})

test('[S2] a fork has the past, and is a session of its own', async () => {
  const { call, start, say } = await apiWith([createAnswerScript('Noon.'), createAnswerScript('Midnight.')])
  const sessionId = await start()
  await say(sessionId, { text: 'What time is it?' })
  const agent = { id: 'other', model: 'scripted', provider: 'test', system_prompt: 'Be long.' }
  const forked = await call('POST', `/v1/sessions/${sessionId}/fork`, { body: { agent } })
  expect(forked.status).toBe(201)
  const fork = (await forked.json()) as { sessionId: string }
  expect(fork).toMatchObject({ agentSlug: 'other', messageCount: 2 })
  await say(fork.sessionId, { text: 'And there?' })
  const messages = await (await call('GET', `/v1/sessions/${fork.sessionId}/messages`)).json()
  expect(messages).toMatchObject({ items: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }, {}] })
  expect(await codeOf(call('POST', `/v1/sessions/${sessionId}/fork`, { body: { agentId: 'nobody' } }))).toBe(
    'agent_not_found',
  )
})

test.each<[string, object]>([
  ['an empty body', { body: {} }],
  ['no body', {}],
  ['no body, but its type', { headers: { 'content-type': 'application/json' } }],
])('[S2] a fork that names no agent keeps the session’s own: %s', async (_, sent) => {
  const { call, services } = await apiWith([])
  const agent = { id: 'other', model: 'scripted', provider: 'test', system_prompt: 'Be long.' }
  const started = await call('POST', '/v1/sessions', { body: { channel: 'text', agent } })
  const { sessionId } = (await started.json()) as { sessionId: SessionId }
  const forked = await call('POST', `/v1/sessions/${sessionId}/fork`, sent)
  expect(forked.status).toBe(201)
  const fork = (await forked.json()) as { sessionId: SessionId; agentSlug: string }
  expect(fork.agentSlug).toBe('other')
  const [before, after] = await Promise.all([sessionId, fork.sessionId].map((id) => services.store.find(id)))
  expect(after?.session.agentSnapshot).toEqual(before?.session.agentSnapshot)
  expect(after?.session.agentSnapshot.system_prompt).toBe('Be long.')
})

test('[S2] the body of a fork may be left out, which its description says', async () => {
  const { call } = await apiWith([])
  const { paths } = (await (await call('GET', '/v1/openapi.json')).json()) as { paths: object }
  expect(paths).toMatchObject({
    '/v1/sessions/{sessionId}/fork': {
      post: { requestBody: { required: false }, description: expect.stringContaining('keeps the agent') },
    },
  })
})

test('[S10] media go along with a message by handle, and are for those who may see the session', async () => {
  const { call, start, say } = await apiWith([createAnswerScript('Pretty.')])
  const sessionId = await start(tokenOf('viewer'))
  const bytes = Buffer.from('<script>alert(1)</script>')
  const media = [{ mediaType: 'image/svg+xml', data: bytes.toString('base64'), name: 'drawing.svg' }]
  const token = tokenOf('viewer')
  const [first] = await say(sessionId, { text: 'Look', media }, token)
  expect(first?.event).toMatchObject({
    message: {
      content: [{ type: 'text' }, { type: 'media', mediaType: 'image/svg+xml', name: 'drawing.svg' }],
    },
  })
  expect(JSON.stringify(first)).not.toContain(media[0]?.data)
  const { items } = (await (await call('GET', `/v1/sessions/${sessionId}/messages`, { token })).json()) as {
    items: { content: { handle: string }[] }[]
  }
  const hash = items[0]?.content[1]?.handle.slice('media://'.length) ?? ''
  const path = `/v1/sessions/${sessionId}/media/${hash}`
  const found = await call('GET', path, { token })
  expect(Buffer.from(await found.arrayBuffer())).toEqual(bytes)
  expect(found.headers.get('content-disposition')).toBe('attachment')
  expect((await call('GET', path, { token: tokenOf('operator') })).status).toBe(404)
  const other = `sha256-${createHash('sha256').update('other').digest('hex')}`
  expect((await call('GET', `/v1/sessions/${sessionId}/media/${other}`, { token })).status).toBe(404)
  expect((await call('GET', `/v1/sessions/${sessionId}/media/sha256-1`, { token })).status).toBe(400)
})

test('[S10] media of a message that is refused do not stay', async () => {
  const { call, start, services } = await apiWith([stuck])
  const sessionId = await start()
  const at = `/v1/sessions/${sessionId}`
  const bytes = Buffer.from('a drawing')
  const media = [{ mediaType: 'text/plain', data: bytes.toString('base64') }]
  expect((await call('POST', `${at}/messages`, { body: { text: 'Tell me' } })).status).toBe(202)
  expect(await codeOf(call('POST', `${at}/messages`, { body: { text: 'Look', media } }))).toBe('session_busy')
  const hash = services.store.toMediaHandle(bytes).slice('media://'.length)
  expect((await call('GET', `${at}/media/${hash}`)).status).toBe(404)
})

test('[S13] [A5] what waits for a person is listed for those who may decide, and gone once it is decided, which is on record', async () => {
  const tools = createFakeTools({
    findTargetToApprove: () => 'Ada',
    run: async () => ({ kind: 'ok', text: 'Sent.' }),
  })
  const recorded: unknown[] = []
  const audit: ServerAudit = {
    record: async (...entry) => void recorded.push(entry),
    read: async () => ({ items: [] }),
  }
  const { call, start, say } = await apiWith([asking, createAnswerScript('Sent.')], { tools }, { audit })
  const approvals = async (token = tokenOf('owner')) =>
    (await (await call('GET', '/v1/approvals', { token })).json()) as { items: readonly object[] }
  expect(await approvals()).toEqual({ items: [] })
  const sessionId = await start(tokenOf('operator'))
  await say(sessionId, { text: 'Write to Ada' }, tokenOf('operator'))
  const waiting = { sessionId, callId: CALL, tool: 'send_letter', target: 'Ada', title: 'Write to Ada' }
  expect(await approvals(tokenOf('operator'))).toMatchObject({ items: [waiting] })
  expect(await approvals(tokenOf('admin'))).toMatchObject({ items: [waiting] })
  expect(await codeOf(call('GET', '/v1/approvals', { token: tokenOf('viewer') }))).toBe('forbidden')
  const listed = await call('GET', '/v1/sessions?turn=waiting&whose=all', { token: tokenOf('admin') })
  expect(await listed.json()).toMatchObject({ items: [{ sessionId }] })

  await call('POST', `/v1/sessions/${sessionId}/approvals/${encodeURIComponent(CALL)}`, {
    body: { decision: 'allow' },
  })
  await framesOf(await call('GET', `/v1/sessions/${sessionId}/events`), isAnswered)
  expect(recorded).toEqual([['per_ownerowner', 'call_approved', `${sessionId} ${CALL}`, undefined]])
  expect(await approvals(tokenOf('operator'))).toEqual({ items: [] })
  const turns = await call('GET', `/v1/sessions/${sessionId}/turns`, { token: tokenOf('operator') })
  expect(await turns.json()).toMatchObject({
    items: [{ question: 1, stopReason: 'completed', calls: [{ callId: CALL, verdict: 'allowed' }] }],
  })
})

test('a list follows its filters, and shows others’ sessions to admins only', async () => {
  const { call, start } = await apiWith([])
  const theirs = await start(tokenOf('viewer'))
  const mine = await start()
  const over = await start()
  await call('POST', `/v1/sessions/${over}/end`)
  const found = async (query: string, token = tokenOf('owner')) => {
    const page = (await (await call('GET', `/v1/sessions?${query}`, { token })).json()) as {
      items: readonly { sessionId: string }[]
    }
    return page.items.map(({ sessionId }) => sessionId).toSorted()
  }
  expect(await found('')).toEqual([mine, over].toSorted())
  expect(await found('whose=all')).toEqual([theirs, mine, over].toSorted())
  expect(await found('whose=all&status=active')).toEqual([theirs, mine].toSorted())
  expect(await found('status=ended&channel=text')).toEqual([over])
  expect(await found('channel=voice')).toEqual([])
  expect(await found('reflectionId=rfl_none')).toEqual([])
  expect(await codeOf(call('GET', '/v1/sessions?whose=all', { token: tokenOf('operator') }))).toBe(
    'forbidden',
  )
  for (const wrong of ['status=open', 'channel=smoke', 'turn=running', 'whose=ours', 'reflectionId=ada'])
    expect([wrong, await codeOf(call('GET', `/v1/sessions?${wrong}`))]).toEqual([wrong, 'validation'])
})
