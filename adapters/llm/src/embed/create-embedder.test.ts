import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProviders, type ProvidersHost } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import type { ProviderSettings } from '../settings.ts'
import { answered, type Reply, startVendorServer, type VendorServer } from '../testing/vendor-server.ts'

const KEY = 'made-up-key-0000-not-a-real-one'
const signal = new AbortController().signal

let server: VendorServer
beforeAll(async () => {
  server = await startVendorServer()
})
afterAll(() => server.close())

function embedderOf(
  kind: ProviderKind = 'openai-compatible',
  host: Partial<ProvidersHost> = {},
  model = 'small',
) {
  const settings: ProviderSettings = { name: 'mine', kind, baseUrl: server.url, apiKey: KEY }
  return createProviders([settings], { sleep: async () => {}, ...host }).embedderOf('mine', model)
}

/** A vector a text: its length, and one. */
const vectorOf = (text: string) => [text.length, 1]

const VECTORS: Record<'openai' | 'google' | 'openai-compatible', Reply> = {
  openai: (response) => openAi(response),
  'openai-compatible': (response) => openAi(response),
  google(response) {
    const { requests } = server.lastBody() as {
      readonly requests: readonly {
        readonly content: { readonly parts: readonly { readonly text: string }[] }
      }[]
    }
    const embeddings = requests.map(({ content }) => ({ values: vectorOf(content.parts[0]?.text ?? '') }))
    answered(200, JSON.stringify({ embeddings }))(response)
  },
}

const openAi: Reply = (response) => {
  const { input } = server.lastBody() as { readonly input: readonly string[] }
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  answered(200, JSON.stringify({ object: 'list', data, model: 'small' }))(response)
}

const raw = (...embeddings: readonly unknown[]): Reply =>
  answered(200, JSON.stringify({ data: embeddings.map((embedding) => ({ embedding })) }))

describe('[K5] vectors', () => {
  test.each(['openai', 'google', 'openai-compatible'] as const)('of %s, one a text', async (kind) => {
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

  test('of many texts are asked for a few at a time, and come in order', async () => {
    server.script(VECTORS['openai-compatible'])
    const texts = Array.from({ length: 150 }, (_, n) => 'x'.repeat(n + 1))
    const vectors = await embedderOf().embed(texts, signal)
    expect(vectors.map(([length]) => length)).toEqual(texts.map(({ length }) => length))
    expect(server.requests).toHaveLength(3)
  })

  test('of nothing are nothing', async () => {
    server.script(VECTORS['openai-compatible'])
    expect(await embedderOf().embed([], signal)).toEqual([])
    expect(server.requests).toHaveLength(0)
  })

  test('are asked for again where that may help', async () => {
    server.script(answered(503, '{}'), VECTORS['openai-compatible'])
    expect(await embedderOf().embed(['four'], signal)).toHaveLength(1)
    expect(server.requests).toHaveLength(2)
  })
})

test.each<[string, Reply, object]>([
  ['a key that is refused', answered(401, '{"error":{"message":"no"}}'), { code: 'provider_auth' }],
  [
    'a model that is not there',
    answered(404, '{}'),
    { code: 'validation', message: expect.stringContaining('small') },
  ],
  ['no vector', raw([]), { code: 'validation', message: expect.stringContaining('name a model') }],
  ['too few', raw([1, 2]), { code: 'validation' }],
  ['too many', raw([1, 2], [1, 2], [1, 2]), { code: 'validation' }],
  ['of two lengths', raw([1, 2], [1]), { code: 'validation' }],
  ['beyond any number', raw([1, 1e300], [1, 2]), { code: 'validation' }],
  ['without a direction', raw([0, 0], [1, 2]), { code: 'validation' }],
  ['something else', answered(200, '{"object":"list"}'), { code: 'provider_unavailable' }],
  ['a web page', answered(200, '<html></html>'), { code: 'provider_unavailable' }],
])('[S11] %s is told, without the key', async (_, reply, expected) => {
  server.script(reply)
  const failure: unknown = await embedderOf()
    .embed(['one', 'two'], signal)
    .catch((thrown: unknown) => thrown)
  expect(failure).toMatchObject(expected)
  expect(String(failure)).not.toContain(KEY)
})

test('[S11] a provider that is silent is not waited for', async () => {
  server.script(() => {})
  const embedder = embedderOf('openai-compatible', { patience: { firstByteMs: 20, idleMs: 20 } })
  await expect(embedder.embed(['one'], signal)).rejects.toMatchObject({ code: 'provider_unavailable' })
})

test('[S11] one that failed repeatedly is left alone for a while', async () => {
  server.script(answered(503, '{}'))
  const embedder = embedderOf()
  for (let time = 1; time <= 3; time += 1)
    await expect(embedder.embed(['one'], signal)).rejects.toMatchObject({ code: 'provider_unavailable' })
  const { length } = server.requests
  await expect(embedder.embed(['one'], signal)).rejects.toThrow('Not asked again')
  expect(server.requests).toHaveLength(length)
})

test('[S11] an abort throws the reason of the caller, and does not count as a failure of the provider', async () => {
  const asking = new AbortController()
  server.script(() => asking.abort(new Error('gone')), VECTORS['openai-compatible'])
  const embedder = embedderOf()
  await expect(embedder.embed(['one'], asking.signal)).rejects.toThrow('gone')
  expect(await embedder.embed(['four'], signal)).toHaveLength(1)
})

test.each<[string, ProviderSettings]>([
  ['anthropic', { name: 'mine', kind: 'anthropic', apiKey: KEY }],
  ['offline', { name: 'mine', kind: 'offline' }],
])('[S11] %s makes no vectors, and says who does', (_, settings) => {
  expect(() => createProviders([settings]).embedderOf('mine', 'small')).toThrow(
    'The provider mine has no models that make embeddings',
  )
})
