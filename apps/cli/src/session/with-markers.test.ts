import type { MessageId, SessionMessage, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { addMarkers } from '../render/transcript.ts'

const message = (sequenceNumber: number, given: Partial<SessionMessage>) =>
  ({ id: `msg_${sequenceNumber}` as MessageId, sequenceNumber, content: [], ...given }) as SessionMessage

const turn = (number: number, first: number) => {
  const turnId = `trn_${number}` as TurnId
  return [
    message(first, { role: 'user', turnId }),
    message(first + 1, { role: 'assistant', turnId, content: [{ type: 'text', text: 'Yes.' }] }),
  ]
}
const marker = (sequenceNumber: number) =>
  message(sequenceNumber, { role: 'system', marker: { kind: 'trimmed', uptoSequence: 1 } })

test.each([
  [
    'none',
    [...turn(1, 1), ...turn(2, 3)],
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [
    'between turns',
    [...turn(1, 1), marker(3), ...turn(2, 4)],
    [
      [1, 2, 3],
      [4, 5],
    ],
  ],
  ['after all', [...turn(1, 1), marker(3), marker(4)], [[1, 2, 3, 4]]],
  ['before the last messages', [marker(3), ...turn(2, 4)], [[4, 5]]],
  ['within a turn', [...turn(1, 1).slice(0, 1), marker(2), ...turn(1, 2).slice(1)], [[1, 2, 3]]],
])('[S17] markers %s', (_, messages, expected) => {
  const turns = addMarkers(messages)
  expect(turns.map((each) => each.messages.map(({ sequenceNumber }) => sequenceNumber))).toEqual(expected)
  expect(turns.every(({ outcome }) => outcome === 'completed')).toBe(true)
})
