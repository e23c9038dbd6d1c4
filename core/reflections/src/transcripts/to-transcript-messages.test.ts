import type { SessionMessage } from '@parley/contracts'
import { reconstructSessionState } from '@parley/engine'
import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProviderConversation, TranscriptEntry } from '../ports/voice-provider.ts'
import type { TranscriptMessage } from '../ports/transcript-store.ts'
import { toTranscriptMessages } from './to-transcript-messages.ts'

const said = (
  role: TranscriptEntry['role'],
  text: string,
  more: Partial<TranscriptEntry> = {},
): TranscriptEntry => ({
  role,
  text,
  isInterrupted: false,
  atSeconds: 0,
  toolCalls: [],
  ...more,
})

const call = (entries: readonly TranscriptEntry[]): ProviderConversation => ({
  conversationId: 'conv_1',
  agentId: 'agent_1',
  status: 'done',
  startedAt: '2026-01-01T12:00:00.000Z',
  durationSeconds: 30,
  entries,
  variables: {},
  hasAudio: false,
})

const LOOK_UP = {
  callId: 'call_1',
  name: 'retrieve-context',
  input: '{"query":"homes"}',
  result: { text: '{"evidence":[]}', isError: false, tookSeconds: 0.25 },
}
const HANG_UP = { callId: 'call_2', name: 'end_call', input: '{}' }

/** A message in short: who, and what. */
const short = ({ role, content, cutShort }: TranscriptMessage): string => {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text
    if (part.type === 'tool_call') return `calls ${part.call.name}`
    return part.type === 'tool_result' ? `${part.outcome.kind}: ${part.outcome.text}` : part.type
  })
  return `${role}${cutShort ? ` (${cutShort})` : ''}: ${parts.join(', ')}`
}

test.each<[string, readonly TranscriptEntry[], readonly string[]]>([
  ['an empty conversation has no messages', [], []],
  [
    'a question and its answer are two messages',
    [said('person', 'Where?'), said('agent', 'In Oslo.')],
    ['user: Where?', 'assistant: In Oslo.'],
  ],
  ['a greeting is a message of its own', [said('agent', 'Hello.')], ['assistant: Hello.']],
  ['silence is left out', [said('person', '  '), said('agent', '')], []],
  [
    'a tool call and its result come before the answer',
    [said('person', 'Where?'), said('agent', 'In Oslo.', { toolCalls: [LOOK_UP] })],
    ['user: Where?', 'assistant: calls retrieve-context', 'tool: ok: {"evidence":[]}', 'assistant: In Oslo.'],
  ],
  [
    'a tool call without a result is marked',
    [said('person', 'Bye'), said('agent', 'Goodbye.', { toolCalls: [HANG_UP] })],
    [
      'user: Bye',
      'assistant: calls end_call',
      'tool: failed: The tool did not answer.',
      'assistant: Goodbye.',
    ],
  ],
  [
    'the last words come last, even if a tool was called after them',
    [said('person', 'Bye'), said('agent', 'Goodbye.'), said('agent', '', { toolCalls: [HANG_UP] })],
    [
      'user: Bye',
      'assistant: calls end_call',
      'tool: failed: The tool did not answer.',
      'assistant: Goodbye.',
    ],
  ],
  [
    'an interrupted answer is cut short',
    [
      said('person', 'Where?'),
      said('agent', 'In Ankara, and…', { isInterrupted: true }),
      said('person', 'When?'),
    ],
    ['user: Where?', 'assistant (cancelled): In Ankara, and…', 'user: When?'],
  ],
  [
    'an interrupted answer that the agent resumed is not cut short',
    [said('person', 'Where?'), said('agent', 'In…', { isInterrupted: true }), said('agent', 'In Oslo.')],
    ['user: Where?', 'assistant: In…', 'assistant: In Oslo.'],
  ],
])('[V16] %s', (_, entries, expected) => {
  expect(toTranscriptMessages(call(entries)).map(short)).toEqual(expected)
})

test('[V16] a message has the time at which it was said', () => {
  const [message] = toTranscriptMessages(call([said('person', 'Where?', { atSeconds: 12 })]))
  expect(message?.timestamp).toBe('2026-01-01T12:00:12.000Z')
})

test('[V16] a result has the time at which its tool answered', () => {
  const entries = [
    said('person', 'Where?'),
    said('agent', 'In Oslo.', { atSeconds: 3, toolCalls: [LOOK_UP] }),
  ]
  const times = toTranscriptMessages(call(entries)).map(({ timestamp }) => timestamp.slice(17, 23))
  expect(times).toEqual(['00.000', '03.000', '03.250', '03.000'])
})

const Entry = fc.record({
  role: fc.constantFrom('person' as const, 'agent' as const),
  text: fc.oneof(fc.constant(''), fc.string({ unit: anyLetter })),
  isInterrupted: fc.boolean(),
  atSeconds: fc.nat(600),
  toolCalls: fc.array(fc.constantFrom(LOOK_UP, HANG_UP), { maxLength: 2 }),
})

test('[X1] in any call, every question with a spoken answer is a completed turn', () => {
  fc.assert(
    fc.property(fc.array(Entry, { maxLength: 12, size: 'max' }), (entries) => {
      const messages = toTranscriptMessages(call(entries))
      expect(messages.every(({ content }) => content.length > 0)).toBe(true)
      expect(JSON.stringify(messages)).toSatisfy(
        (text: string) => text.isWellFormed() && !text.includes('\\u0000'),
      )
      for (const { messages: turn, outcome } of reconstructSessionState(
        messages as readonly SessionMessage[],
      )) {
        const isAnswered = turn.some(
          ({ role, content }) => role === 'assistant' && content.some(({ type }) => type === 'text'),
        )
        expect(outcome).toBe(isAnswered ? 'completed' : 'rolled-back')
      }
    }),
  )
})
