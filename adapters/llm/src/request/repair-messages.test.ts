import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallId } from '@parley/contracts'
import type { LlmMessage, ContentPart } from '@parley/engine'
import { type RepairedMessage, repairMessages } from './repair-messages.ts'

const text = (words: string): ContentPart => ({ type: 'text', text: words })
const call = (id: string): ContentPart => ({
  type: 'tool_call',
  call: { id: id as CallId, name: 'read_file', input: {} },
})
const result = (id: string): ContentPart => ({
  type: 'tool_result',
  callId: id as CallId,
  outcome: { kind: 'ok', text: 'done' },
})
const failure = (id: string): ContentPart => ({
  type: 'tool_result',
  callId: id as CallId,
  outcome: { kind: 'failed', code: 'tool_failed', text: 'no' },
})
const picture: ContentPart = {
  type: 'media',
  handle: `media://sha256-${'0'.repeat(64)}`,
  mediaType: 'image/png',
}
const user = (...content: ContentPart[]): LlmMessage => ({ role: 'user', content })
const assistant = (...content: ContentPart[]): LlmMessage => ({ role: 'assistant', content })
const tool = (...content: ContentPart[]): LlmMessage => ({ role: 'tool', content })

/** A short form of a sequence: roles, texts, calls and their outcomes. */
const told = (repaired: readonly RepairedMessage[]) =>
  repaired.map((message) => {
    if (message.role === 'tool') {
      return `tool ${message.content.map(({ call: { id }, outcome, media }) => `${id}=${outcome.kind}${'+picture'.repeat(media.length)}`).join(' ')}`
    }
    const parts = message.content.map((part) =>
      part.type === 'tool_call' ? `#${part.call.id}` : part.type === 'media' ? part.handle : part.text,
    )
    return `${message.role} ${parts.join(' ')}`
  })

test.each<[string, readonly LlmMessage[], readonly string[]]>([
  [
    'keeps a valid sequence',
    [user(text('a')), assistant(text('b')), user(text('c'))],
    ['user a', 'assistant b', 'user c'],
  ],
  [
    'begins with the person',
    [assistant(text('b')), user(text('c'))],
    ['user (The conversation begins here.)', 'assistant b', 'user c'],
  ],
  [
    'does not end with the assistant',
    [user(text('a')), assistant(text('b'))],
    ['user a', 'assistant b', 'user Continue.'],
  ],
  ['adds a message to an empty sequence', [], ['user Begin.']],
  [
    'merges consecutive messages of one role',
    [user(text('a')), user(text('b')), assistant(text('c')), assistant(text('d')), user(text('e'))],
    ['user a b', 'assistant c d', 'user e'],
  ],
  [
    'drops empty text, and messages without content',
    [user(text('a')), assistant(text(' ')), user(text('b'))],
    ['user a b'],
  ],
  [
    'keeps a call with its result',
    [user(text('a')), assistant(call('1')), tool(result('1'))],
    ['user a', 'assistant #1', 'tool 1=ok'],
  ],
  [
    'adds a result to a call without one',
    [user(text('a')), assistant(call('1')), user(text('b'))],
    ['user a', 'assistant #1', 'tool 1=failed', 'user b'],
  ],
  [
    'drops a result without a call',
    [user(text('a')), tool(result('9')), assistant(text('b')), user(text('c'))],
    ['user a', 'assistant b', 'user c'],
  ],
  [
    'drops a second result of a call',
    [user(text('a')), assistant(call('1')), tool(result('1'), failure('1'))],
    ['user a', 'assistant #1', 'tool 1=ok'],
  ],
  [
    'moves a late result to its call',
    [user(text('a')), assistant(call('1')), user(text('b')), tool(result('1'))],
    ['user a', 'assistant #1', 'tool 1=ok', 'user b'],
  ],
  [
    'orders results like their calls',
    [user(text('a')), assistant(call('1'), call('2')), tool(result('2')), tool(result('1'))],
    ['user a', 'assistant #1 #2', 'tool 1=ok 2=ok'],
  ],
  [
    'keeps media with their result',
    [user(text('a')), assistant(call('1'), call('2')), tool(result('1'), picture), tool(result('2'))],
    ['user a', 'assistant #1 #2', 'tool 1=ok+picture 2=ok'],
  ],
  [
    'drops media with their result',
    [user(text('a')), tool(result('9'), picture), assistant(text('b')), user(text('c'))],
    ['user a', 'assistant b', 'user c'],
  ],
  [
    'keeps attachments of the person in their message',
    [user(text('a')), assistant(call('1')), tool(result('1')), user(picture, text('b'))],
    ['user a', 'assistant #1', 'tool 1=ok', `user media://sha256-${'0'.repeat(64)} b`],
  ],
  [
    'makes duplicate call ids unique',
    [user(text('a')), assistant(call('1')), tool(result('1')), assistant(call('1')), tool(result('1'))],
    ['user a', 'assistant #1', 'tool 1=ok', 'assistant #1_2', 'tool 1_2=ok'],
  ],
  [
    'converts an id to a form that every vendor accepts',
    [user(text('a')), assistant(call('a:b.c/d')), tool(result('a:b.c/d'))],
    ['user a', 'assistant #a_b_c_d', 'tool a_b_c_d=ok'],
  ],
])('[S11] %s', (_, messages, expected) => {
  expect(told(repairMessages(messages))).toEqual(expected)
})

