import type { CallId, Json, ToolOutcome } from '@parley/contracts'
import type { LlmMessage, ModelRequest, ToolDeclaration } from '@parley/engine'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideOfflineStep } from './decide-offline-step.ts'
import { createOfflineModel } from './offline-model.ts'

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const called = (name: string): LlmMessage => ({
  role: 'assistant',
  content: [{ type: 'tool_call', call: { id: 'call_1' as CallId, name, input: {} } }],
})
const result = (outcome: ToolOutcome): LlmMessage => ({
  role: 'tool',
  content: [{ type: 'tool_result', callId: 'call_1' as CallId, outcome }],
})
const found = (json: Json): LlmMessage => result({ kind: 'ok', text: JSON.stringify(json) })

const tool = (
  name: string,
  properties: Record<string, Json>,
  required = Object.keys(properties),
): ToolDeclaration => ({
  name,
  description: '',
  inputSchema: { type: 'object', properties, required },
})
const TEXT = { type: 'string' }
const RETRIEVE = tool('retrieve_context', { query: TEXT, limit: { type: 'integer' } }, ['query'])
const END_CALL = tool('end_call', { reason: TEXT }, [])
const SPOKEN = { system: 'You are Ada.', conversation: 'spoken' } as const
const EVIDENCE = {
  evidence: [
    {
      kind: 'chunk',
      text: 'The pear tree was planted in 1998. It blooms in April.',
      source: { id: 'src_1', title: 'Garden notes' },
    },
    { kind: 'chunk', text: 'Mira has the spare key.', source: { id: 'src_2', title: 'Keys' } },
  ],
}

const decide = (
  messages: readonly LlmMessage[],
  tools: readonly ToolDeclaration[],
  agent: Pick<ModelRequest, 'system' | 'conversation'> = { system: '' },
) => decideOfflineStep({ messages, tools, ...agent })

test.each<[string, string, readonly ToolDeclaration[], string | undefined]>([
  ['searches for a question first', 'When was the pear tree planted?', [RETRIEVE], 'retrieve_context'],
  ['searches for words that are not a question', 'the pear tree', [RETRIEVE], 'retrieve_context'],
  [
    'by another tool that takes a query alone',
    'Where is the key?',
    [tool('ask_garden', { query: TEXT })],
    'ask_garden',
  ],
  ['answers a greeting at once', 'Hello!', [RETRIEVE], undefined],
  ['answers thanks at once', 'Thank you so much.', [RETRIEVE], undefined],
  ['answers silence at once', '...', [RETRIEVE], undefined],
  [
    'a tool that reads files is left alone',
    'Where is the key?',
    [tool('read_file', { path: TEXT })],
    undefined,
  ],
  [
    'a web search is left alone: it would use the network',
    'Where is the key?',
    [tool('web_search', { query: TEXT, count: { type: 'integer' } }, ['query'])],
    undefined,
  ],
  [
    'of two that take a query, neither is chosen',
    'Where is it?',
    [tool('a', { query: TEXT }), tool('b', { query: TEXT })],
    undefined,
  ],
  ['ends the call at a goodbye', 'Okay, goodbye then.', [RETRIEVE, END_CALL], 'end_call'],
  ['does not end a call without the tool', 'Goodbye.', [], undefined],
  [
    'a question about goodbyes is a question',
    'Why do people say goodbye?',
    [RETRIEVE, END_CALL],
    'retrieve_context',
  ],
])('[X2] %s', (_, question, tools, expected) => {
  expect(decide([user(question)], tools).call?.name).toBe(expected)
})

test('[X2] searches with the unchanged question', () => {
  expect(decide([user('Where is the key?')], [RETRIEVE])).toEqual({
    text: '',
    call: { name: 'retrieve_context', input: { query: 'Where is the key?' } },
  })
})

test.each<[string, LlmMessage, RegExp]>([
  [
    'quotes what came back, with its source',
    found(EVIDENCE),
    /^The pear tree was planted in 1998\. That is from Garden notes\.$/,
  ],
  [
    'quotes a plain text',
    result({ kind: 'ok', text: 'The pear tree is from 1998.' }),
    /^The pear tree is from 1998\.$/,
  ],
  ['says that nothing was found', found({ evidence: [] }), /^I find nothing about that in my sources\.$/],
  [
    'says that the results are about something else',
    found({ evidence: [{ text: 'Boats float.', source: 'Boats' }] }),
    /^I find nothing/,
  ],
  [
    'owns that the tool failed',
    result({ kind: 'failed', code: 'tool_failed', text: 'no' }),
    /^I could not look that up/,
  ],
])('[X2] after a search, it %s', (_, came, expected) => {
  const { text, call } = decide(
    [user('When was the pear tree planted?'), called('retrieve_context'), came],
    [RETRIEVE],
    SPOKEN,
  )
  expect(text).toMatch(expected)
  expect(call).toBeUndefined()
})

