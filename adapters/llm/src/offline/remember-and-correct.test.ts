import type { CallId, ToolOutcome } from '@parley/contracts'
import type { LlmMessage, ToolDeclaration } from '@parley/engine'
import { expect, test } from 'vitest'
import { rememberOrCorrect } from './remember-and-correct.ts'

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const tool = (name: string): ToolDeclaration => ({ name, description: '', inputSchema: { type: 'object' } })
const ACTIONS = ['retrieve-context', 'request-source-ingest', 'propose-fact-correction']
const TOOLS = ACTIONS.map(tool)
const ADA = { name: 'Ada Winter', creator: 'Ada Winter', actions: ACTIONS }

const EVIDENCE = JSON.stringify({
  evidence: [
    { text: 'Liv has two boys.', source: 'Diary' },
    { text: 'Ada Winter was born in Kent on 1968-03-14.', source: 'Notes' },
  ],
})
const TOLD: readonly LlmMessage[] = [
  user('Where were you born?'),
  {
    role: 'tool',
    content: [{ type: 'tool_result', callId: 'call_1' as CallId, outcome: { kind: 'ok', text: EVIDENCE } }],
  },
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'I was born in Kent on 14 March 1968. That is from Notes.' }],
  },
]

const take = (text: string, given: Partial<Parameters<typeof rememberOrCorrect>[0]> = {}) =>
  rememberOrCorrect({
    text,
    messages: [...TOLD, user(text)],
    tools: TOOLS,
    persona: ADA,
    outcome: undefined,
    ...given,
  })

test.each([
  ['Please remember that I love lighthouse paintings.', 'I love lighthouse paintings.'],
  ['remember: my boat is red', 'My boat is red.'],
  ['Could you please note that we moved to Kent?', 'We moved to Kent.'],
  ['Please note, the key is under the mat.', 'The key is under the mat.'],
  ['Add to my memory: tea at five.', 'Tea at five.'],
  ['Add this to your sources: the pear tree fell.', 'The pear tree fell.'],
  ['Keep this for good: the harbour master is called Olsen.', 'The harbour master is called Olsen.'],
])('[V2] “%s” is submitted as a source', (said, text) => {
  expect(take(said)).toEqual({ text: '', call: { name: 'request-source-ingest', input: { text } } })
})

test.each([
  'Do you remember that summer?',
  'What do you remember of Kent?',
  'Remember when we sailed?',
  'I cannot remember it.',
  'Is that wrong?',
  'What is wrong with the pear tree?',
])('[V2] “%s” is not submitted', (said) => {
  expect(take(said)).toBeUndefined()
})

const FACT = 'Ada Winter was born in Kent on 1968-03-14.'

test.each([
  ['That is wrong, I was born in Oslo.', 'I was born in Oslo.'],
  ['No, that’s not true. You were born in Oslo', 'Ada Winter was born in Oslo.'],
  ['Correct that: Ada was born in Oslo.', 'Ada was born in Oslo.'],
  ['You are wrong about my birth. Actually, I was born in Oslo.', 'I was born in Oslo.'],
])('[V2] “%s” corrects the last answer', (said, correction) => {
  expect(take(said)).toEqual({
    text: '',
    call: { name: 'propose-fact-correction', input: { fact: FACT, correction } },
  })
})

test.each([
  ['Your wife is not Ingrid, she is Anna.', "Ada Winter's wife is Ingrid.", "Ada Winter's wife is Anna."],
  ['No, my boat isn’t red, but blue', 'My boat is red.', 'My boat is blue.'],
  [
    'You were not born in Kent, you were born in Oslo.',
    'Ada Winter was born in Kent.',
    'Ada Winter was born in Oslo.',
  ],
])('[V2] “%s” corrects the denied fact', (said, fact, correction) => {
  expect(take(said, { messages: [user(said)] })).toEqual({
    text: '',
    call: { name: 'propose-fact-correction', input: { fact, correction } },
  })
})

test('[V2] a denial of the last answer quotes its source', () => {
  expect(take('You were not born in Kent, you were born in Oslo.')?.call?.input).toEqual({
    fact: FACT,
    correction: 'Ada Winter was born in Oslo.',
  })
})

test('[V2] a denial of something else does not quote the last answer', () => {
  expect(take('Your wife is not Ingrid, she is Anna.')?.call?.input).toMatchObject({
    fact: "Ada Winter's wife is Ingrid.",
  })
})

test.each([
  'Is your wife not Ingrid, is she Anna?',
  'Your garden is not far from here.',
  'It is not cold, it is fine.',
])('[V2] “%s” corrects nothing', (said) => {
  expect(take(said)).toBeUndefined()
})

test.each([
  ['the correction is not a sentence', 'That is wrong, Oslo.', {}],
  ['there is no answer yet', 'That is wrong, I was born in Oslo.', { messages: [user('Hello')] }],
])('[V2] asks for more if %s', (_, said, given) => {
  expect(take(said, given)).toEqual({ text: expect.stringMatching(/^I would like to get that right\./) })
})

const KEEP = 'Remember that I love tea.'
const WRONG = 'That is wrong, I was born in Oslo.'

test.each<[string, Partial<Parameters<typeof rememberOrCorrect>[0]>]>([
  ['the tool is missing', { tools: [tool('retrieve-context')] }],
  ['the policy does not name it', { persona: { ...ADA, actions: ['retrieve-context'] } }],
])('[V2] calls nothing if %s, and says so', (_, given) => {
  expect(take(KEEP, given)).toEqual({ text: expect.stringMatching(/^I cannot keep that here\./) })
  expect(take(WRONG, given)).toEqual({ text: expect.stringMatching(/^I cannot correct that here\./) })
})

test.each<[string, ToolOutcome, RegExp]>([
  ['that it waits for approval', { kind: 'ok', text: 'Handed in as src_1.' }, /once it is approved\.$/],
  [
    'that it was refused',
    { kind: 'failed', code: 'tool_denied', text: 'no' },
    /^I am not allowed to do that here\.$/,
  ],
  ['that it did not work', { kind: 'failed', code: 'tool_failed', text: 'no' }, /^That did not work\./],
])('[V2] reports %s after the call', (_, outcome, expected) => {
  expect(take(KEEP, { outcome })).toEqual({ text: expect.stringMatching(expected) })
})

test.each([
  ['polite words', 'please '.repeat(2_500)],
  ['that', `remember that ${'that '.repeat(3_000)}`],
  ['wrong', 'that is wrong, '.repeat(1_200)],
])('reads endless %s quickly', { timeout: 30_000 }, (_, said) => {
  expect(() => take(said)).not.toThrow()
})