const anyId = fc.constantFrom('1', '2', '3', 'x:y', '', 'a'.repeat(200))
const anyPart: fc.Arbitrary<ContentPart> = fc.oneof(
  fc.constantFrom('', ' ', 'words').map(text),
  anyId.map(call),
  anyId.map(result),
  fc.constant<ContentPart>({ type: 'reasoning', text: 'hm' }),
  fc.constant(picture),
)
const anyMessages: fc.Arbitrary<readonly LlmMessage[]> = fc.array(
  fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
    content: fc.array(anyPart, { maxLength: 5 }),
  }),
  { maxLength: 12 },
)

/** The sequences that every vendor takes. */
function isTaken(repaired: readonly RepairedMessage[]): boolean {
  const isInTurn = repaired.every((message, index) => {
    const before = repaired[index - 1]
    if (message.role === 'user') return before?.role !== 'user'
    if (message.role === 'assistant') return before?.role === 'user' || before?.role === 'tool'
    return before?.role === 'assistant'
  })
  return isInTurn && repaired[0]?.role === 'user' && repaired.at(-1)?.role !== 'assistant'
}

test('[S11] turns any messages into a sequence that vendors accept', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const repaired = repairMessages(messages)
      expect(isTaken(repaired)).toBe(true)
      const ids = repaired.flatMap((message) =>
        message.role === 'assistant'
          ? message.content.flatMap((part) => (part.type === 'tool_call' ? [part.call.id] : []))
          : [],
      )
      const answered = repaired.flatMap((message) =>
        message.role === 'tool' ? message.content.map((each) => each.call.id) : [],
      )
      expect(answered).toEqual(ids)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.every((id) => /^[\w-]{1,64}$/.test(id))).toBe(true)
      expect(repaired.every(({ content }) => content.length > 0)).toBe(true)
      expect(JSON.stringify(repaired)).not.toMatch(/"text":"\s*"/)
    }),
    { numRuns: 500 },
  )
})

test('[S11] puts each call right before its results', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const repaired = repairMessages(messages)
      for (const [index, message] of repaired.entries()) {
        const calls =
          message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool_call') : []
        expect(repaired[index + 1]?.role === 'tool').toBe(calls.length > 0)
      }
    }),
    { numRuns: 500 },
  )
})

/** Repaired messages, as the next request would hold them. */
const again = (repaired: readonly RepairedMessage[]): readonly LlmMessage[] =>
  repaired.map((message) =>
    message.role === 'tool'
      ? tool(
          ...message.content.flatMap((each): readonly ContentPart[] => [
            { type: 'tool_result', callId: each.call.id, outcome: each.outcome },
            ...each.media,
          ]),
        )
      : { role: message.role, content: [...message.content] },
  )

test('[S11] does not change repaired messages again', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const repaired = repairMessages(messages)
      expect(repairMessages(again(repaired))).toEqual(repaired)
    }),
    { numRuns: 500 },
  )
})
