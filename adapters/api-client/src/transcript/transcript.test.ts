import type { OpenTurn, SessionMessage, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { applyEvent } from './apply-event.ts'
import { call, completed, message, outcome, question, stamped, token, turnId } from './events.fixture.ts'
import { openTranscript, addEarlierMessages } from './transcript.ts'
import { listTurns } from './list-turns.ts'

const asked = (sequenceNumber: number) => message(sequenceNumber, {})
const answered = (sequenceNumber: number, given: Partial<SessionMessage> = {}) =>
  message(sequenceNumber, {
    role: 'assistant',
    content: [{ type: 'text', text: `answer ${sequenceNumber}` }],
    ...given,
  })
const failed = (sequenceNumber: number) => answered(sequenceNumber, { cutShort: 'failed' })
const thinking = (sequenceNumber: number) =>
  answered(sequenceNumber, { content: [{ type: 'reasoning', text: 'Hm.' }], cutShort: 'cancelled' })
const calling = (sequenceNumber: number) =>
  answered(sequenceNumber, { content: [{ type: 'tool_call', call }] })
const result = (sequenceNumber: number) =>
  message(sequenceNumber, { role: 'tool', content: [{ type: 'tool_result', callId: call.id, outcome }] })

const marker = (sequenceNumber: number) =>
  message(sequenceNumber, {
    role: 'system',
    content: [{ type: 'text', text: 'They counted.' }],
    marker: { kind: 'compacted', uptoSequence: 2 },
  })

const settled = { lastSequence: 40 }
const openIn = (state: OpenTurn['state']) => ({ lastSequence: 40, openTurn: { turnId, state } })
const running = openIn('running')

test.each<[string, Parameters<typeof openTranscript>[0], readonly SessionMessage[], number]>([
  ['a new session is read from its last event', settled, [], 40],
  ['answered turns need no events', settled, [asked(1), answered(2)], 40],
  ['a stopped turn needs no events', settled, [asked(1), answered(2, { cutShort: 'cancelled' })], 40],
  ['a turn stopped before its first word needs its events', settled, [asked(1), thinking(2)], 0],
  ['a running turn needs its events', running, [asked(1)], 0],
  ['a waiting turn needs its events', openIn('waiting'), [asked(1), calling(2)], 0],
  ['a continued and answered turn needs no events', settled, [asked(1), failed(2), answered(3)], 40],
  ['a failed turn needs its events', settled, [asked(1), failed(2)], 0],
  ['an unanswered turn needs its events', settled, [asked(1), asked(2), answered(3)], 0],
  ['a call is not an answer', settled, [asked(1), calling(2), result(3)], 0],
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
    'a summary for the model is not an answer',
    [asked(1), answered(2), asked(3), marker(4), answered(5), marker(6)],
    [
      { key: 1, parts: [{ text: 'answer 2' }], state: 'completed' },
      { key: 3, parts: [{ text: 'answer 5' }], state: 'completed' },
    ],
  ],
  [
    'a page that starts within a turn shows its parts',
    [answered(2), asked(3), answered(4)],
    [
      { key: 2, parts: [{ text: 'answer 2' }] },
      { key: 3, parts: [{ text: 'answer 4' }] },
    ],
  ],
  [
    'a failed step is shown while it is the last',
    [asked(1), calling(2), result(3), failed(4)],
    [{ key: 1, parts: [{ call }, { text: 'answer 4' }], state: 'error' }],
  ],
  [
    '[S4] a failed step is dropped once the turn continues',
    [asked(1), calling(2), result(3), failed(4), answered(5)],
    [{ key: 1, parts: [{ kind: 'tool', call, outcome }, { text: 'answer 5' }], state: 'completed' }],
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
  expect(listTurns(openTranscript(settled, messages))).toMatchObject(expected)
})

test('the open turn is running while past events are still loading', () => {
  const old = 'trn_0' as TurnId
  const opened = openTranscript(running, [asked(1), answered(2), asked(3)])
  const partlyRead = [stamped(2, question(1, old)), stamped(3, token('ans', 'stp_0', old))].reduce(
    applyEvent,
    opened,
  )
  expect(listTurns(partlyRead)).toMatchObject([
    { parts: [{ text: 'answer 2' }] },
    { key: 3, state: 'running' },
  ])
  const read = [stamped(9, completed({}, old)), stamped(10, question(3)), stamped(11, token('So'))].reduce(
    applyEvent,
    partlyRead,
  )
  expect(listTurns(read)).toMatchObject([
    { parts: [{ text: 'ans' }], state: 'completed' },
    { key: 3, parts: [{ text: 'So' }], state: 'running' },
  ])
})

test('earlier messages load above without duplicating a turn', () => {
  const opened = openTranscript(settled, [answered(4), asked(5), answered(6)])
  const earlier = addEarlierMessages(opened, [asked(1), answered(2), asked(3), answered(4)])
  expect(listTurns(earlier).map(({ key }) => key)).toEqual([1, 3, 5])
})

test('an unchanged turn stays the same object', () => {
  const opened = [stamped(41, question(3)), stamped(42, completed())].reduce(
    applyEvent,
    openTranscript(settled, [asked(1), answered(2)]),
  )
  const later = [stamped(43, question(5, 'trn_2' as TurnId))].reduce(applyEvent, opened)
  const [first, second] = listTurns(opened)
  expect(listTurns(later)[0]).toBe(first)
  expect(listTurns(later)[1]).toBe(second)
})

test.each<OpenTurn['state']>(['running', 'waiting', 'interrupted'])('the last turn is %s', (state) => {
  expect(listTurns(openTranscript(openIn(state), [asked(1), answered(2), asked(3)]))).toMatchObject([
    { key: 1, state: 'completed' },
    { key: 3, state },
  ])
})

test('the end of an earlier attempt is hidden while past events are loading', () => {
  const opened = openTranscript(settled, [asked(1), answered(2), asked(3)])
  const broken = [stamped(2, question(1)), stamped(9, completed({ stopReason: 'error' }))]
  expect(listTurns(broken.reduce(applyEvent, opened))[0]).toMatchObject({
    parts: [{ text: 'answer 2' }],
    state: 'completed',
  })
})

test('a turn longer than the loaded messages is shown from its events', () => {
  const opened = openTranscript(running, [result(43), calling(44)])
  const read = [stamped(41, question(3)), stamped(42, token('Let me see.'))].reduce(applyEvent, opened)
  expect(listTurns(read)).toMatchObject([{ key: 3, parts: [{ text: 'Let me see.' }], state: 'running' }])
  const earlier = addEarlierMessages(read, [asked(1), answered(2), asked(3), calling(4)])
  expect(listTurns(earlier).map(({ key }) => key)).toEqual([1, 3])
})

test('a turn stays the same object when earlier ones load', () => {
  const later = openTranscript(settled, [answered(4), asked(5), answered(6)])
  const all = addEarlierMessages(later, [asked(1), answered(2), asked(3)])
  expect(listTurns(all).map(({ key }) => key)).toEqual([1, 3, 5])
  expect(listTurns(all).at(-1)).toBe(listTurns(later).at(-1))
})
