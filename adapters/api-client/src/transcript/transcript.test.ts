import type { MessageId, SessionId, SessionMessage, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { applyEvent } from './apply-event.ts'
import { call, completed, outcome, question, stamped, token, turnId } from './events.fixture.ts'
import { openTranscript, withEarlier } from './transcript.ts'
import { turnsOf } from './turns-of.ts'

const message = (sequenceNumber: number, given: Partial<SessionMessage>): SessionMessage => ({
  id: `msg_${sequenceNumber}` as MessageId,
  sessionId: 'ses_1' as SessionId,
  sequenceNumber,
  role: 'assistant',
  content: [{ type: 'text', text: `answer ${sequenceNumber}` }],
  timestamp: '2026-01-02T03:04:05.000Z',
  ...given,
})
const asked = (sequenceNumber: number) =>
  message(sequenceNumber, { role: 'user', content: [{ type: 'text', text: 'Why?' }] })
const answered = (sequenceNumber: number, given: Partial<SessionMessage> = {}) =>
  message(sequenceNumber, given)
const calling = (sequenceNumber: number) =>
  message(sequenceNumber, { content: [{ type: 'tool_call', call }] })
const result = (sequenceNumber: number) =>
  message(sequenceNumber, { role: 'tool', content: [{ type: 'tool_result', callId: call.id, outcome }] })

const settled = { lastSequence: 40 }
const running = { lastSequence: 40, runningTurnId: turnId }

test.each<[string, Parameters<typeof openTranscript>[0], readonly SessionMessage[], number]>([
  ['a new session is read from its last event', settled, [], 40],
  ['answers speak for themselves', settled, [asked(1), answered(2)], 40],
  ['so does one that was stopped', settled, [asked(1), answered(2, { cutShort: 'cancelled' })], 40],
  ['what a running turn says is in its events', running, [asked(1)], 0],
  ['so is why one failed', settled, [asked(1), answered(2, { cutShort: 'failed' })], 0],
  ['so is why there is no answer', settled, [asked(1), asked(2), answered(3)], 0],
  ['a call is no answer', settled, [asked(1), calling(2), result(3)], 0],
])('where reading starts: %s', (_, session, messages, seen) => {
  expect(openTranscript(session, messages).seen).toBe(seen)
})

test.each<[string, readonly SessionMessage[], readonly object[]]>([
  [
    'a turn with a tool is one',
    [asked(1), calling(2), result(3), answered(4)],
    [{ key: 1, parts: [{ kind: 'tool', call, outcome }, { text: 'answer 4' }], state: 'completed' }],
  ],
  [
    'a page that starts within a turn shows what it has',
    [answered(2), asked(3), answered(4)],
    [
      { key: 2, parts: [{ text: 'answer 2' }] },
      { key: 3, parts: [{ text: 'answer 4' }] },
    ],
  ],
  [
    'a question without an answer says so',
    [asked(1), asked(2), answered(3)],
    [
      { key: 1, state: 'unanswered' },
      { key: 2, state: 'completed' },
    ],
  ],
])('%s', (_, messages, expected) => {
  expect(turnsOf(openTranscript(settled, messages))).toMatchObject(expected)
})

test('what is running now runs, while the past is still being told', () => {
  const old = 'trn_0' as TurnId
  const opened = openTranscript(running, [asked(1), answered(2), asked(3)])
  const halfTold = [stamped(2, question(1, old)), stamped(3, token('ans', 'stp_0', old))].reduce(
    applyEvent,
    opened,
  )
  expect(turnsOf(halfTold)).toMatchObject([{ parts: [{ text: 'answer 2' }] }, { key: 3, state: 'running' }])
  const told = [stamped(9, completed({}, old)), stamped(10, question(3)), stamped(11, token('So'))].reduce(
    applyEvent,
    halfTold,
  )
  expect(turnsOf(told)).toMatchObject([
    { parts: [{ text: 'ans' }], state: 'completed' },
    { key: 3, parts: [{ text: 'So' }], state: 'running' },
  ])
})

test('earlier messages come in above, and bring no turn in twice', () => {
  const opened = openTranscript(settled, [answered(4), asked(5), answered(6)])
  const earlier = withEarlier(opened, [asked(1), answered(2), asked(3), answered(4)])
  expect(turnsOf(earlier).map(({ key }) => key)).toEqual([1, 3, 5])
})

test('a turn that nothing has changed stays the same object', () => {
  const opened = [stamped(41, question(3)), stamped(42, completed())].reduce(
    applyEvent,
    openTranscript(settled, [asked(1), answered(2)]),
  )
  const later = [stamped(43, question(5, 'trn_2' as TurnId))].reduce(applyEvent, opened)
  const [first, second] = turnsOf(opened)
  expect(turnsOf(later)[0]).toBe(first)
  expect(turnsOf(later)[1]).toBe(second)
})
