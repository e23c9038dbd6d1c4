import type { LlmMessage, ModelEvent, ToolDeclaration } from '@parley/engine'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerMessage } from './answer-message.ts'
import { createOfflineModel } from './offline-model.ts'

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (text: string): LlmMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })
const file = (name: string, body: string) => `<file path="${name}">\n${body}\n</file>`
const NOTES = file(
  'garden.md',
  '# Garden\n\n- The pear tree was planted in 1998.\n- Water the ferns twice a week.\n\nThe shed key hangs behind the door. Mira has the spare.',
)

test.each<[string, readonly LlmMessage[], RegExp]>([
  ['greets, and says that it is offline', [user('Hello!')], /^Hello\. I am the offline model/],
  ['introduces itself', [user('What are you?')], /offline model/],
  [
    'quotes the sentence that answers, and names the file',
    [user(`When was the pear tree planted?\n\n${NOTES}`)],
    /^From garden\.md:\n\n> The pear tree was planted in 1998\.$/,
  ],
  [
    'finds other forms of a word',
    [user(`Who is watering ferns?\n\n${NOTES}`)],
    /> Water the ferns twice a week\./,
  ],
  [
    'answers a later question from an earlier file',
    [user(NOTES), assistant('Ask.'), user('Where is the shed key?')],
    /> The shed key hangs behind the door\./,
  ],
  [
    'quotes what the person said',
    [user('My sister lives in Oslo.'), assistant('Noted.'), user('Where does my sister live?')],
    /^From what you said:\n\n> My sister lives in Oslo\.$/,
  ],
  ['acknowledges a statement', [user('My sister lives in Oslo.')], /^Noted/],
  [
    'remembers earlier messages',
    [user('Is it raining?'), assistant('No idea.'), user('What did I ask?')],
    /^You said:\n\n> Is it raining\?$/,
  ],
  [
    'summarises by quoting',
    [user(`Summarise this\n\n${NOTES}`)],
    /garden\.md[\s\S]*> Water the ferns twice a week\./,
  ],
  [
    'reads a whole file back',
    [user(`Read it all back to me\n\n${NOTES}`)],
    /garden\.md:\n\n# Garden[\s\S]*Mira has the spare\.$/,
  ],
  [
    'owns that it finds nothing',
    [user(`What is the capital of Peru?\n\n${NOTES}`)],
    /^I find nothing about that in garden\.md/,
  ],
  ['says that it has no answer', [user('What is the capital of Peru?')], /^I can't answer that/],
  ['does not take a statement for a greeting', [user('Hello, I am Ada and I sail.')], /^Noted/],
  [
    'says that it did not read everything, where it did not',
    [user('Boats float well. '.repeat(20_000)), user('What is the capital of Peru?')],
    /I read only its latest part/,
  ],
  [
    'takes a file that is not closed as one',
    [user('Where is the key?\n\n<file path="a.md">\nThe key is in the shed.')],
    /^From a\.md:\n\n> The key is in the shed\.$/,
  ],
])('[X2] %s', (_, messages, expected) => {
  expect(answerMessage(messages)).toMatch(expected)
})

test('[X2] invents nothing: every quoted line is in the input', () => {
  const sentence = fc
    .array(fc.stringMatching(/^[a-z]{2,9}$/), { minLength: 2, maxLength: 8 })
    .map((w) => `${w.join(' ')}.`)
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 12 }), fc.nat(), (sentences, pick) => {
      const asked = sentences[pick % sentences.length] ?? ''
      const answer = answerMessage([user(`What about ${asked}?\n\n${file('f.txt', sentences.join('\n\n'))}`)])
      const quotes = [...answer.matchAll(/^> (.*)$/gm)].map(([, quote]) => quote)
      expect(sentences).toEqual(expect.arrayContaining(quotes))
    }),
  )
})

test.each([
  ['endless marks', `hi${'!'.repeat(500_000)} x y`],
  ['endless openings', '<file path="">\nx'.repeat(60_000)],
  ['an endless keyword', 'read '.repeat(200_000)],
  ['endless list marks', '\n -'.repeat(300_000)],
])('answers any input quickly: %s', { timeout: 30_000 }, (_, text) => {
  expect(answerMessage([user(text), user('Where is the key?')])).not.toBe('')
  expect(answerMessage([user(text)])).not.toBe('')
})

test('streams word by word and ends with its usage', async () => {
  const events = await spoken('Hello!', 4_096)
  const words = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
  expect(words.length).toBeGreaterThan(10)
  expect(words.join('')).toBe(answerMessage([user('Hello!')]))
  expect(events.at(-1)).toMatchObject({
    type: 'finish',
    reason: 'completed',
    usage: { outputTokens: words.length },
  })
})

test('[X2] also answers when tools are available', async () => {
  const tools = [{ name: 'read_file', description: 'Reads a file.', inputSchema: { type: 'object' } }]
  expect(await spoken('Hello!', 4_096, tools)).toEqual(await spoken('Hello!', 4_096))
})

test('stops at the token limit and says so', async () => {
  const events = await spoken('Hello!', 3)
  expect(events).toHaveLength(4)
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'max_tokens' })
})

test('stops when aborted', async () => {
  const abort = new AbortController()
  const events: ModelEvent[] = []
  const request = { system: '', messages: [user('Hello!')], tools: [], maxTokens: 4_096 }
  for await (const event of createOfflineModel().stream(request, abort.signal)) {
    events.push(event)
    abort.abort()
  }
  expect(events).toHaveLength(1)
})

async function spoken(
  text: string,
  maxTokens: number,
  tools: readonly ToolDeclaration[] = [],
): Promise<readonly ModelEvent[]> {
  const request = { system: '', messages: [user(text)], tools, maxTokens }
  const events: ModelEvent[] = []
  for await (const event of createOfflineModel().stream(request, new AbortController().signal))
    events.push(event)
  return events
}
