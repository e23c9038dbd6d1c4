import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelEvent } from '@parley/engine'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import { QUESTION, told } from '../testing/model.conformance.ts'
import { KINDS, MODELS } from '../testing/models.ts'
import {
  afterHello,
  answered,
  forEver,
  startVendorServer,
  type VendorServer,
} from '../testing/vendor-server.ts'

const HELLO: ModelEvent = { type: 'text', text: 'Hello' }

let server: VendorServer
let elsewhere: VendorServer
beforeAll(async () => {
  server = await startVendorServer()
  elsewhere = await startVendorServer()
})
afterAll(() => Promise.all([server.close(), elsewhere.close()]))

const LONG = { firstByteMs: 60_000, idleMs: 60_000 }

const modelOf = (kind: ProviderKind, patience = LONG) =>
  createProviders([{ name: 'mine', kind, baseUrl: server.url, apiKey: 'made-up-key' }], { patience }).modelOf(
    'mine',
    MODELS[kind],
    { maxAttempts: 1 },
  )

describe.each(KINDS)('[S11] %s', (kind) => {
  test('an endless answer is stopped, and its text is kept', async () => {
    server.script(afterHello(kind, forEver))
    const events = await told(modelOf(kind), { maxTokens: 10 })
    const words = events.slice(0, -1)
    expect(words.length).toBeGreaterThan(1_000)
    expect(words.length).toBeLessThan(2_000)
    expect(words.every((event) => event.type === 'text' && event.text === 'Hello')).toBe(true)
    expect(events.at(-1)).toEqual({
      type: 'failure',
      error: {
        code: 'provider_unavailable',
        retryable: false,
        message: expect.stringMatching(/exceeded its output limit/),
      },
    })
  })

  test('a redirect is not followed, so that no other host gets the key', async () => {
    elsewhere.script(answered(200, '{}'))
    server.script(answered(307, '', { location: `${elsewhere.url}/models` }))
    expect(await told(modelOf(kind))).toEqual([
      {
        type: 'failure',
        error: {
          code: 'provider_unavailable',
          retryable: false,
          message: expect.stringMatching(/redirect to 127\.0\.0\.1/),
        },
      },
    ])
    expect(elsewhere.requests).toEqual([])
  })

  test('an abort ends it at once, in the midst of silence too', async () => {
    server.script(afterHello(kind, () => undefined))
    const abort = new AbortController()
    const events: ModelEvent[] = []
    const startedAt = performance.now()
    for await (const event of modelOf(kind).stream(QUESTION, abort.signal)) {
      events.push(event)
      setImmediate(() => abort.abort(new Error('enough')))
    }
    expect(events).toEqual([HELLO])
    expect(performance.now() - startedAt).toBeLessThan(LONG.idleMs / 2)
  })

  test('an abort before the first byte ends it without a word', async () => {
    const abort = new AbortController()
    server.script(() => abort.abort())
    expect(await told(modelOf(kind), {}, abort.signal)).toEqual([])
  })

  test('a listener who takes long is not the provider’s silence', async () => {
    server.script(afterHello(kind, (response, hello) => response.end(hello)))
    const impatient = modelOf(kind, { ...LONG, idleMs: 1_000 })
    const said: unknown[] = []
    for await (const event of impatient.stream(QUESTION, new AbortController().signal)) {
      if (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 1_200))
      said.push(event.type === 'failure' ? event.error.message : event)
    }
    expect(said).toEqual([HELLO, HELLO, expect.stringMatching(/broke off/)])
  })
})

const SILENT = {
  type: 'failure',
  error: expect.objectContaining({ message: expect.stringMatching(/timed out/) }),
}

test('[S11] the first byte and those after it are waited for each in its own way', async () => {
  const idle = modelOf('anthropic', { ...LONG, idleMs: 500 })
  server.script(afterHello('anthropic', () => undefined))
  expect(await told(idle)).toEqual([HELLO, SILENT])
  const first = modelOf('anthropic', { ...LONG, firstByteMs: 50 })
  server.script(() => undefined)
  expect(await told(first)).toEqual([SILENT])
})

test('[S11] a model that is to think hard is waited for longer', async () => {
  server.script(() => undefined)
  const startedAt = performance.now()
  const model = modelOf('anthropic', { firstByteMs: 60, idleMs: 60 })
  expect(await told(model, { reasoningEffort: 'high' })).toEqual([SILENT])
  // Five times sixty.
  expect(performance.now() - startedAt).toBeGreaterThan(290)
})

test('[S11] signs of life without a word are not borne for ever', async () => {
  server.script(
    afterHello('anthropic', (response) => {
      const timer = setInterval(() => response.write(': still here\n\n'), 10)
      response.once('close', () => clearInterval(timer))
    }),
  )
  expect(await told(modelOf('anthropic', { ...LONG, idleMs: 500 }))).toEqual([HELLO, SILENT])
})
