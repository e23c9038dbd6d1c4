import { expect, test } from 'vitest'
import { addSpreads, NOTHING_TIMED, type Spread, withinMs, withTime } from './spread.ts'

const timed = (...times: readonly number[]): Spread =>
  times.reduce<Spread>((spread, ms) => withTime(spread, ms), NOTHING_TIMED)

test.each<[string, Spread, number, number | undefined]>([
  ['nothing was timed', NOTHING_TIMED, 0.5, undefined],
  ['all within the first bound', timed(1, 2, 3, 4), 1, 5],
  ['half of what lies in one part', timed(60, 70, 80, 90), 0.5, 75],
  ['most are quick, and few are not', timed(...Array.from({ length: 19 }, () => 1), 400), 0.95, 5],
  [
    'the slow ones are the last of twenty',
    timed(...Array.from({ length: 18 }, () => 1), 400, 400),
    0.95,
    375,
  ],
  ['what is beyond every bound is told as the last of them', timed(60_000), 0.5, 10_000],
])('%s', (_, spread, share, expected) => {
  expect(withinMs(spread, share)).toBe(expected)
})

test('spreads add up', () => {
  expect(addSpreads(timed(1, 30), timed(1))).toEqual(timed(1, 1, 30))
})
