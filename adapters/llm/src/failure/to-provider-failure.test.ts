import { afterAll, expect, test } from 'vitest'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import { collectEvents } from '../testing/model.conformance.ts'
import { VENDOR_CASES } from '../testing/vendor-cases.ts'
import { replyWith, readFixture, startVendorServer, replyWithStream } from '../testing/vendor-server.ts'

const KEY = 'made-up-key-0000-not-a-real-one'

const server = await startVendorServer()
afterAll(() => server.close())

const modelOf = (kind: ProviderKind) =>
  createProviders([{ name: 'mine', kind, baseUrl: server.url, apiKey: KEY }]).openModel(
    'mine',
    VENDOR_CASES[kind].model,
    {
      maxAttempts: 1,
    },
  )

const refused = (kind: ProviderKind, type: string, message: string) =>
  replyWith(
    400,
    JSON.stringify({
      ...(kind === 'anthropic' && { type: 'error' }),
      error: { type, message, code: kind === 'google' ? 400 : type, status: type.toUpperCase() },
    }),
  )

test.each<[ProviderKind, string]>([
  ['anthropic', 'prompt is too long: 213462 tokens > 200000 maximum'],
  ['openai', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['google', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  [
    'openai-compatible',
    'This model’s maximum context length is 8192 tokens. However, you requested 9000 tokens.',
  ],
])('[S11] reports a session that is too long for %s', async (kind, message) => {
  server.script(refused(kind, 'invalid_request_error', message))
  expect(await collectEvents(modelOf(kind))).toEqual([
    {
      type: 'failure',
      error: { code: 'validation', retryable: false, message: expect.stringContaining(message) },
    },
  ])
})

test('[S11] reports a 400 of Google for an invalid key as a bad key', async () => {
  server.script(refused('google', 'invalid_argument', 'API key not valid. Please pass a valid API key.'))
  expect(await collectEvents(modelOf('google'))).toMatchObject([{ error: { code: 'provider_auth' } }])
})

test.each<[ProviderKind, string, unknown, string, boolean]>([
  [
    'anthropic',
    'overloaded',
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'provider_unavailable',
    true,
  ],
  [
    'anthropic',
    'asked too often',
    { type: 'error', error: { type: 'rate_limit_error', message: 'Slow' } },
    'provider_rate_limit',
    true,
  ],
  [
    'openai',
    'without quota',
    {
      type: 'error',
      sequence_number: 0,
      code: 'insufficient_quota',
      message: 'You exceeded your current quota',
      param: null,
    },
    'provider_rate_limit',
    false,
  ],
  [
    'openai',
    'too long',
    {
      type: 'response.failed',
      sequence_number: 0,
      response: { error: { code: 'context_length_exceeded', message: 'Too long' } },
    },
    'validation',
    false,
  ],
  [
    'google',
    'exhausted',
    { error: { code: 429, message: 'Resource exhausted', status: 'RESOURCE_EXHAUSTED' } },
    'provider_rate_limit',
    true,
  ],
  [
    'openai-compatible',
    'a model that crashed',
    { error: { message: `crashed with ${KEY}`, type: 'server_error' } },
    'provider_unavailable',
    true,
  ],
])('[S11] %s: reports the cause of an error within a stream: %s', async (kind, _, event, code, retryable) => {
  server.script(replyWithStream(`data: ${JSON.stringify(event)}\n\n`))
  const events = await collectEvents(modelOf(kind))
  expect(events).toMatchObject([{ type: 'failure', error: { code, retryable } }])
  expect(JSON.stringify(events)).not.toContain(KEY)
})

test('[S11] suggests another kind for a server that speaks the other protocol of OpenAI', async () => {
  server.script(replyWithStream(readFixture('openai-compatible', 'text')))
  expect(await collectEvents(modelOf('openai'))).toEqual([
    {
      type: 'failure',
      error: {
        code: 'validation',
        retryable: false,
        message: expect.stringMatching(/set its kind to openai-compatible/),
      },
    },
  ])
})

test('[S11] removes control characters from a vendor’s message, and shortens it', async () => {
  server.script(refused('anthropic', 'invalid_request_error', `\u001B[2Jred\nalert ${'very '.repeat(500)}`))
  const [event] = await collectEvents(modelOf('anthropic'))
  if (event?.type !== 'failure') throw new Error('no failure')
  expect(event.error.message).toMatch(/ It said: \[2Jred alert very/)
  expect(event.error.message.length).toBeLessThan(400)
})

const NOW = Date.parse('2026-03-01T12:00:00.000Z')

test.each<[string, string, string, RegExp]>([
  [
    'seconds',
    '3600',
    'slow down',
    /limit reached\. Try again after 2026-03-01 13:00:00 UTC\. It said: slow down/,
  ],
  ['a date', 'Mon, 02 Mar 2026 00:00:00 GMT', 'slow down', /Try again after 2026-03-02 00:00:00 UTC\./],
  [
    'no quota',
    '3600',
    'exceeded your current quota',
    /no quota left.* Try again after 2026-03-01 13:00:00 UTC/,
  ],
  ['a short wait', '3', 'slow down', /limit reached\. It said/],
  ['an absurd wait', '99999999999999', 'slow down', /limit reached\. It said/],
])('[S11] tells when to try again at a rate limit: %s', async (_, retryAfter, said, message) => {
  server.script(replyWith(429, JSON.stringify({ error: { message: said } }), { 'retry-after': retryAfter }))
  const providers = createProviders(
    [{ name: 'mine', kind: 'openai-compatible', baseUrl: server.url, apiKey: KEY }],
    { now: () => NOW },
  )
  const told429 = await collectEvents(providers.openModel('mine', 'm', { maxAttempts: 1 }))
  const tested = await providers.test('mine', new AbortController().signal)
  const error = { code: 'provider_rate_limit', message: expect.stringMatching(message) }
  expect(told429).toMatchObject([{ type: 'failure', error }])
  expect(tested).toMatchObject({ kind: 'failed', error })
})
