import { afterAll, describe, expect, test } from 'vitest'
import type { ModelEvent } from '@parley/engine'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import { collectEvents } from '../testing/model.conformance.ts'
import { KINDS, VENDOR_CASES } from '../testing/vendor-cases.ts'
import {
  replyAfterHello,
  replyWith,
  readFixture,
  repeatForever,
  type VendorReply,
  startVendorServer,
} from '../testing/vendor-server.ts'

const KEY = 'made-up-key-0000-not-a-real-one'

const server = await startVendorServer()
afterAll(() => server.close())
const closed = await startVendorServer()
await closed.close()

const modelOf = (kind: ProviderKind, { baseUrl = server.url, ms = 20_000 } = {}) =>
  createProviders([{ name: 'mine', kind, baseUrl, apiKey: KEY }], {
    patience: { firstByteMs: ms, idleMs: ms },
  }).openModel('mine', VENDOR_CASES[kind].model, { maxAttempts: 1 })

/** An error in the vendor's format; some echo the key. */
const refused =
  (status: number, type: string, message: string, headers?: Readonly<Record<string, string>>) =>
  (kind: ProviderKind): VendorReply =>
    replyWith(status, JSON.stringify(VENDOR_CASES[kind].errorBody(status, type, message)), headers)

const HELLO: ModelEvent = { type: 'text', text: 'Hello' }
const said = (kind: ProviderKind, then: Parameters<typeof replyAfterHello>[1]) => replyAfterHello(kind, then)

interface Fault {
  readonly reply: (kind: ProviderKind) => VendorReply
  readonly code: string
  readonly retryable: boolean
  readonly says: RegExp
  readonly kept?: true
  /** The fault is to say nothing. */
  readonly stalls?: true
}

const UNAVAILABLE = { code: 'provider_unavailable', retryable: true } as const
const HTML = '<html><body>Bad gateway made-up-key-0000-not-a-real-one</body></html>'

const FAULTS: readonly (readonly [string, Fault])[] = [
  [
    'stalled before the first byte',
    { reply: () => () => undefined, ...UNAVAILABLE, says: /timed out/, stalls: true },
  ],
  [
    'stalled after the headers',
    {
      reply: () => (response) => response.writeHead(200).flushHeaders(),
      ...UNAVAILABLE,
      says: /timed out/,
      stalls: true,
    },
  ],
  [
    'stalled mid-stream',
    {
      reply: (kind) => said(kind, () => undefined),
      ...UNAVAILABLE,
      says: /timed out/,
      stalls: true,
      kept: true,
    },
  ],
  [
    'cut',
    {
      reply: (kind) => said(kind, (response) => response.destroy()),
      ...UNAVAILABLE,
      says: /lost|ended early/,
      kept: true,
    },
  ],
  [
    'garbage',
    {
      reply: (kind) => said(kind, (response) => response.end('data: {"what": \n\n')),
      ...UNAVAILABLE,
      says: /could not be read/,
      kept: true,
    },
  ],
  [
    'garbage from the start',
    { reply: () => replyWith(200, 'data: <what>\n\n'), ...UNAVAILABLE, says: /could not be read/ },
  ],
  [
    'an empty body',
    { reply: () => replyWith(200, ''), ...UNAVAILABLE, says: /ended early|could not be read/ },
  ],
  [
    'endless pings',
    {
      reply: (kind) => said(kind, (response) => repeatForever(response, `: ${'ping '.repeat(1_000)}\n\n`)),
      code: 'provider_unavailable',
      retryable: false,
      says: /exceeded its output limit/,
      kept: true,
    },
  ],
  [
    '401',
    {
      reply: refused(401, 'authentication_error', `bad key ${KEY}`),
      code: 'provider_auth',
      retryable: false,
      says: /does not accept the API key.*\[key\]/,
    },
  ],
  [
    '403',
    {
      reply: refused(403, 'permission_error', 'not yours'),
      code: 'provider_auth',
      retryable: false,
      says: /does not allow.*not yours/,
    },
  ],
  [
    '404',
    {
      reply: refused(404, 'not_found_error', 'no such model'),
      code: 'validation',
      retryable: false,
      says: /does not know the model .*list its models/,
    },
  ],
  [
    '400',
    {
      reply: refused(400, 'invalid_request_error', `bad field in ${encodeURIComponent(KEY)}`),
      code: 'validation',
      retryable: false,
      says: /refused the request \(400\).*bad field/,
    },
  ],
  [
    '400 because of the content',
    {
      reply: refused(400, 'content_filter', 'not this'),
      code: 'content_filter',
      retryable: false,
      says: /content/,
    },
  ],
  [
    '429',
    {
      reply: refused(429, 'rate_limit_error', 'slow down', { 'retry-after': '3' }),
      code: 'provider_rate_limit',
      retryable: true,
      says: /rate limit reached/,
    },
  ],
  [
    '429 without quota',
    {
      reply: refused(
        429,
        'insufficient_quota',
        'You exceeded your current quota, check your billing details',
      ),
      code: 'provider_rate_limit',
      retryable: false,
      says: /no quota left/,
    },
  ],
  ['500', { reply: refused(500, 'api_error', 'oops'), ...UNAVAILABLE, says: /\(500\).*oops/ }],
  ['529', { reply: refused(529, 'overloaded_error', 'Overloaded'), ...UNAVAILABLE, says: /\(529\)/ }],
  [
    'a page of HTML as the answer',
    {
      reply: () => replyWith(200, `\n${HTML}`, { 'content-type': 'text/html' }),
      code: 'provider_unavailable',
      retryable: false,
      says: /^The server at http.* does not speak the API of .* check base_url, which for most servers ends in \/v1\.$/,
    },
  ],
  [
    'a page of HTML',
    {
      reply: () => replyWith(502, HTML, { 'content-type': 'text/html' }),
      ...UNAVAILABLE,
      says: /\(502\)(?!.*html)/,
    },
  ],
]

describe.each(KINDS)('[S11] %s', (kind) => {
  test.each(FAULTS)('%s', async (_, { reply, code, retryable, says, kept, stalls }) => {
    server.script(reply(kind))
    const events = await collectEvents(modelOf(kind, stalls && { ms: 300 }))
    expect(events).toEqual([
      ...(kept ? [HELLO] : []),
      { type: 'failure', error: { code, retryable, message: expect.stringMatching(says) } },
    ])
    expect(JSON.stringify(events)).not.toContain(KEY)
  })

  test.each([
    ['a closed port', () => closed.url],
    ['no such host', () => 'https://no-such-host.invalid/v1'],
  ])('%s', async (_, baseUrl) => {
    expect(await collectEvents(modelOf(kind, { baseUrl: baseUrl() }))).toEqual([
      { type: 'failure', error: { ...UNAVAILABLE, message: expect.stringMatching(/cannot be reached/) } },
    ])
  })

  test('a bad port', async () => {
    const message = expect.stringMatching(/at 127\.0\.0\.1:1 cannot be reached: HTTP never uses this port/)
    expect(await collectEvents(modelOf(kind, { baseUrl: 'http://127.0.0.1:1/v1' }))).toEqual([
      { type: 'failure', error: { ...UNAVAILABLE, retryable: false, message } },
    ])
  })

  test('reads an answer that its server wrongly labels as HTML', async () => {
    const text = readFixture(kind, 'text')
    server.script((response) => response.writeHead(200, { 'content-type': 'text/html' }).end(text))
    expect(await collectEvents(modelOf(kind))).toContainEqual(HELLO)
  })
})
