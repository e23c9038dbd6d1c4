import { afterAll, describe, expect, test } from 'vitest'
import { createProviders } from './providers.ts'
import type { ProviderKind } from '@parley/contracts'
import type { ProviderSettings } from './settings.ts'
import { KINDS } from './testing/vendor-cases.ts'
import { replyWith, startVendorServer } from './testing/vendor-server.ts'

const KEY = 'made-up-key-0000-not-a-real-one'

const server = await startVendorServer()
afterAll(() => server.close())
const closed = await startVendorServer()
await closed.close()

const signal = new AbortController().signal
const providersOf = (kind: ProviderKind, ms = 20_000) =>
  createProviders([{ name: 'mine', kind, baseUrl: server.url, apiKey: KEY }], {
    patience: { firstByteMs: ms, idleMs: ms },
  })

describe('[S11] invalid settings name the problem, the setting and the fix', () => {
  const named = { name: 'mine', apiKey: KEY } as const
  test.each<[string, ProviderSettings, RegExp]>([
    [
      'no key',
      { name: 'mine', kind: 'anthropic', apiKeyName: 'ANTHROPIC_API_KEY' },
      /mine has no API key: set ANTHROPIC_API_KEY/,
    ],
    [
      'an empty key',
      { name: 'mine', kind: 'openai', apiKey: '', apiKeyName: 'OPENAI_API_KEY' },
      /set OPENAI_API_KEY/,
    ],
    [
      'a key with a line break',
      { name: 'mine', kind: 'google', apiKey: `${KEY}\n`, apiKeyName: 'G_KEY' },
      /contains spaces.*check G_KEY/,
    ],
    ['no address', { ...named, kind: 'openai-compatible' }, /mine needs a base_url, such as http/],
    [
      'no address at all',
      { ...named, kind: 'openai', baseUrl: 'api.example' },
      /not an http or https address/,
    ],
    ['a file', { ...named, kind: 'openai', baseUrl: 'file:///etc/passwd' }, /not an http or https address/],
    [
      'plain http elsewhere',
      { ...named, kind: 'openai', baseUrl: 'http://models.example/v1' },
      /plain http to models\.example.*use https/,
    ],
    [
      'plain http to a likely name',
      { ...named, kind: 'openai', baseUrl: 'http://127.0.0.1.models.example/v1' },
      /plain http/,
    ],
    [
      'plain http in the local network',
      { ...named, kind: 'openai-compatible', baseUrl: 'http://192.168.1.5:11434/v1' },
      /plain http/,
    ],
    [
      'a password',
      { ...named, kind: 'openai', baseUrl: `https://me:${KEY}@models.example/v1` },
      /contains a user/,
    ],
  ])('%s', (_, settings, message) => {
    const ask = () => createProviders([settings]).openModel('mine', 'm')
    expect(ask).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(message) }),
    )
    expect(ask).toThrow(expect.objectContaining({ message: expect.not.stringContaining(KEY) }))
  })

  test('an unknown provider, with the likely name', () => {
    const providers = createProviders([
      { name: 'anthropic', kind: 'anthropic', apiKey: KEY },
      { name: 'offline', kind: 'offline' },
    ])
    expect(() => providers.openModel('antropic', 'm')).toThrow(
      /no provider named antropic: did you mean anthropic\?/,
    )
    expect(() => providers.openModel('zzz', 'm')).toThrow(/known providers are anthropic, offline/)
  })

  test.each([
    'http://127.0.0.1:1234/v1',
    'http://127.9.9.9/v1',
    'http://localhost:11434/v1/',
    'http://[::1]:8080/v1',
    'https://models.example/v1',
  ])('accepts %s', (baseUrl) => {
    const providers = createProviders([{ name: 'mine', kind: 'openai-compatible', baseUrl }])
    expect(providers.openModel('mine', 'm')).toMatchObject({ provider: 'mine', modelId: 'm' })
  })
})

const openaiList = JSON.stringify({ object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] })

