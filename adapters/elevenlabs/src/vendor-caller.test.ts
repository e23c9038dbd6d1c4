import type { PlatformError, ErrorCode } from '@parley/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createElevenLabsProvider } from './elevenlabs-provider.ts'
import type { ElevenLabsSettings } from './vendor-caller.ts'
import { template } from './testing/arbitrary-template.ts'
import {
  hang,
  hangUp,
  replyWithJson,
  replyWithPage,
  replyWithRefusal,
  type Reply,
  stall,
  startVendorServer,
  type VendorServer,
} from './testing/vendor-server.ts'

const KEY = 'made-up-key-0000-not-a-real-one'
const NOON = Date.parse('2026-01-01T12:00:00Z')
const { signal } = new AbortController()

let server: VendorServer
let now = NOON
let waits: number[] = []
beforeAll(async () => {
  server = await startVendorServer()
})
afterAll(() => server.close())
beforeEach(() => {
  now = NOON
  waits = []
})

const provider = (settings: Partial<ElevenLabsSettings> = {}) =>
  createElevenLabsProvider({
    apiKey: KEY,
    baseUrl: server.url,
    now: () => now,
    random: () => 0.5,
    sleep: async (ms) => {
      waits.push(ms)
      now += ms
    },
    ...settings,
  })

const within = (attemptMs: number): Partial<ElevenLabsSettings> => {
  const once = { attempts: 1, attemptMs, deadlineMs: attemptMs }
  return { limits: { credential: once, read: once, write: once } }
}
const url = replyWithJson({ signed_url: 'ws://127.0.0.1:1/v1/convai/conversation?conversation_id=conv_1' })
const issued = { kind: 'signed_url', providerConversationId: 'conv_1' }

async function toFailure(call: Promise<unknown>): Promise<PlatformError> {
  return call.then(
    (answer) => Promise.reject(new Error(`it did not fail: ${JSON.stringify(answer)}`)),
    (thrown: PlatformError) => thrown,
  )
}

const FAULTS: readonly (readonly [string, Reply, ErrorCode, RegExp])[] = [
  [
    'a wrong key',
    replyWithRefusal(401, `Invalid API key ${KEY}`),
    'provider_auth',
    /refused the API key.*\[key\]/,
  ],
  ['a key without permission', replyWithRefusal(403, 'Forbidden'), 'provider_auth', /does not allow/],
  ['too many requests', replyWithRefusal(429, 'Slow down'), 'provider_rate_limit', /HTTP 429.*Slow down/],
  ['a server error', replyWithRefusal(500, 'Oops'), 'provider_unavailable', /failed \(HTTP 500\)/],
  [
    'a page of a proxy',
    replyWithPage('<html>Bad gateway</html>', 502),
    'provider_unavailable',
    /\(HTTP 502\)\.$/,
  ],
  ['a foreign page', replyWithPage('<html>Welcome</html>'), 'provider_unavailable', /does not speak the API/],
  ['foreign JSON', replyWithJson({ hello: 'there' }), 'provider_unavailable', /does not speak the API/],
  ['an empty response', replyWithJson(undefined), 'provider_unavailable', /does not speak the API/],
  ['no response', hang, 'provider_unavailable', /did not answer within 0.2 s/],
  ['a stalled response', stall, 'provider_unavailable', /did not answer within 0.2 s/],
  ['a closed connection', hangUp, 'provider_unavailable', /cannot be reached/],
  [
    'a redirect',
    (response) => response.writeHead(302, { location: `${server.url}/elsewhere` }).end(),
    'provider_unavailable',
    /would send the API key elsewhere/,
  ],
]

test.each(FAULTS)('[V9] %s is reported with its own code', async (_, reply, code, message) => {
  server.script(reply)
  const asked = provider(within(reply === hang || reply === stall ? 200 : 60_000))
  const failures = [
    await toFailure(asked.getSignedUrl('agent_1', signal)),
    await toFailure(asked.readAgent('agent_1', signal)),
    await toFailure(asked.readConversation('conv_1', signal)),
  ]
  for (const failure of failures) {
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(`${failure.message}${JSON.stringify(failure.detail)}`).not.toContain(KEY)
  }
})

test('[V9] an unreachable server is reported', async () => {
  const gone = await startVendorServer()
  await gone.close()
  const failure = await toFailure(provider({ ...within(60_000), baseUrl: gone.url }).listAgents(signal))
  expect(failure).toMatchObject({
    code: 'provider_unavailable',
    message: expect.stringContaining('ECONNREFUSED'),
  })
})

test.each([400, 404, 422])('[V6] %d names the agent that cannot be used', async (status) => {
  server.script(replyWithRefusal(status, 'No such agent'))
  const notUsable = { kind: 'agent_not_usable', agentId: 'agent_old', status, reason: 'No such agent' }
  expect(await provider().getSignedUrl('agent_old', signal)).toEqual(notUsable)
  expect(await provider().getConversationToken('agent_old', signal)).toEqual(notUsable)
  expect(await provider().readAgent('agent_old', signal)).toEqual(notUsable)
  expect(await provider().updateAgent('agent_old', template, signal)).toEqual(notUsable)
  expect(await provider().runTests('agent_old', ['test_1'], signal)).toEqual(notUsable)
  expect(server.requests).toHaveLength(5)
})

