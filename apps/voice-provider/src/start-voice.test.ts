import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { openProvider } from '@parley/postgres'
import { listen } from './start-voice.ts'
import { API_KEY, startTestVoice } from './testing/test-voice.ts'
import { getVendorError, createVendorClient } from './testing/vendor-client.ts'

type Platform = NonNullable<
  Parameters<
    ReturnType<typeof createVendorClient>['conversationalAi']['agents']['create']
  >[0]['platformSettings']
>

async function startWithAgent(platformSettings: Platform = {}) {
  const voice = await startTestVoice()
  const { conversationalAi } = createVendorClient(voice)
  const { agentId } = await conversationalAi.agents.create({
    name: 'Ada',
    conversationConfig: {
      agent: { firstMessage: 'Hello, this is Ada.' },
      conversation: { textOnly: true },
    },
    platformSettings,
  })
  const plainUrl = `${voice.url.replace('http', 'ws')}/v1/convai/conversation?agent_id=${agentId}`
  const signedUrl = async (request: object = {}) =>
    (await conversationalAi.conversations.getSignedUrl({ agentId, ...request })).signedUrl
  return { voice, conversationalAi, agentId, plainUrl, signedUrl }
}

interface Called {
  readonly frames: readonly Record<string, unknown>[]
  readonly code: number
  readonly reason: string
}

/** Opens a conversation, and hangs up after the first message. */
function call(url: string, options: object = {}): Promise<Called> {
  const socket = new WebSocket(url, ['convai'], options)
  onTestFinished(() => socket.terminate())
  const frames: Record<string, unknown>[] = []
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ type: 'conversation_initiation_client_data' })))
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Record<string, unknown>
      frames.push(frame)
      if (frame['type'] === 'agent_response') socket.close(1000)
    })
    socket.on('close', (code, reason) => resolve({ frames, code, reason: reason.toString() }))
    socket.on('error', reject)
  })
}

const conversationIdIn = ({ frames: [first] }: Called) => {
  const event = first?.['conversation_initiation_metadata_event']
  return (event as { conversation_id: string } | undefined)?.conversation_id ?? ''
}

/** Waits until the provider has stored its end. */
const waitUntilDone = async (at: Awaited<ReturnType<typeof startWithAgent>>, id: string) => {
  await expect
    .poll(async () => (await at.conversationalAi.conversations.get(id)).status, { timeout: 20_000 })
    .toBe('done')
}