describe('[S11] the list of models', () => {
  test.each<ProviderKind>(['openai', 'openai-compatible'])('%s', async (kind) => {
    server.script(replyWith(200, openaiList))
    expect(await providersOf(kind).listModels('mine', signal)).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(server.requests).toMatchObject([
      { path: '/v1/models', headers: { authorization: `Bearer ${KEY}` } },
    ])
  })

  test('anthropic, in pages', async () => {
    server.script(
      replyWith(
        200,
        JSON.stringify({
          data: [{ id: 'a', display_name: 'A', max_input_tokens: 9 }],
          has_more: true,
          last_id: 'a',
        }),
      ),
      replyWith(200, JSON.stringify({ data: [{ id: 'b' }], has_more: false, last_id: 'b' })),
    )
    expect(await providersOf('anthropic').listModels('mine', signal)).toEqual([
      { id: 'a', name: 'A', contextWindow: 9 },
      { id: 'b' },
    ])
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/models?limit=1000',
      '/v1/models?limit=1000&after_id=a',
    ])
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' })
  })

  test('google, in pages, only models that can chat', async () => {
    const chat = ['generateContent']
    server.script(
      replyWith(
        200,
        JSON.stringify({
          models: [{ name: 'models/a', inputTokenLimit: 9, supportedGenerationMethods: chat }],
          nextPageToken: 'p2',
        }),
      ),
      replyWith(
        200,
        JSON.stringify({ models: [{ name: 'models/e', supportedGenerationMethods: ['embedContent'] }] }),
      ),
    )
    expect(await providersOf('google').listModels('mine', signal)).toEqual([{ id: 'a', contextWindow: 9 }])
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/models?pageSize=1000',
      '/v1/models?pageSize=1000&pageToken=p2',
    ])
    expect(server.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': KEY })
  })

  test.each(KINDS)(
    '%s: entries that name no model, or could steer a terminal, are left out',
    async (kind) => {
      const ids = ['a', '', 7, 'two\nlines', '\u001B[2Jclear', 'b\u202Ec', 'd\u2028e', 'b']
      const entries = [null, 'text', {}, ...ids.map((id) => ({ id, name: id }))]
      const named = { id: 'c', name: 'c', display_name: 'C\u0007', displayName: 'C\u0007' }
      server.script(
        replyWith(200, JSON.stringify({ data: [...entries, named], models: [...entries, named] })),
      )
      const listed = await providersOf(kind).listModels('mine', signal)
      expect(listed).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
    },
  )

  test('accepts null as the list of a server without models', async () => {
    server.script(replyWith(200, '{"object": "list", "data": null}'))
    expect(await providersOf('openai-compatible').listModels('mine', signal)).toEqual([])
  })

  test('stops reading an endless list', async () => {
    let page = 0
    server.script((response) => {
      page += 1
      response.end(JSON.stringify({ data: [{ id: `m${page}` }], has_more: true, last_id: `m${page}` }))
    })
    expect(await providersOf('anthropic').listModels('mine', signal)).toHaveLength(20)
  })

  test('stops on abort', async () => {
    const abort = new AbortController()
    server.script(() => abort.abort())
    await expect(providersOf('openai').listModels('mine', abort.signal)).rejects.toThrow(/abort/i)
  })

  test('the offline provider always has its model', async () => {
    const providers = createProviders([{ name: 'off', kind: 'offline' }])
    expect(await providers.listModels('off', signal)).toEqual([{ id: 'offline' }])
    expect(await providers.test('off', signal)).toMatchObject({ kind: 'ok', modelCount: 1 })
  })
})

const NOT_THIS_API =
  /^The server at http:\/\/127\.0\.0\.1:\d+\/v1 does not speak the API of .* check base_url, which for most servers ends in \/v1\.$/

/** Bodies that are not a list of models of any vendor. */
const FOREIGN: readonly (readonly [string, string])[] = [
  ['a page of HTML', '\uFEFF\n <!doctype html><title>Welcome</title>'],
  ['other text', 'Ollama is running'],
  ['null', 'null'],
  ['JSON of another shape', '{"status": "ok"}'],
  ['something else than a list', '{"data": {"a": 1}, "models": "none"}'],
]

describe.each(KINDS)('[S11] testing %s', (kind) => {
  test('returns the latency and the number of models', async () => {
    server.script(
      replyWith(200, kind === 'google' ? '{"models": [{"name": "models/a"}]}' : '{"data": [{"id": "a"}]}'),
    )
    expect(await providersOf(kind).test('mine', signal)).toEqual({
      kind: 'ok',
      latencyMs: expect.any(Number),
      modelCount: 1,
    })
  })

  test.each([
    [
      'a bad key',
      replyWith(401, JSON.stringify({ error: { message: `no such key: ${KEY}` } })),
      'provider_auth',
      false,
      /does not accept the API key/,
    ],
    ['a wrong address', replyWith(404, 'not found'), 'validation', false, /check base_url/],
    ['a server error', replyWith(503, ''), 'provider_unavailable', true, /\(503\)/],
    ...FOREIGN.map(
      ([what, body]) => [what, replyWith(200, body), 'provider_unavailable', false, NOT_THIS_API] as const,
    ),
    [
      'a redirect',
      replyWith(302, '', { location: 'https://elsewhere.example/' }),
      'provider_unavailable',
      false,
      /redirects to elsewhere\.example/,
    ],
  ] as const)('%s', async (_, reply, code, retryable, message) => {
    server.script(reply)
    const tested = await providersOf(kind).test('mine', signal)
    expect(tested).toEqual({
      kind: 'failed',
      latencyMs: expect.any(Number),
      error: { code, retryable, message: expect.stringMatching(message) },
    })
    expect(JSON.stringify(tested)).not.toContain(KEY)
  })

  test.each<[string, () => string, boolean, RegExp]>([
    [
      'refused',
      () => closed.url,
      true,
      /^mine at 127\.0\.0\.1:\d+ cannot be reached: the connection was refused/,
    ],
    [
      'not found',
      () => 'https://no-such-host.invalid/v1',
      true,
      /^mine at no-such-host\.invalid:443 cannot be reached: the host was not found/,
    ],
    [
      'a bad port',
      () => 'http://127.0.0.1:1/v1',
      false,
      /^mine at 127\.0\.0\.1:1 cannot be reached: HTTP never uses this port; check base_url/,
    ],
    [
      'https to a plain http server',
      () => server.url.replace('http:', 'https:'),
      false,
      /cannot be reached: the secure connection failed \(ERR_SSL_\w+\); check base_url/,
    ],
  ])('no connection: %s', async (_, baseUrl, retryable, message) => {
    const providers = createProviders([{ name: 'mine', kind, baseUrl: baseUrl(), apiKey: KEY }])
    expect(await providers.test('mine', signal)).toMatchObject({
      error: { code: 'provider_unavailable', retryable, message: expect.stringMatching(message) },
    })
  })

  test('a silent server', async () => {
    server.script(() => undefined)
    expect(await providersOf(kind, 150).test('mine', signal)).toMatchObject({
      kind: 'failed',
      error: { code: 'provider_unavailable', retryable: true, message: expect.stringMatching(/in time/) },
    })
  })
})