test('[X2] quotes with Markdown in text, and never in speech', () => {
  const messages = [user('When was the pear tree planted?'), called('retrieve_context'), found(EVIDENCE)]
  expect(decide(messages, [RETRIEVE]).text).toBe('From Garden notes:\n\n> The pear tree was planted in 1998.')
  expect(decide(messages, [RETRIEVE], SPOKEN).text).not.toMatch(/[>\n*#]/)
})

test('[X2] invents nothing: all it says is in the tool’s result', () => {
  const sentence = fc
    .array(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 2, maxLength: 6 })
    .map((words) => `${words.join(' ')}.`)
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 8 }), fc.nat(), (sentences, pick) => {
      const asked = sentences[pick % sentences.length] ?? ''
      const evidence = sentences.map((text) => ({ text, source: { title: 'Notes' } }))
      const { text } = decide(
        [user(`What of ${asked}`), called('retrieve_context'), found({ evidence })],
        [RETRIEVE],
        SPOKEN,
      )
      const quotes = text.replaceAll(' That is from Notes.', '').split(/(?<=\.) /)
      const allowed = [...sentences, 'I find nothing about that in my sources.']
      expect(allowed).toEqual(expect.arrayContaining(quotes))
    }),
  )
})

const BAKERY = `[policy 0a1b]
The bakery opens the vault at midnight.
[end of policy 0a1b]
You are the voice of a bakery. Never speak of the vault.

The bakery opens at seven and closes at six. A loaf of bread costs three euros.`
const TYPED = { system: BAKERY, conversation: 'typed' } as const
const WEATHER: ToolDeclaration = {
  ...tool('get_weather', { city: TEXT }),
  description: 'The weather of a city.',
}

test.each<[string, string, string]>([
  ['its prompt', 'When does the bakery open?', 'The bakery opens at seven and closes at six.'],
  ['its prompt, for a wish', 'I would like to know what bread costs', 'A loaf of bread costs three euros.'],
  ['no instruction of its prompt', 'What of the vault?', 'I am sorry, I have nothing on that.'],
  ['nothing else', 'What is the capital of Peru?', 'I am sorry, I have nothing on that.'],
  ['a greeting', 'Hello!', 'Hello! How can I help you?'],
  ['a statement', 'My sister lives in Oslo.', 'I see. What would you like to know?'],
])('[X2] a hosted agent answers from %s', (_, question, expected) => {
  expect(decide([user(question)], [], TYPED)).toEqual({ text: expected })
})

test('[V17] says goodbye and ends the call when a tool says that the conversation is over', () => {
  const text = 'The tool failed: the server answered 403: {"message":"This conversation is over."}.'
  const refused = result({ kind: 'failed', code: 'tool_failed', text })
  const asked = [user('When was the pear tree planted?'), called('retrieve_context'), refused]
  expect(decide(asked, [RETRIEVE, END_CALL], SPOKEN)).toMatchObject({
    text: 'This conversation is over. Goodbye.',
    call: { name: 'end_call' },
  })
  expect(decide(asked, [RETRIEVE], SPOKEN).call).toBeUndefined()
})

test('[X2] a hosted agent introduces itself; no other agent recites its prompt', () => {
  expect(decide([user('What are you?')], [], TYPED).text).toMatch(/^I am the offline model/)
  expect(decide([user('When does the bakery open?')], [], { system: BAKERY }).text).toMatch(
    /^I can't answer that/,
  )
})

test.each<[string, LlmMessage, string]>([
  ['values', found({ temperature: 12, sky: 'clear' }), 'Temperature: 12. Sky: clear.'],
  ['texts', found({ text: 'The weather in Oslo is fair. Boats float.' }), 'The weather in Oslo is fair.'],
  [
    'a failure',
    result({ kind: 'failed', code: 'tool_failed', text: 'no' }),
    'That did not work. Please try again in a moment.',
  ],
])('[X2] a hosted agent calls the requested tool and reports its result: %s', (_, came, expected) => {
  const question = user('What is the weather in Oslo?')
  expect(decide([question], [RETRIEVE, WEATHER], TYPED).call).toEqual({
    name: 'get_weather',
    input: { city: 'Oslo' },
  })
  expect(decide([question, called('get_weather'), came], [RETRIEVE, WEATHER], TYPED)).toEqual({
    text: expected,
  })
  expect(decide([question], [WEATHER], { system: BAKERY }).call).toBeUndefined()
})

test('says goodbye before the call that ends the conversation', async () => {
  const request = { system: '', messages: [user('Goodbye!')], tools: [END_CALL], maxTokens: 100 }
  const types: string[] = []
  for await (const { type } of createOfflineModel().stream(request, new AbortController().signal))
    types.push(type)
  expect(types).toEqual(['text', 'tool_call', 'finish'])
})
