import { afterAll, describe, expect, test } from 'vitest'
import type { CallId } from '@parley/contracts'
import type { LlmMessage, ContentPart, ModelRequest } from '@parley/engine'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import { collectEvents } from '../testing/model.conformance.ts'
import { KINDS, VENDOR_CASES } from '../testing/vendor-cases.ts'
import { readFixture, startVendorServer, replyWithStream } from '../testing/vendor-server.ts'

const server = await startVendorServer()
afterAll(() => server.close())

const modelOf = (kind: ProviderKind) =>
  createProviders([{ name: kind, kind, baseUrl: server.url, apiKey: 'made-up-key' }]).openModel(
    kind,
    VENDOR_CASES[kind].model,
  )

/** The body of the request that the vendor gets. */
async function sent(kind: ProviderKind, request: Partial<ModelRequest>): Promise<string> {
  server.script(replyWithStream(readFixture(kind, 'text')))
  expect((await collectEvents(modelOf(kind), request)).at(-1)).toMatchObject({ type: 'finish' })
  return JSON.stringify(server.lastBody())
}

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const callId = 'call_1' as CallId
const call: ContentPart = {
  type: 'tool_call',
  call: { id: callId, name: 'read_file', input: { path: 'a.md' } },
}
const failed: LlmMessage = {
  role: 'tool',
  content: [
    { type: 'tool_result', callId, outcome: { kind: 'failed', code: 'tool_denied', text: 'not allowed' } },
  ],
}

const media = (digit: string, mediaType: string, name: string): ContentPart => ({
  type: 'media',
  handle: `media://sha256-${digit.repeat(64)}`,
  mediaType,
  name,
})

describe.each(KINDS)('[S11] %s', (kind) => {
  const { tokenLimit, highEffort, failedCall } = VENDOR_CASES[kind].request

  test('always has a token limit', async () => {
    expect(await sent(kind, {})).toContain(tokenLimit)
  })

  test('gets the reasoning effort', async () => {
    expect(await sent(kind, { reasoningEffort: 'high' })).toMatch(highEffort)
    expect(await sent(kind, {})).not.toMatch(highEffort)
  })

  test('is shown that a call failed', async () => {
    const messages = [user('Read a.md'), { role: 'assistant', content: [call] } as const, failed]
    expect(await sent(kind, { messages })).toContain(failedCall)
  })

  test('gets no empty text', async () => {
    const messages = [
      user('Hello!'),
      { role: 'assistant', content: [{ type: 'text', text: '' }, call] } as const,
    ]
    expect(await sent(kind, { messages })).not.toMatch(/"text":"\s*"/)
  })

  test('gets all system messages in its prompt, later ones too', async () => {
    const note: LlmMessage = { role: 'system', content: [{ type: 'text', text: 'Speak Norwegian.' }] }
    expect(await sent(kind, { messages: [user('Hello!'), note] })).toContain(
      'Be brief.\\n\\nSpeak Norwegian.',
    )
  })

  test('gets supported media, and notes for the rest', async () => {
    const content = [
      media('1', 'image/png', 'cat.png'),
      media('2', 'application/pdf', 'deed.pdf'),
      media('3', 'text/plain', 'notes.txt'),
      media('4', 'video/x-strange', 'film.xyz'),
      media('5', 'image/png', 'gone.png'),
      media('6', 'image/png', 'broken.png'),
    ]
    const bytes: Readonly<Record<string, string>> = { 1: 'PNG!', 2: '%PDF', 3: 'pears', 4: 'film' }
    const types: Readonly<Record<string, string>> = {
      1: 'image/png',
      2: 'application/pdf',
      3: 'text/plain',
      4: 'video/x-strange',
    }
    const readMedia: NonNullable<ModelRequest['readMedia']> = async (handle) => {
      const digit = handle.at(-1) ?? ''
      if (digit === '6') throw new Error('the disk is full')
      const text = bytes[digit]
      return text === undefined
        ? undefined
        : { mediaType: types[digit] ?? '', bytes: new TextEncoder().encode(text) }
    }
    const body = await sent(kind, { messages: [{ role: 'user', content }], readMedia })
    expect(body).toContain(btoa('PNG!'))
    expect(body).toContain(btoa('%PDF'))
    expect(body).toContain('\\npears\\n')
    expect(body).toContain('film.xyz (video/x-strange) has a type that this model cannot read')
    expect(body).toContain('gone.png (image/png) is no longer available')
    expect(body).toContain('broken.png (image/png) is no longer available')
  })
})

test('[S11] Anthropic gets cache marks on the prompt and the latest messages', async () => {
  const messages = [
    user('One'),
    { role: 'assistant', content: [{ type: 'text', text: 'Two' }] } as const,
    user('Three'),
  ]
  const body = await sent('anthropic', { messages })
  const kept = '"cache_control":{"type":"ephemeral"}'
  expect(body).toContain(`"text":"Be brief.",${kept}`)
  expect(body).toContain(`"text":"Three",${kept}`)
  expect(body.split(kept)).toHaveLength(4)
})

test('[S11] Anthropic does not think after calls of another model', async () => {
  const messages = [user('Read a.md'), { role: 'assistant', content: [call] } as const, failed]
  expect(await sent('anthropic', { messages, reasoningEffort: 'high' })).not.toContain('"thinking"')
})

test('[S11] OpenAI stores nothing', async () => {
  expect(await sent('openai', {})).toContain('"store":false')
})

test.each(KINDS)('[S1] %s gets the output schema, but not together with tools', async (kind) => {
  const expected = VENDOR_CASES[kind].request.outputSchema
  const outputSchema = { type: 'object', properties: { answer: { type: 'string' } } }
  expect(await sent(kind, { outputSchema })).toMatch(expected)
  const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }]
  expect(await sent(kind, { outputSchema, tools })).not.toMatch(expected)
  expect(await sent(kind, {})).not.toMatch(expected)
})