describe('access to conversations', () => {
  test('[X2] a signed URL opens a conversation, which is then listed, read, rated and deleted', async () => {
    const at = await startWithAgent({ auth: { enableAuth: true } })
    const { conversations } = at.conversationalAi
    const called = await call(await at.signedUrl())
    expect(called.code).toBe(1000)
    expect(called.frames[0]).toMatchObject({ type: 'conversation_initiation_metadata' })
    const id = conversationIdIn(called)
    await waitUntilDone(at, id)
    const kept = await conversations.get(id)
    expect(kept).toMatchObject({
      agentId: at.agentId,
      conversationId: id,
      hasAudio: false,
      transcript: [{ role: 'agent', message: 'Hello, this is Ada.' }],
      metadata: { authorizationMethod: 'signed_url' },
    })
    expect(await conversations.list({ agentId: at.agentId })).toMatchObject({
      conversations: [{ conversationId: id, status: 'done', messageCount: 1, callSuccessful: 'unknown' }],
      hasMore: false,
    })
    await conversations.feedback.create(id, { feedback: 'like' })
    expect(await conversations.get(id)).toMatchObject({ metadata: { feedback: { overallScore: 'like' } } })
    expect(await getVendorError(conversations.audio.get(id))).toMatchObject({ statusCode: 404 })
    await conversations.delete(id)
    expect(await getVendorError(conversations.get(id))).toMatchObject({ statusCode: 404 })
  })

  test('[X2] a signed URL with a conversation id opens that conversation once', async () => {
    const { signedUrl } = await startWithAgent()
    const url = await signedUrl({ includeConversationId: true })
    const first = await call(url)
    expect(conversationIdIn(first)).toMatch(/^conv_[a-z0-9]{26}$/)
    expect(await call(url)).toMatchObject({ code: 1008, reason: expect.stringContaining('already used') })
  })

  test.each([
    ['an unknown agent', {}, 'agent_id=agent_none', {}, 'does not exist'],
    ['no agent', {}, '', {}, 'no agent_id'],
    ['an agent with authentication', { auth: { enableAuth: true } }, undefined, {}, 'signed URL'],
    ['a made-up signature', {}, 'conversation_signature=made-up', {}, 'unknown'],
    [
      'another origin',
      { auth: { allowlist: [{ hostname: 'example.com' }] } },
      undefined,
      { origin: 'http://example.org' },
      'allowlist',
    ],
    ['a page of another host', {}, undefined, { origin: 'https://evil.example' }, 'Pages of other hosts'],
    ['a page without an origin', {}, undefined, { origin: 'null' }, 'Pages of other hosts'],
    ['an agent id with U+0000', {}, 'agent_id=agent_%00', {}, 'does not exist'],
    [
      'an agent at its limit',
      { callLimits: { agentConcurrencyLimit: 0 } },
      undefined,
      {},
      'limit of conversations',
    ],
  ])('[X2] %s: the socket closes with the reason', async (_, platform, query, options, reason) => {
    const { plainUrl } = await startWithAgent(platform)
    const url = query?.startsWith('conv')
      ? `${plainUrl}&${query}`
      : query === undefined
        ? plainUrl
        : plainUrl.replace(/agent_id=.*/, query)
    expect(await call(url, options)).toMatchObject({
      code: 1008,
      reason: expect.stringContaining(reason),
      frames: [],
    })
  })

  test('[X2] an agent with authentication accepts the key and origins on its allowlist', async () => {
    const { plainUrl } = await startWithAgent({
      auth: { enableAuth: true, allowlist: [{ hostname: 'localhost:5173' }] },
    })
    const options = { origin: 'http://localhost:5173', headers: { 'xi-api-key': API_KEY } }
    expect(await call(plainUrl, options)).toMatchObject({ code: 1000 })
  })

  test.each([
    ['on this machine', 'http://localhost:5173', {}],
    ['at this address', 'http://127.0.0.1:4400', {}],
    ['on the allowlist', 'https://garden.example', { auth: { allowlist: [{ hostname: 'garden.example' }] } }],
  ])('[X2] a page %s can call a public agent', async (_, origin, platform) => {
    const { plainUrl } = await startWithAgent(platform)
    expect(await call(plainUrl, { origin })).toMatchObject({ code: 1000 })
  })

  test('[X2] a page of another host can call with a signed URL', async () => {
    const { signedUrl } = await startWithAgent()
    expect(await call(await signedUrl(), { origin: 'https://evil.example' })).toMatchObject({ code: 1000 })
  })

  test('[X2] spoken calls are limited, and typed calls have their own limit', async () => {
    const voice = await startTestVoice({ spokenCalls: 2 })
    const { agents } = createVendorClient(voice).conversationalAi
    const toCallUrl = async (textOnly: boolean) => {
      const { agentId } = await agents.create({
        conversationConfig: { agent: { firstMessage: 'Hello.' }, conversation: { textOnly } },
      })
      return `${voice.url.replace('http', 'ws')}/v1/convai/conversation?agent_id=${agentId}`
    }
    const spoken = await toCallUrl(false)
    const sockets = Array.from({ length: 5 }, () => new WebSocket(spoken))
    onTestFinished(() => sockets.forEach((socket) => socket.terminate()))
    const closed: string[] = []
    for (const socket of sockets)
      socket.on('close', (code, reason) => closed.push(`${code} ${reason.toString()}`))
    await expect.poll(() => closed.length, { timeout: 20_000 }).toBe(3)
    expect(new Set(closed)).toEqual(new Set(['1008 The provider has reached its limit of 2 spoken calls.']))
    expect(await call(await toCallUrl(true))).toMatchObject({ code: 1000 })
  })

  test('[X2] REST and WebSocket reject a foreign host name', async () => {
    const { plainUrl } = await startWithAgent()
    await expect(call(plainUrl, { headers: { host: 'rebound.example:80' } })).rejects.toThrow('403')
    await expect(call(plainUrl.replace(/\/v1.*/, '//'))).rejects.toThrow('404')
    expect(await call(plainUrl)).toMatchObject({ code: 1000 })
  })

  test('[X2] WebRTC is rejected with an explanation, even without a key', async () => {
    const { voice, agentId, conversationalAi } = await startWithAgent()
    expect(await getVendorError(conversationalAi.conversations.getWebrtcToken({ agentId }))).toMatchObject({
      statusCode: 400,
    })
    const response = await fetch(`${voice.url}/v1/convai/conversation/token?agent_id=${agentId}`, {
      headers: { origin: 'http://localhost:5173' },
    })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toMatchObject({ detail: { message: expect.stringContaining('LiveKit') } })
  })
})

