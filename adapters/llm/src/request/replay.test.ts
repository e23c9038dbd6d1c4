import { afterAll, describe, expect, test } from 'vitest'
import type { LlmMessage, ContentPart, ModelEvent, ModelRequest } from '@parley/engine'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import { collectEvents } from '../testing/model.conformance.ts'
import { KINDS, VENDOR_CASES } from '../testing/vendor-cases.ts'
import { readFixture, startVendorServer, replyWithStream } from '../testing/vendor-server.ts'

const server = await startVendorServer()
afterAll(() => server.close())

interface Named {
  readonly name: string
  readonly model: string
}

const modelOf = (
  kind: ProviderKind,
  { name, model }: Named = { name: kind, model: VENDOR_CASES[kind].model },
) => createProviders([{ name, kind, baseUrl: server.url, apiKey: 'made-up-key' }]).openModel(name, model)

/** The body of the request that the vendor gets. */
async function sent(kind: ProviderKind, request: Partial<ModelRequest>, as?: Named): Promise<string> {
  server.script(replyWithStream(readFixture(kind, 'text')))
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
      content.push({
        type: 'tool_call',
        call: event.call,
        ...(event.signature && { signature: event.signature }),
      })
    } else if (event.type === 'signature' && last) {
      content.splice(-1, 1, { ...last, signature: event.signature })
    } else if (event.type === 'text' || event.type === 'reasoning') {
      if (last?.type === event.type && !last.signature) last.text += event.text
      else content.push({ type: event.type, text: event.text })
    }
  }
  return { role: 'assistant', content }
}

const SIGNATURES = KINDS.flatMap((kind) =>
  Object.entries(VENDOR_CASES[kind].signedParts).map(([stream, part]) => [kind, stream, part] as const),
)

describe('[S11] signatures', () => {
  test.each(SIGNATURES)('%s gets its %s back, and no other provider does', async (kind, stream, expected) => {
    server.script(replyWithStream(readFixture(kind, stream)))
    const said = messageOf(await collectEvents(modelOf(kind)))
    const request = { messages: [user('Hello!'), said, user('And now?')] }
    expect(await sent(kind, request)).toContain(JSON.stringify(expected).slice(0, -1))
    const signature = /c2lnbmVk|aGlkZGVu|ZW5jcnlwdGVk|greets me/
    expect(await sent(kind, request, { name: 'another', model: VENDOR_CASES[kind].model })).not.toMatch(
      signature,
    )
    expect(await sent(kind, request, { name: kind, model: 'another' })).not.toMatch(signature)
    for (const other of KINDS.filter((each) => each !== kind)) {
      expect(await sent(other, request, { name: kind, model: VENDOR_CASES[kind].model })).not.toMatch(
        signature,
      )
    }
  })

  test('unsigned reasoning is reported, but not sent back', async () => {
    server.script(replyWithStream(readFixture('openai-compatible', 'reasoning')))
    const events = await collectEvents(modelOf('openai-compatible'))
    expect(events.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text', 'finish'])
    const request = { messages: [user('Hello!'), messageOf(events), user('And now?')] }
    expect(await sent('openai-compatible', request)).not.toContain('greets me')
  })
})
