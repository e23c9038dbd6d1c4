import { applyEvent, openTranscript, listTurns } from '@parley/api-client'
import type { SessionEvent } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createReplay, planNextStep } from './replay-page.tsx'

const toTimestamp = (ms: number) => new Date(Date.parse('2026-03-04T05:06:07.000Z') + ms).toISOString()

function turn(number: number): readonly SessionEvent[] {
  const first = number * 3 + 1
  const message = {
    id: `msg_${number}`,
    sequenceNumber: number * 2 + 1,
    role: 'user',
    content: [{ type: 'text', text: `Question ${number}` }],
  }
  const createEvent = (offset: number, body: object) => ({
    turnId: `trn_${number}`,
    sequenceNumber: first + offset,
    timestamp: toTimestamp(number * 1_000 + offset * 100),
    ...body,
  })
  return [
    createEvent(0, { type: 'session:turn_started', message }),
    createEvent(1, { type: 'agent:token', stepId: `stp_${number}`, token: `Answer ${number}`, model: 'm' }),
    createEvent(2, {
      type: 'session:turn_completed',
      stopReason: 'completed',
      usage: { inputTokens: 1, outputTokens: 1 },
    }),
  ] as unknown as readonly SessionEvent[]
}

const EVENTS = Array.from({ length: 120 }, (_, number) => turn(number)).flat()

const replayFromStart = (count: number) =>
  EVENTS.slice(0, count).reduce(applyEvent, openTranscript({ lastSequence: 0, openTurn: undefined }, []))

test('[S6] at every position the transcript equals the events up to there, in any seek order', () => {
  const replay = createReplay(EVENTS)
  for (const count of [0, 1, 2, 3, 200, 100, 99, 101, 360, 7, 359, 300, -4, 999]) {
    const within = Math.min(Math.max(count, 0), EVENTS.length)
    expect([count, listTurns(replay.at(count))]).toEqual([count, listTurns(replayFromStart(within))])
  }
})

test('a partly replayed turn is running, a fully replayed one has ended', () => {
  const replay = createReplay(EVENTS)
  expect(listTurns(replay.at(2)).at(-1)).toMatchObject({ state: 'running', parts: [{ text: 'Answer 0' }] })
  expect(listTurns(replay.at(3)).at(-1)).toMatchObject({ state: 'completed' })
})

test.each([
  ['1', 1, { count: 2, inMs: 100 }],
  ['4', 1, { count: 2, inMs: 25 }],
  ['1', 0, { count: 1, inMs: 0 }],
  ['max', 0, { count: 3, inMs: 16 }],
] as const)('at speed %s, after %i events', (speed, count, expected) => {
  expect(planNextStep(EVENTS, count, speed)).toEqual(expected)
})

test('a long pause is shortened', () => {
  const [first, second] = turn(0)
  const late = { ...second, timestamp: toTimestamp(3_600_000) } as SessionEvent
  expect(planNextStep([first as SessionEvent, late], 1, '1').inMs).toBe(3_000)
})

test('[S6] a replay continues with new events', () => {
  const growing = EVENTS.slice(0, 150)
  const replay = createReplay(growing)
  expect(listTurns(replay.at(150))).toEqual(listTurns(replayFromStart(150)))
  growing.push(...EVENTS.slice(150))
  expect(listTurns(replay.at(360))).toEqual(listTurns(replayFromStart(360)))
})
