import { afterAll, describe, expect, test } from 'vitest'
import type { ModelEvent } from '@parley/engine'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import { describeModel, collectEvents } from '../testing/model.conformance.ts'
import { KINDS, VENDOR_CASES } from '../testing/vendor-cases.ts'
import { readFixture, startVendorServer, replyWithStream } from '../testing/vendor-server.ts'

const server = await startVendorServer()
afterAll(() => server.close())

const modelOf = (kind: ProviderKind, name: string = kind) =>
  createProviders([{ name, kind, baseUrl: server.url, apiKey: 'made-up-key' }]).openModel(
    name,
    VENDOR_CASES[kind].model,
  )

const plays = (kind: ProviderKind, name: string) => {
  server.script(replyWithStream(readFixture(kind, name)))
  return collectEvents(modelOf(kind))
}

for (const kind of KINDS) {
  describeModel(kind, async () => {
    server.script(replyWithStream(readFixture(kind, 'text')))
    return modelOf(kind)
  })
}
describeModel('offline', async () =>
  createProviders([{ name: 'off', kind: 'offline' }]).openModel('off', 'offline'),
)

const kindsThatSend = (stream: 'no-usage' | 'bad-call') =>
  KINDS.filter((kind) => !VENDOR_CASES[kind].impossibleStreams?.includes(stream))

const USED = { inputTokens: 132, outputTokens: 15, cachedInputTokens: 100 }
const HELLO: ModelEvent = { type: 'text', text: 'Hello' }

describe.each(KINDS)('[S11] %s', (kind) => {
  test('streams text, and reports the usage', async () => {
    const { cacheWriteTokens } = VENDOR_CASES[kind]
    const usage = cacheWriteTokens === undefined ? USED : { ...USED, cacheWriteTokens }
    expect(await plays(kind, 'text')).toEqual([
      HELLO,
      { type: 'text', text: ' there.' },
      { type: 'finish', reason: 'completed', usage },
    ])
  })

  test('joins the chunks of a call, and separates two calls of one answer', async () => {
    const events = await plays(kind, 'calls')
    const [first, second] = VENDOR_CASES[kind].callIds
    expect(events.map(({ type }) => type)).toEqual(['text', 'tool_call', 'tool_call', 'finish'])
    expect(events[1]).toMatchObject({ call: { id: first, name: 'read_file', input: { path: 'a.md' } } })
    expect(events[2]).toMatchObject({ call: { id: second, name: 'read_file', input: { path: 'b.md' } } })
    expect(events[3]).toMatchObject({ reason: 'completed' })
  })

  test('reports that the token limit was reached', async () => {
    const events = await plays(kind, 'max-tokens')
    expect(events).toEqual([HELLO, expect.objectContaining({ type: 'finish', reason: 'max_tokens' })])
  })

  test('reports a content refusal as not retryable', async () => {
    const events = await plays(kind, 'refusal')
    expect(events).toEqual([
      HELLO,
      { type: 'failure', error: expect.objectContaining({ code: 'content_filter', retryable: false }) },
    ])
  })

  test.each(['no-finish', 'error-within'])(
    '%s: keeps the text, and reports a retryable failure',
    async (name) => {
      expect(await plays(kind, name)).toEqual([
        HELLO,
        {
          type: 'failure',
          error: expect.objectContaining({ code: 'provider_unavailable', retryable: true }),
        },
      ])
      expect(server.requests).toHaveLength(1)
    },
  )
})

test.each(kindsThatSend('no-usage'))('[S11] %s: missing usage is absent, not zero', async (kind) => {
  expect(await plays(kind, 'no-usage')).toEqual([HELLO, { type: 'finish', reason: 'completed' }])
})

test.each(kindsThatSend('bad-call'))(
  '[S11] %s: passes on a call with invalid JSON as text, for its tool to refuse',
  async (kind) => {
    const call = (await plays(kind, 'bad-call'))[0]
    expect(call).toMatchObject({ type: 'tool_call', call: { name: 'read_file', input: '{"path": "a.' } })
  },
)