test('[V6] a list of issues is reported with their paths', async () => {
  server.script(replyWithJson({ detail: [{ loc: ['query', 'agent_id'], msg: 'too short', type: 'x' }] }, 422))
  expect(await provider().getSignedUrl('', signal)).toMatchObject({ reason: 'query.agent_id: too short' })
})

test('[V14] a template rejected by the provider is a validation error', async () => {
  server.script(replyWithJson({ detail: [{ loc: ['body', 'voice_id'], msg: 'not found', type: 'x' }] }, 422))
  expect(await toFailure(provider().createAgent(template, signal))).toMatchObject({
    code: 'validation',
    message: expect.stringContaining('body.voice_id: not found'),
  })
})

test.each([429, 500, 503, 408])('[V9] %d is retried with growing waits', async (status) => {
  const failing = replyWithRefusal(status, 'later')
  server.script(failing, failing, failing, url)
  expect(await provider().getSignedUrl('agent_1', signal)).toMatchObject(issued)
  expect(waits).toEqual([187.5, 375, 750])
})

test('[V9] a timeout is retried', async () => {
  server.script(hang, url)
  const credential = { attempts: 2, attemptMs: 2_000, deadlineMs: 60_000 }
  expect(await provider({ limits: { credential } }).getSignedUrl('agent_1', signal)).toMatchObject(issued)
})

test.each([401, 400, 404])('[V9] %d is not retried', async (status) => {
  server.script(replyWithRefusal(status, 'no'), url)
  await provider()
    .getSignedUrl('agent_1', signal)
    .catch(() => undefined)
  expect(server.requests).toHaveLength(1)
})

test.each(['createAgent', 'updateAgent', 'removeAgent'] as const)(
  '[V9] %s is never retried, because the first attempt may have worked',
  async (name) => {
    server.script(replyWithRefusal(500, 'Oops'))
    const calls = {
      createAgent: () => provider().createAgent(template, signal),
      updateAgent: () => provider().updateAgent('agent_1', template, signal),
      removeAgent: () => provider().removeAgent('agent_1', signal),
    }
    expect(await toFailure(calls[name]())).toMatchObject({ code: 'provider_unavailable' })
    expect(server.requests).toHaveLength(1)
  },
)

test.each<[string, string, number]>([
  ['seconds', '3', 3_000],
  ['a date', new Date(NOON + 4_000).toUTCString(), 4_000],
  ['nonsense', 'soon', 187.5],
  ['a negative number', '-5', 187.5],
])('[V9] waits as long as the provider requests, in %s', async (_, retryAfter, wait) => {
  server.script(replyWithRefusal(429, 'slow', { 'retry-after': retryAfter }), url)
  expect(await provider().getSignedUrl('agent_1', signal)).toMatchObject(issued)
  expect(waits).toEqual([wait])
})

test('[V9] does not wait beyond the deadline', async () => {
  server.script(replyWithRefusal(429, 'slow', { 'retry-after': '12' }), url)
  expect(await toFailure(provider().getSignedUrl('agent_1', signal))).toMatchObject({
    code: 'provider_rate_limit',
  })
  expect(waits).toEqual([])
  expect(server.requests).toHaveLength(1)
})

test('[V9] an abort ends a wait', async () => {
  const waiting = new AbortController()
  server.script(replyWithRefusal(500, 'Oops'))
  const sleep = async (_: number, slept: AbortSignal) => {
    waiting.abort()
    slept.throwIfAborted()
  }
  const failure = await toFailure(provider({ sleep }).getSignedUrl('agent_1', waiting.signal))
  expect(failure).toMatchObject({ code: 'cancelled' })
  expect(server.requests).toHaveLength(1)
})

test('[V9] an abort before the call sends no request', async () => {
  server.script(url)
  expect(await toFailure(provider().getSignedUrl('agent_1', AbortSignal.abort()))).toMatchObject({
    code: 'cancelled',
  })
  expect(server.requests).toEqual([])
})

test('[X2] only the given key is used, whatever the environment contains', async () => {
  process.env['ELEVENLABS_API_KEY'] = 'made-up-key-of-somebody-else'
  try {
    server.script(url)
    await provider().getSignedUrl('agent_1', signal)
    await provider()
      .readConversation('conv_1', signal)
      .catch(() => undefined)
    expect(server.requests.map(({ apiKey }) => apiKey)).toEqual([KEY, KEY])
  } finally {
    delete process.env['ELEVENLABS_API_KEY']
  }
})

// Must be the last test: fetch repeats a GET on a connection that was cut, which would count twice.
test('[V9] an abort ends a running call', async () => {
  const asking = new AbortController()
  server.script(() => asking.abort())
  expect(await toFailure(provider().getSignedUrl('agent_1', asking.signal))).toMatchObject({
    code: 'cancelled',
  })
})
