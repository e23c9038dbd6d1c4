import type { CallId, DurableContentPart, MessageId, SessionId, SessionMessage } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createCallEvents } from './call-events.ts'
import { restoreEvent } from './stored-event.ts'

const sessionId = 'ses_1' as SessionId
const call = { id: 'call_1' as CallId, name: 'retrieve-context', input: {} }
const LAST = { sequenceNumber: 7, timestamp: '2026-01-01T12:00:01.647Z' }
const outcome = { kind: 'ok', text: '1954' } as const

type CallLine = readonly [SessionMessage['role'], DurableContentPart | string, Partial<SessionMessage>?]

const toMessages = (lines: readonly CallLine[]) =>
  lines.map(([role, said, more], index): SessionMessage => ({
    id: `msg_${index + 1}` as MessageId,
    sessionId,
    sequenceNumber: index + 1,
    role,
    content: [typeof said === 'string' ? { type: 'text', text: said } : said],
    timestamp: `2026-01-01T12:00:0${index}.000Z`,
    ...more,
  }))

/** The events of a stored call, in short form. */
function formatEvents(lines: readonly CallLine[]): readonly string[] {
  const messages = toMessages(lines)
  return createCallEvents(messages, LAST).map((stored) => {
    const message = messages.find(({ sequenceNumber }) => sequenceNumber === stored.messageRef?.message)
    const event = restoreEvent(sessionId, stored, message)
    if (event.type === 'session:turn_started')
      return `${event.turnId} ${event.message.role} ${event.message.id}`
    if (event.type === 'agent:token') return `${event.turnId} says ${event.token}`
    if (event.type === 'agent:tool_call') return `calls ${event.call.name}`
    if (event.type === 'agent:tool_result') return `gets ${event.outcome.text}`
    return event.type === 'session:turn_completed' ? event.stopReason : event.type
  })
}

test.each<[string, readonly CallLine[], readonly string[]]>([
  ['nothing was said', [], []],
  [
    'a question with a tool and its answer',
    [
      ['user', 'When?'],
      ['assistant', { type: 'tool_call', call }],
      ['tool', { type: 'tool_result', callId: call.id, outcome }],
      ['assistant', 'In 1954.'],
    ],
    ['trn_1 user msg_1', 'calls retrieve-context', 'gets 1954', 'trn_1 says In 1954.', 'completed'],
  ],
  [
    'a greeting is a turn without a question',
    [
      ['assistant', 'Hello.'],
      ['user', 'When?'],
      ['assistant', 'In 1954.'],
    ],
    [
      'trn_1 assistant msg_1',
      'trn_1 says Hello.',
      'completed',
      'trn_2 user msg_2',
      'trn_2 says In 1954.',
      'completed',
    ],
  ],
  [
    'an answer that was spoken over ends where it was heard',
    [
      ['user', 'When?'],
      ['assistant', 'In…', { cutShort: 'cancelled' }],
    ],
    ['trn_1 user msg_1', 'trn_1 says In…', 'cancelled'],
  ],
  [
    'one that was spoken over before its first word was stopped',
    [
      ['user', 'When?'],
      ['user', 'I mean, where?'],
      ['assistant', 'In Ankara.'],
    ],
    ['trn_1 user msg_1', 'cancelled', 'trn_2 user msg_2', 'trn_2 says In Ankara.', 'completed'],
  ],
])('[S6] [V16] %s', (_, lines, expected) => {
  expect(formatEvents(lines)).toEqual(expected)
})

test('[S6] numbers follow the reserved ones, and times never go back', () => {
  const events = createCallEvents(
    toMessages([
      ['user', 'Bye', { timestamp: '2026-01-01T12:00:01.000Z' }],
      ['assistant', { type: 'tool_call', call }, { timestamp: '2026-01-01T12:00:05.000Z' }],
      ['assistant', 'Goodbye.', { timestamp: '2026-01-01T12:00:03.000Z' }],
    ]),
    LAST,
  )
  expect(events.map(({ sequenceNumber }) => sequenceNumber)).toEqual([8, 9, 10, 11])
  expect(events.map(({ timestamp }) => timestamp.slice(17, 23))).toEqual([
    '01.647',
    '05.000',
    '05.000',
    '05.000',
  ])
})
