import { afterAll, describe, expect, test } from 'vitest'
import { createProviders, type ProvidersHost } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import type { ProviderSettings } from '../settings.ts'
import { replyWith, type VendorReply, startVendorServer } from '../testing/vendor-server.ts'

const KEY = 'made-up-key-0000-not-a-real-one'
const signal = new AbortController().signal

const server = await startVendorServer()
afterAll(() => server.close())

function embedderOf(
  kind: ProviderKind = 'openai-compatible',
  host: Partial<ProvidersHost> = {},
  model = 'small',
) {
  const settings: ProviderSettings = { name: 'mine', kind, baseUrl: server.url, apiKey: KEY }
  return createProviders([settings], { pause: async () => {}, ...host }).openEmbeddingModel('mine', model)
}

/** The vector of a text: its length, and 1. */
const vectorOf = (text: string) => [text.length, 1]

const VECTORS: Record<'openai' | 'google' | 'openai-compatible', VendorReply> = {
  openai: (response) => openAi(response),
  'openai-compatible': (response) => openAi(response),
  google(response) {
    const { requests } = server.lastBody() as {
      readonly requests: readonly {
        readonly content: { readonly parts: readonly { readonly text: string }[] }
      }[]
    }
    const embeddings = requests.map(({ content }) => ({ values: vectorOf(content.parts[0]?.text ?? '') }))
    replyWith(200, JSON.stringify({ embeddings }))(response)
  },
}

const openAi: VendorReply = (response) => {
  const { input } = server.lastBody() as { readonly input: readonly string[] }
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  replyWith(200, JSON.stringify({ object: 'list', data, model: 'small' }))(response)
}

const raw = (...embeddings: readonly unknown[]): VendorReply =>
  replyWith(200, JSON.stringify({ data: embeddings.map((embedding) => ({ embedding })) }))

describe('[K5] embeddings', () => {
  test.each(['openai', 'google', 'openai-compatible'] as const)('of %s, one per text', async (kind) => {
    server.script(VECTORS[kind])
    const embedder = embedderOf(kind)
    expect(embedder.model).toBe('mine/small')
    expect(await embedder.embed(['four', 'seven'], signal)).toEqual([
      Float32Array.of(4, 1),
      Float32Array.of(5, 1),
    ])
    const [request] = server.requests
    expect(JSON.stringify(request?.headers)).toContain(KEY)
    expect(request?.body).toContain('seven')
  })

  test('of many texts are requested in batches, and returned in order', async () => {
    server.script(VECTORS['openai-compatible'])
    const texts = Array.from({ length: 150 }, (_, n) => 'x'.repeat(n + 1))
    const vectors = await embedderOf().embed(texts, signal)
    expect(vectors.map(([length]) => length)).toEqual(texts.map(({ length }) => length))
    expect(server.requests).toHaveLength(3)
  })

  test('of no texts need no request', async () => {
    server.script(VECTORS['openai-compatible'])
    expect(await embedderOf().embed([], signal)).toEqual([])
    expect(server.requests).toHaveLength(0)
  })

  test('are requested again after a temporary error', async () => {
    server.script(replyWith(503, '{}'), VECTORS['openai-compatible'])
    expect(await embedderOf().embed(['four'], signal)).toHaveLength(1)
    expect(server.requests).toHaveLength(2)
  })
})

test.each<[string, VendorReply, object]>([
  ['a rejected key', replyWith(401, '{"error":{"message":"no"}}'), { code: 'provider_auth' }],
  [
    'an unknown model',
    replyWith(404, '{}'),
    { code: 'validation', message: expect.stringContaining('small') },
  ],
  [
    'no vector',
    raw([]),
    { code: 'validation', message: expect.stringContaining('choose an embedding model') },
  ],
  ['too few', raw([1, 2]), { code: 'validation' }],
  ['too many', raw([1, 2], [1, 2], [1, 2]), { code: 'validation' }],
  ['different lengths', raw([1, 2], [1]), { code: 'validation' }],
  ['an infinite number', raw([1, 1e300], [1, 2]), { code: 'validation' }],
  ['a zero vector', raw([0, 0], [1, 2]), { code: 'validation' }],
  ['another response', replyWith(200, '{"object":"list"}'), { code: 'provider_unavailable' }],
  ['a web page', replyWith(200, '<html></html>'), { code: 'provider_unavailable' }],
])('[S11] reports %s, without the key', async (_, reply, expected) => {
  server.script(reply)
  const failure: unknown = await embedderOf()
    .embed(['one', 'two'], signal)
    .catch((thrown: unknown) => thrown)
  expect(failure).toMatchObject(expected)
  expect(String(failure)).not.toContain(KEY)
})

test('[S11] stops waiting for a silent provider', async () => {
  server.script(() => {})
  const embedder = embedderOf('openai-compatible', { patience: { firstByteMs: 20, idleMs: 20 } })
  await expect(embedder.embed(['one'], signal)).rejects.toMatchObject({ code: 'provider_unavailable' })
})

test('[S11] pauses a provider that failed repeatedly', async () => {
  server.script(replyWith(503, '{}'))
  const embedder = embedderOf()
  for (let time = 1; time <= 3; time += 1)
    await expect(embedder.embed(['one'], signal)).rejects.toMatchObject({ code: 'provider_unavailable' })
  const { length } = server.requests
  await expect(embedder.embed(['one'], signal)).rejects.toThrow('Paused for')
  expect(server.requests).toHaveLength(length)
})

test('[S11] an abort throws the caller’s reason, and does not count as a failure', async () => {
  const asking = new AbortController()
  server.script(() => asking.abort(new Error('gone')), VECTORS['openai-compatible'])
  const embedder = embedderOf()
  await expect(embedder.embed(['one'], asking.signal)).rejects.toThrow('gone')
  expect(await embedder.embed(['four'], signal)).toHaveLength(1)
})

test.each<[string, ProviderSettings]>([
  ['anthropic', { name: 'mine', kind: 'anthropic', apiKey: KEY }],
  ['offline', { name: 'mine', kind: 'offline' }],
])('[S11] %s has no embedding models, and the error names providers that do', (_, settings) => {
  expect(() => createProviders([settings]).openEmbeddingModel('mine', 'small')).toThrow(
    'The provider mine has no embedding models. Use OpenAI, Google or an OpenAI-compatible server.',
  )
})
