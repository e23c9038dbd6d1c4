import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LlmMessage, ContentPart, ModelEvent, ModelRequest } from '@parley/engine'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import { collectEvents } from '../testing/model.conformance.ts'
import { KINDS, MODELS } from '../testing/models.ts'
import { fixture, startVendorServer, streamed, type VendorServer } from '../testing/vendor-server.ts'

let server: VendorServer
beforeAll(async () => {
  server = await startVendorServer()
})
afterAll(() => server.close())

interface Named {
  readonly name: string
  readonly model: string
}

const modelOf = (kind: ProviderKind, { name, model }: Named = { name: kind, model: MODELS[kind] }) =>
  createProviders([{ name, kind, baseUrl: server.url, apiKey: 'made-up-key' }]).modelOf(name, model)

/** The body of the request that the vendor gets. */
async function sent(kind: ProviderKind, request: Partial<ModelRequest>, as?: Named): Promise<string> {
  server.script(streamed(fixture(kind, 'text')))
  expect((await collectEvents(modelOf(kind, as), request)).at(-1)).toMatchObject({ type: 'finish' })
  return JSON.stringify(server.lastBody())
}

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] })
/** What the engine makes of a model's events, and gives back with the next request. */
function messageOf(events: readonly ModelEvent[]): LlmMessage {
  const content: ContentPart[] = []
  for (const event of events) {
    const last = content.at(-1)
    if (event.type === 'tool_call') {
      content.push({ type: 'tool_call', call: event.call, ...(event.proof && { proof: event.proof }) })
    } else if (event.type === 'proof' && last) {
      content.splice(-1, 1, { ...last, proof: event.proof })
    } else if (event.type === 'text' || event.type === 'reasoning') {
      if (last?.type === event.type && !last.proof) last.text += event.text
      else content.push({ type: event.type, text: event.text })
    }
  }
  return { role: 'assistant', content }
}

const SIGNED: Record<Exclude<ProviderKind, 'openai-compatible'>, Readonly<Record<string, unknown>>> = {
  anthropic: {
    reasoning: { type: 'thinking', thinking: 'The person greets me.', signature: 'c2lnbmVkLWJ5LW1hZGUtdXA=' },
    'hidden-reasoning': { type: 'redacted_thinking', data: 'aGlkZGVu' },
  },
  openai: {
    reasoning: {
      type: 'reasoning',
      id: 'rs_0',
      encrypted_content: 'ZW5jcnlwdGVk',
      summary: [{ type: 'summary_text', text: 'The person greets me.' }],
    },
    'hidden-reasoning': { type: 'reasoning', id: 'rs_0', encrypted_content: 'ZW5jcnlwdGVk', summary: [] },
  },
  google: {
    reasoning: { text: 'The person greets me.', thought: true, thoughtSignature: 'c2lnbmVk' },
    'hidden-reasoning': { text: 'Hello', thoughtSignature: 'aGlkZGVu' },
    calls: {
      functionCall: { id: 'call_1', name: 'read_file', args: { path: 'a.md' } },
      thoughtSignature: 'c2lnbmVk',
    },
  },
}

const SIGNATURES = Object.entries(SIGNED).flatMap(([kind, streams]) =>
  Object.entries(streams).map(([stream, expected]) => [kind as ProviderKind, stream, expected] as const),
)

describe('[S11] signatures', () => {
  test.each(SIGNATURES)('%s gets its %s back, and no other provider does', async (kind, stream, expected) => {
    server.script(streamed(fixture(kind, stream)))
    const said = messageOf(await collectEvents(modelOf(kind)))
    const request = { messages: [user('Hello!'), said, user('And now?')] }
    expect(await sent(kind, request)).toContain(JSON.stringify(expected).slice(0, -1))
    const signature = /c2lnbmVk|aGlkZGVu|ZW5jcnlwdGVk|greets me/
    expect(await sent(kind, request, { name: 'another', model: MODELS[kind] })).not.toMatch(signature)
    expect(await sent(kind, request, { name: kind, model: 'another' })).not.toMatch(signature)
    for (const other of KINDS.filter((each) => each !== kind)) {
      expect(await sent(other, request, { name: kind, model: MODELS[kind] })).not.toMatch(signature)
    }
  })

  test('unsigned reasoning is reported, but not sent back', async () => {
    server.script(streamed(fixture('openai-compatible', 'reasoning')))
    const events = await collectEvents(modelOf('openai-compatible'))
    expect(events.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text', 'finish'])
    const request = { messages: [user('Hello!'), messageOf(events), user('And now?')] }
    expect(await sent('openai-compatible', request)).not.toContain('greets me')
  })
})
