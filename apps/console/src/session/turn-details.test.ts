import type { ToolCallSummary, TurnSummary } from '@parley/contracts'
import { expect, test } from 'vitest'
import { collectTurnDetails } from './turn-details.ts'

const AT = '2026-03-04T05:06:07.000Z'
const turn = (question: number, more: Partial<TurnSummary> = {}): TurnSummary => ({
  turnId: `trn_${question}` as TurnSummary['turnId'],
  question,
  startedAt: AT,
  endedAt: '2026-03-04T05:06:09.500Z',
  stopReason: 'completed',
  usage: { inputTokens: 100, outputTokens: 20 },
  calls: [],
  ...more,
})

test('[S8] the cost of a turn is the session total after it minus the total before', () => {
  const details = collectTurnDetails([
    turn(1, { totalMicrocents: 500 }),
    turn(3),
    turn(5, { totalMicrocents: 800, model: 'large' }),
  ])
  expect([...details.values()].map(({ microcents }) => microcents)).toEqual([500, undefined, 300])
  expect(details.get(5)).toMatchObject({ tokens: 120, tookMs: 2_500, model: 'large' })
})

test('a continued turn is merged with its first part', () => {
  const [detail] = collectTurnDetails([
    turn(1, { totalMicrocents: 500, stopReason: 'error' }),
    turn(1, { totalMicrocents: 900 }),
  ]).values()
  expect(detail).toMatchObject({ tokens: 240, tookMs: 5_000, microcents: 900 })
})

test('an open turn has no duration and no cost', () => {
  const { endedAt: _, usage: __, ...open } = turn(1)
  expect(collectTurnDetails([open]).get(1)).toEqual({ calls: [] })
})

test('[S13] waiting for a person does not count as the turn’s time', () => {
  const call = {
    callId: 'c1' as ToolCallSummary['callId'],
    askedAt: '2026-03-04T05:06:08.000Z',
    decidedAt: '2026-03-04T06:06:08.000Z',
    verdict: 'allowed',
    by: 'person',
  } as const
  const detail = collectTurnDetails([turn(1, { endedAt: '2026-03-04T06:06:09.000Z', calls: [call] })]).get(1)
  expect(detail).toMatchObject({ tookMs: 2_000, tokens: undefined })
})
