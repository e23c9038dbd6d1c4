import { afterAll, describe, expect, test } from 'vitest'
import type { ModelEvent } from '@parley/engine'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import { QUESTION, collectEvents } from '../testing/model.conformance.ts'
import { KINDS, VENDOR_CASES } from '../testing/vendor-cases.ts'
import { replyAfterHello, replyWith, repeatForever, startVendorServer } from '../testing/vendor-server.ts'

const HELLO: ModelEvent = { type: 'text', text: 'Hello' }

const server = await startVendorServer()
const elsewhere = await startVendorServer()
afterAll(() => Promise.all([server.close(), elsewhere.close()]))

const LONG = { firstByteMs: 60_000, idleMs: 60_000 }

const modelOf = (kind: ProviderKind, patience = LONG) =>
  createProviders([{ name: 'mine', kind, baseUrl: server.url, apiKey: 'made-up-key' }], {
    patience,
  }).openModel('mine', VENDOR_CASES[kind].model, { maxAttempts: 1 })

describe.each(KINDS)('[S11] %s', (kind) => {
  test('stops an endless answer, and keeps its text', async () => {
    server.script(replyAfterHello(kind, repeatForever))
    const events = await collectEvents(modelOf(kind), { maxTokens: 10 })
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

  test('does not follow a redirect, so no other host gets the key', async () => {
    elsewhere.script(replyWith(200, '{}'))
    server.script(replyWith(307, '', { location: `${elsewhere.url}/models` }))
    expect(await collectEvents(modelOf(kind))).toEqual([
      {
        type: 'failure',
        error: {
          code: 'provider_unavailable',
          retryable: false,
          message: expect.stringMatching(/redirects to 127\.0\.0\.1/),
        },
      },
    ])
    expect(elsewhere.requests).toEqual([])
  })

  test('stops at once on abort, even while the provider is silent', async () => {
    server.script(replyAfterHello(kind, () => undefined))
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

  test('emits nothing when aborted before the first byte', async () => {
    const abort = new AbortController()
    server.script(() => abort.abort())
    expect(await collectEvents(modelOf(kind), {}, abort.signal)).toEqual([])
  })

  test('a slow consumer does not count as silence of the provider', async () => {
    server.script(replyAfterHello(kind, (response, hello) => response.end(hello)))
    const impatient = modelOf(kind, { ...LONG, idleMs: 1_000 })
    const said: unknown[] = []
    for await (const event of impatient.stream(QUESTION, new AbortController().signal)) {
      if (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 1_200))
      said.push(event.type === 'failure' ? event.error.message : event)
    }
    expect(said).toEqual([HELLO, HELLO, expect.stringMatching(/ended early/)])
  })
})

const SILENT = {
  type: 'failure',
  error: expect.objectContaining({ message: expect.stringMatching(/timed out/) }),
}

test('[S11] has separate timeouts for the first byte and for later silence', async () => {
  const idle = modelOf('anthropic', { ...LONG, idleMs: 500 })
  server.script(replyAfterHello('anthropic', () => undefined))
  expect(await collectEvents(idle)).toEqual([HELLO, SILENT])
  const first = modelOf('anthropic', { ...LONG, firstByteMs: 50 })
  server.script(() => undefined)
  expect(await collectEvents(first)).toEqual([SILENT])
})

test('[S11] waits longer for a model with high reasoning effort', async () => {
  server.script(() => undefined)
  const startedAt = performance.now()
  const model = modelOf('anthropic', { firstByteMs: 60, idleMs: 60 })
  expect(await collectEvents(model, { reasoningEffort: 'high' })).toEqual([SILENT])
  // Five times sixty.
  expect(performance.now() - startedAt).toBeGreaterThan(290)
})

test('[S11] limits how long a provider may send only pings', async () => {
  server.script(
    replyAfterHello('anthropic', (response) => {
      const timer = setInterval(() => response.write(': still here\n\n'), 10)
      response.once('close', () => clearInterval(timer))
    }),
  )
  expect(await collectEvents(modelOf('anthropic', { ...LONG, idleMs: 500 }))).toEqual([HELLO, SILENT])
})
