import { createHmac } from 'node:crypto'
import { type PersonId, PlatformError, type ReflectionId, SourceId } from '@parley/contracts'
import { reconcileCalls } from '@parley/reflections'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../app.ts'
import { listen } from '../listen.ts'
import { learn } from '../testing/learn.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'
import { spokenApi, WEBHOOK_SECRET } from '../reflections/spoken-api.fixture.ts'

type Api = Awaited<ReturnType<typeof spokenApi>>

let api: Api
let reflectionId: ReflectionId
let operator: { readonly personId: PersonId; readonly token: string }

beforeAll(async () => {
  api = await spokenApi()
  reflectionId = (await api.reflection()).id
  operator = await api.member('operator', reflectionId)
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

const TALK = [
  { role: 'agent', message: 'Hello.', time_in_call_secs: 0 },
  { role: 'user', message: 'Where did you live?', time_in_call_secs: 2 },
  {
    role: 'agent',
    message: 'In Ankara, and...',
    original_message: 'In Ankara, and before that in a place that nobody heard of.',
    time_in_call_secs: 5,
    interrupted: true,
    tool_calls: [
      { request_id: 'call_1', tool_name: 'retrieve-context', params_as_json: '{"query":"homes"}' },
    ],
    tool_results: [{ request_id: 'call_1', tool_name: 'retrieve-context', result_value: '{"evidence":[]}' }],
  },
]

const bodyOf = (conversationId: string, transcript: unknown = TALK, status = 'done') =>
  JSON.stringify({
    type: 'post_call_transcription',
    event_timestamp: Math.floor(Date.now() / 1_000),
    data: {
      agent_id: 'agent_made_up',
      conversation_id: conversationId,
      status,
      transcript,
      metadata: { start_time_unix_secs: 1_767_268_800, call_duration_secs: 31 },
    },
  })

const headerOf = (body: string, at = Date.now(), secret = WEBHOOK_SECRET) => {
  const timestamp = Math.floor(at / 1_000)
  const hash = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return `t=${timestamp},v0=${hash}`
}

const tell = (body: string, header: string | undefined = headerOf(body)) =>
  api.send('POST', '/webhooks/elevenlabs', body, {
    'content-type': 'application/json',
    ...(header !== '' && { 'elevenlabs-signature': header }),
  })

const spoken = (name: string, more: Partial<Parameters<Api['spoken']>[0]> = {}) =>
  api.spoken({ name, reflectionId, personId: operator.personId, ...more })

const messagesOf = async (sessionId: string) => {
  const { answer } = await api.call('GET', `/sessions/${sessionId}/messages`, undefined, operator.token)
  return (answer as { readonly items: readonly { readonly role: string; readonly content: unknown }[] }).items
}

const sourcesOf = async (title: string) => {
  const { answer } = await api.call(
    'GET',
    `/reflections/${reflectionId}/sources?namespace=conversations&limit=100`,
  )
  const { items } = answer as { readonly items: readonly { readonly id: string; readonly title: string }[] }
  return items.filter((item) => item.title.startsWith(title))
}

test('[V16] a call becomes the session’s messages: the heard words, and the tools with their results', async () => {
  const session = await spoken('heard')
  expect(await tell(bodyOf(session.providerConversationId))).toMatchObject({ status: 200 })
  expect(await messagesOf(session.sessionId)).toMatchObject([
    { role: 'assistant', sequenceNumber: 1, content: [{ type: 'text', text: 'Hello.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Where did you live?' }] },
    { role: 'assistant', content: [{ type: 'tool_call', call: { name: 'retrieve-context' } }] },
    { role: 'tool', content: [{ type: 'tool_result', outcome: { kind: 'ok' } }] },
    { role: 'assistant', cutShort: 'cancelled', content: [{ type: 'text', text: 'In Ankara, and...' }] },
  ])
  expect(await api.call('GET', `/sessions/${session.sessionId}`, undefined, operator.token)).toMatchObject({
    answer: { channel: 'voice', messageCount: 5, title: 'Where did you live?' },
  })
})

test('[V16] a webhook is stored once, however often and in whatever order it arrives', async () => {
  await api.call('PATCH', `/reflections/${reflectionId}`, { shareIngestion: true })
  const session = await spoken('often', { ingestion: 'ingest', mode: 'share' })
  const bodies = [bodyOf(session.providerConversationId), bodyOf(session.providerConversationId, [TALK[1]])]
  const answers = await Promise.all(
    [0, 1_000, 2_000, 3_000].flatMap((ago) =>
      bodies.map((body) => tell(body, headerOf(body, Date.now() - ago))),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const stored = (await messagesOf(session.sessionId)).length
  expect([1, 5]).toContain(stored)
  expect(await sourcesOf('Shared conversation')).toHaveLength(1)
  await tell(bodyOf(session.providerConversationId))
  expect(await messagesOf(session.sessionId)).toHaveLength(stored)
})

describe('[V16] a forged or outdated webhook is refused and changes nothing', () => {
  test.each<[string, (body: string) => string]>([
    ['no signature', () => ''],
    ['a wrong one', (body) => headerOf(body, Date.now(), 'wsec_made_up_and_wrong')],
    ['one of another body', () => headerOf('{}')],
    ['a truncated one', (body) => headerOf(body).slice(0, -1)],
    ['an old one', (body) => headerOf(body, Date.now() - 31 * 60_000)],
    ['one of tomorrow', (body) => headerOf(body, Date.now() + 86_400_000)],
  ])('%s', async (what, header) => {
    const session = await spoken(`refused${what.replaceAll(/\W/g, '')}`)
    const body = bodyOf(session.providerConversationId)
    expect(await tell(body, header(body))).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect(await messagesOf(session.sessionId)).toEqual([])
  })
})

test('[V16] an unknown webhook is acknowledged, logged and not recorded, so it can be sent again', async () => {
  const session = await spoken('misread')
  const { transcript: _, ...rest } = JSON.parse(bodyOf(session.providerConversationId)).data as Record<
    string,
    unknown
  >
  const body = JSON.stringify({ type: 'post_call_transcription', data: rest })
  const header = headerOf(body)
  expect(await tell(body, header)).toMatchObject({ status: 200 })
  expect(api.logged.join('\n')).toContain('a webhook was not understood')
  const [, time = '', hash = ''] = /^t=(\d+),v0=(\w+)$/.exec(header) ?? []
  expect(await api.database.sessionRows.isEventTaken(`elevenlabs:${time}:${hash}`)).toBe(false)
  const { conversation_id, agent_id } = rest
  const bare = JSON.stringify({
    type: 'post_call_transcription',
    data: { conversation_id, agent_id, transcript: TALK },
  })
  expect(await tell(bare)).toMatchObject({ status: 200 })
  expect(await messagesOf(session.sessionId)).toHaveLength(5)
})

test('[V16] a foreign call is acknowledged and dropped, and not logged', async () => {
  const session = await spoken('ours')
  const canary = 'quibblesnatch'
  const stranger = bodyOf('conv_of_somebody', [
    { role: 'user', message: `${canary} ${session.sessionId}`, time_in_call_secs: 1 },
  ])
  expect(await tell(stranger)).toMatchObject({ status: 200 })
  expect(await messagesOf(session.sessionId)).toEqual([])
  expect(api.logged.join('\n')).not.toContain(canary)
})

test('[V9] [V16] a lost call is stored, even if its session has a newer call', async () => {
  const session = await spoken('reconnected')
  await api.database.sessionRows.activateSpoken(session.sessionId, {
    providerConversationId: 'conv_taken_up',
    agentId: 'agent_made_up',
  })
  await tell(bodyOf(session.providerConversationId, [TALK[0], TALK[1]]))
  await tell(bodyOf('conv_taken_up', [{ role: 'user', message: 'Here I am again.', time_in_call_secs: 1 }]))
  expect(JSON.stringify(await messagesOf(session.sessionId))).toMatch(/Where did you live.*Here I am again/)
})

test('[V16] calls are stored in their order, even if the second webhook comes first and repeatedly', async () => {
  const session = await spoken('overtaken')
  await api.database.sessionRows.activateSpoken(session.sessionId, {
    providerConversationId: 'conv_overtaking',
    agentId: 'agent_made_up',
  })
  const second = bodyOf('conv_overtaking', [{ role: 'user', message: 'Here I am again.' }])
  for (const body of [second, bodyOf('conv_overtaking', [TALK[0]])]) await tell(body)
  expect(await messagesOf(session.sessionId)).toEqual([])
  await tell(bodyOf(session.providerConversationId, [TALK[0], TALK[1]]))
  await tell(second)
  const told = await messagesOf(session.sessionId)
  expect(told).toHaveLength(3)
  expect(JSON.stringify(told)).toMatch(/Where did you live.*Here I am again/)
})

test('[V16] a call that waits for an unconnected one is stored when the job gives that one up', async () => {
  const session = await spoken('unmetfirst')
  await api.database.sessionRows.activateSpoken(session.sessionId, {
    providerConversationId: 'conv_met_second',
    agentId: 'agent_made_up',
  })
  await tell(bodyOf('conv_met_second', [TALK[1]]))
  expect(await messagesOf(session.sessionId)).toEqual([])
  const { services, close } = await api.services()
  await reconcileCalls(toReflectionHost(services), new AbortController().signal, Date.now())
  await close()
  expect(await messagesOf(session.sessionId)).toHaveLength(1)
})

test('[V16] a transcript is stored even if it arrives after a failure message', async () => {
  const session = await spoken('failedfirst')
  const failed = JSON.stringify({
    type: 'call_initiation_failure',
    event_timestamp: Math.floor(Date.now() / 1_000),
    data: {
      agent_id: 'agent_made_up',
      conversation_id: session.providerConversationId,
      failure_reason: 'unknown',
      metadata: { type: 'twilio', body: {} },
    },
  })
  expect(await tell(failed)).toMatchObject({ status: 200 })
  expect(await api.database.sessionRows.find(session.sessionId)).toMatchObject({
    failure: 'call_failed',
  })
  for (const _ of [1, 2]) await tell(bodyOf(session.providerConversationId))
  expect(await messagesOf(session.sessionId)).toHaveLength(5)
})

test('[V16] an unfinished transcript is read again later', async () => {
  const session = await spoken('processing')
  await tell(bodyOf(session.providerConversationId, [TALK[0]], 'processing'))
  expect(await messagesOf(session.sessionId)).toEqual([])
  await tell(bodyOf(session.providerConversationId))
  expect(await messagesOf(session.sessionId)).toHaveLength(5)
})

test('[V5] off the record: nothing is stored, and the session ends', async () => {
  const session = await spoken('unrecorded', { ingestion: 'off-record' })
  const canary = 'hushhushword'
  expect(
    await tell(
      bodyOf(session.providerConversationId, [{ role: 'user', message: canary, time_in_call_secs: 1 }]),
    ),
  ).toMatchObject({ status: 200 })
  expect(await api.database.sessionRows.find(session.sessionId)).toMatchObject({
    status: 'ended',
    transcript: 'stored',
  })
  expect(await api.call('GET', `/sessions/${session.sessionId}`)).toMatchObject({ status: 404 })
  expect(api.logged.join('\n')).not.toContain(canary)
})

test('[V5] nothing is stored or learned if the session was removed before its transcript arrived', async () => {
  const session = await spoken('removed', { ingestion: 'ingest' })
  await api.call('DELETE', `/sessions/${session.sessionId}`, undefined, operator.token)
  const before = await sourcesOf('')
  expect(await tell(bodyOf(session.providerConversationId))).toMatchObject({ status: 200 })
  expect(await sourcesOf('')).toEqual(before)
})

test.each([
  ['ingest', 1],
  ['keep-only', 0],
] as const)('[V5] with the policy %s, %i source is added', async (ingestion, count) => {
  const session = await spoken(`policy${ingestion.replace('-', '')}`, { ingestion })
  const before = (await sourcesOf('Conversation')).length
  await tell(bodyOf(session.providerConversationId, [...TALK, { role: 'user', message: `Of ${ingestion}.` }]))
  expect((await sourcesOf('Conversation')).length - before).toBe(count)
})

test('[V5] an interview’s answers become facts of its person and wait for approval', async () => {
  const session = await spoken('asked', { ingestion: 'ingest', mode: 'interview' })
  await tell(
    bodyOf(session.providerConversationId, [
      { role: 'agent', message: 'Where do you live?', time_in_call_secs: 0 },
      { role: 'user', message: 'I live in Trondheim. I work as a gardener.', time_in_call_secs: 3 },
    ]),
  )
  const [source] = await sourcesOf('Interview')
  await learn(api.databaseUrl, SourceId.parse(source?.id))
  const { answer } = await api.call('GET', `/reflections/${reflectionId}/patches?status=proposed`)
  expect(JSON.stringify(answer)).toContain('Trondheim')
  expect(JSON.stringify(answer)).toContain('Ada Example')
  const facts = await api.call('GET', `/reflections/${reflectionId}/facts?state=active`)
  expect(JSON.stringify(facts.answer)).not.toContain('Trondheim')
})

test('[V5] the agent’s words become no facts, and a person’s words about themselves are not about the creator', async () => {
  const session = await spoken('told', { ingestion: 'ingest' })
  await tell(
    bodyOf(session.providerConversationId, [
      { role: 'agent', message: 'Mara Agentsaid lives in Lima.', time_in_call_secs: 0 },
      { role: 'user', message: 'I adopted a cat. Ines Personsaid lives in Lima.', time_in_call_secs: 3 },
    ]),
  )
  const [source] = await sourcesOf('Conversation')
  await learn(api.databaseUrl, SourceId.parse(source?.id))
  const { answer } = await api.call('GET', `/reflections/${reflectionId}/patches?status=proposed`)
  expect(JSON.stringify(answer)).toContain('Ines Personsaid')
  expect(JSON.stringify(answer)).not.toMatch(/Agentsaid|\bcat\b/)
})

test('[X1] a call continues as text and is exported once its transcript is stored; until then it is pending', async () => {
  const session = await spoken('resumed', { ingestion: 'ingest' })
  const path = `/sessions/${session.sessionId}`
  const mine = (method: string, rest: string, body?: unknown) =>
    api.call(method, `${path}${rest}`, body, operator.token)
  for (const [method, rest, body] of [
    ['POST', '/messages', { text: 'And then?' }],
    ['POST', '/resume', {}],
    ['POST', '/fork', { agentId: 'offline' }],
    ['POST', '/export', {}],
    ['GET', '/export', undefined],
  ] as const) {
    expect(await mine(method, rest, body)).toMatchObject({ status: 409, code: 'transcript_pending' })
  }
  expect(await mine('GET', '/messages')).toMatchObject({ status: 200, answer: { items: [] } })
  await tell(bodyOf(session.providerConversationId))
  expect(await mine('POST', '/resume', {})).toMatchObject({ status: 200 })
  expect(await mine('POST', '/messages', { text: 'Tell me of the lighthouse.' })).toMatchObject({
    status: 202,
  })
  await expect
    .poll(async () => (await messagesOf(session.sessionId)).at(-1))
    .toMatchObject({ role: 'assistant' })
  const exported = await mine('POST', '/export', {})
  expect(exported.status).toBe(200)
  expect(exported.answer).toContain('Where did you live?')
  expect(exported.answer).toContain('Tell me of the lighthouse.')
  const listed = await api.call('GET', '/sessions', undefined, operator.token)
  expect(JSON.stringify(listed.answer)).toContain(session.sessionId)

  const before = (await sourcesOf('Conversation')).map(({ id }) => id)
  for (const _ of [1, 2]) expect(await mine('POST', '/end')).toMatchObject({ status: 200 })
  // Messages after the call become one separate source.
  const added = (await sourcesOf('Conversation')).filter(({ id }) => !before.includes(id))
  expect(added).toHaveLength(1)
  await learn(api.databaseUrl, SourceId.parse(added[0]?.id))
  const typed = await api.call('POST', `/reflections/${reflectionId}/ask`, {
    query: 'Did you live in the lighthouse?',
  })
  expect(JSON.stringify(typed.answer)).toContain('Tell me of the lighthouse.')
  expect(JSON.stringify(typed.answer)).not.toContain('Where did you live?')
})

test('[V16] a call without a webhook is read from the provider', async () => {
  const session = await spoken('died')
  const { services, close } = await api.services()
  try {
    const read = services.voice?.provider
    if (!read) throw new Error('There is no provider')
    const provider = {
      ...read,
      readConversation: async () => ({
        conversationId: session.providerConversationId,
        agentId: 'agent_made_up',
        status: 'done' as const,
        startedAt: new Date().toISOString(),
        durationSeconds: 3,
        entries: [
          { role: 'person' as const, text: 'Still here.', isInterrupted: false, atSeconds: 1, toolCalls: [] },
        ],
        variables: {},
        hasAudio: false,
      }),
    }
    const inAnHour = Date.now() + 30 * 60_000
    const voice = services.voice && { ...services.voice, provider }
    await reconcileCalls(
      toReflectionHost({ ...services, ...(voice && { voice }) }),
      new AbortController().signal,
      inAnHour,
    )
  } finally {
    await close()
  }
  expect(await messagesOf(session.sessionId)).toMatchObject([{ role: 'user' }])
})

test('[V16] a call that the provider cannot return is given up after days, with the reason', async () => {
  const session = await spoken('given')
  const { services, close } = await api.services()
  const days = 86_400_000
  const voice = services.voice && {
    ...services.voice,
    provider: {
      ...services.voice.provider,
      readConversation: () => Promise.reject(new PlatformError('provider_unavailable')),
    },
  }
  const look = (later: number) =>
    reconcileCalls(
      toReflectionHost({ ...services, ...(voice && { voice }) }),
      new AbortController().signal,
      Date.now() + later,
    )
  try {
    await look(6 * days)
    expect(await api.database.sessionRows.find(session.sessionId)).toMatchObject({
      transcript: 'pending',
    })
    await look(8 * days)
  } finally {
    await close()
  }
  expect(await api.database.sessionRows.find(session.sessionId)).toMatchObject({
    status: 'ended',
    transcript: 'none',
    failure: 'transcript_lost',
  })
})

test('[V16] a failed webhook is processed when it is sent again, and only once', async () => {
  const session = await spoken('failing', { ingestion: 'off-record' })
  const { services, close } = await api.services()
  const removed: string[] = []
  const removeConversation = async (conversationId: string) => {
    removed.push(conversationId)
    if (removed.length === 1) throw new PlatformError('provider_unavailable')
  }
  const voice = services.voice && {
    ...services.voice,
    provider: { ...services.voice.provider, removeConversation },
  }
  const other = await listen(createApp({ ...services, ...(voice && { voice }) }), 0, () => {})
  try {
    const body = bodyOf(session.providerConversationId)
    const headers = { 'content-type': 'application/json', 'elevenlabs-signature': headerOf(body) }
    const again = async () =>
      (await fetch(`${other.url}/v1/webhooks/elevenlabs`, { method: 'POST', headers, body })).status
    expect([await again(), await again(), await again()]).toEqual([503, 200, 200])
  } finally {
    await other.close()
    await close()
  }
  expect(removed).toHaveLength(2)
  expect(await api.database.sessionRows.find(session.sessionId)).toMatchObject({
    status: 'ended',
    transcript: 'stored',
  })
})

test('[V16] a call without a connection is given up when its session ends', async () => {
  const session = await spoken('unmet')
  const mine = (method: string, rest: string, body?: unknown) =>
    api.call(method, `/sessions/${session.sessionId}${rest}`, body, operator.token)
  expect(await mine('POST', '/export', {})).toMatchObject({ status: 409, code: 'transcript_pending' })
  expect(await mine('POST', '/end', {})).toMatchObject({ status: 200 })
  expect(await mine('POST', '/export', {})).toMatchObject({ status: 200 })
  expect(await mine('POST', '/messages', { text: 'And now?' })).toMatchObject({ code: 'session_ended' })
  expect(await mine('POST', '/fork', { agentId: 'offline' })).toMatchObject({ status: 201 })
  expect(await api.database.sessionRows.find(session.sessionId)).toMatchObject({ transcript: 'none' })
})