test('[X2] stopping ends and stores running conversations', async () => {
  const { voice, plainUrl } = await startWithAgent()
  const socket = new WebSocket(plainUrl)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  const id = await new Promise<string>((resolve) => {
    socket.once('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString())
      resolve(frame.conversation_initiation_metadata_event.conversation_id)
    })
    socket.on('open', () => socket.send(JSON.stringify({ type: 'conversation_initiation_client_data' })))
  })
  await voice.stop()
  await closed
  const store = await openProvider(voice)
  expect(await store.conversations.get(id)).toMatchObject({
    status: expect.stringMatching(/^(done|failed)$/),
  })
  await store.close()
})

test('[X4] conversations of a provider that died are failed by the next one', async () => {
  const voice = await startTestVoice()
  const dead = await openProvider(voice)
  const metadata = { start_time_unix_secs: 1, call_duration_secs: 0 }
  const body = {
    agent_id: 'agent_1',
    conversation_id: 'conv_1',
    transcript: [],
    metadata,
    status: 'in-progress',
  }
  const flags = {
    has_audio: false,
    has_user_audio: false,
    has_response_audio: false,
    has_auxiliary_audio: false,
  }
  await dead.conversations.open({
    id: 'conv_1',
    agentId: 'agent_1',
    status: 'in-progress',
    body: { ...body, ...flags },
  })
  await dead.close()
  const { conversations } = createVendorClient(voice).conversationalAi
  await expect
    .poll(async () => (await conversations.get('conv_1')).status, { timeout: 20_000 })
    .toBe('failed')
})

const setFaults = async (url: string, rules: readonly object[]) => {
  const headers = { 'xi-api-key': API_KEY, 'content-type': 'application/json' }
  const response = await fetch(`${url}/parley/faults`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ rules }),
  })
  return response.status
}

describe('faults', () => {
  test.each([400, 404, 422, 429, 500, 503])(
    '[X2] a call fails with %i as often as the rule says',
    async (status) => {
      const voice = await startTestVoice()
      const { agents } = createVendorClient(voice).conversationalAi
      expect(await setFaults(voice.url, [{ match: 'GET /v1/convai/agents*', status, times: 1 }])).toBe(200)
      expect(await getVendorError(agents.list())).toMatchObject({ statusCode: status })
      expect(await agents.list()).toMatchObject({ agents: [] })
    },
  )

  test('[X2] the vendor’s client retries after a failure', async () => {
    const voice = await startTestVoice()
    await setFaults(voice.url, [{ match: '* */agents*', status: 429, times: 1 }])
    const { agents } = createVendorClient(voice).conversationalAi
    expect(await agents.list({}, { maxRetries: 1 })).toMatchObject({ agents: [] })
  })

  test('[X2] a conversation’s socket is cut', async () => {
    const { voice, plainUrl } = await startWithAgent()
    await setFaults(voice.url, [{ match: 'conversation', dropSocketAfterMs: 0, times: 1 }])
    expect(await call(plainUrl)).toMatchObject({ code: 1006 })
    expect(await call(plainUrl)).toMatchObject({ code: 1000 })
  })

  test('[X2] fault rules are listed, removed, and rejected if invalid', async () => {
    const voice = await startTestVoice()
    const rules = [{ match: 'webhook', webhookTwice: true }]
    await setFaults(voice.url, rules)
    const headers = { 'xi-api-key': API_KEY }
    const listed = await fetch(`${voice.url}/parley/faults`, { headers })
    expect(await listed.json()).toEqual({ rules })
    const cleared = await fetch(`${voice.url}/parley/faults`, { method: 'DELETE', headers })
    expect(await cleared.json()).toEqual({ rules: [] })
    expect(await setFaults(voice.url, [{ match: '^GET /(', status: 500 }])).toBe(422)
    expect(await setFaults(voice.url, [{ match: 'GET /v1/*', status: 200 }])).toBe(422)
  })
})

test.each([
  ['a body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{'],
  ['headers', 'POST / HTTP/1.1\r\nHost: localhost\r\n'],
])('[X2] %s that never completes is aborted', async (_, sent) => {
  const listening = await listen(async (request) => new Response(await request.text()), '127.0.0.1', 0, 100)
  onTestFinished(() => listening.close())
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume().write(sent)
  await once(socket, 'close')
  const response = await fetch(listening.url, { method: 'POST', body: 'Hello' })
  expect(await response.text()).toBe('Hello')
})
