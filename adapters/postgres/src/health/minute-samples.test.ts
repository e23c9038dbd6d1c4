import { expect, test } from 'vitest'
import {
  EMPTY_SPREAD,
  type Spread,
  addSpreads,
  createMinuteSamples,
  addDuration,
  estimateQuantileMs,
} from './minute-samples.ts'

const START = Date.parse('2026-03-01T10:00:30.000Z')

test('counts within a minute add up, and a written minute is kept until it is over', () => {
  let now = START
  const samples = createMinuteSamples(() => now)
  samples.count('cost', 'offline/offline', 5)
  samples.count('cost', 'offline/offline', 7)
  samples.time('request', 'GET /v1/me 2xx', 12)
  const first = samples.all()
  expect(first).toEqual([
    { at: '2026-03-01T10:00:00.000Z', what: 'cost', label: 'offline/offline', count: 2, sum: 12 },
    expect.objectContaining({ what: 'request', count: 1, sum: 12, spread: expect.any(Array) }),
  ])
  samples.forgetWritten(first)
  expect(samples.all()).toEqual(first)
  now += 60_000
  samples.forgetWritten(first)
  expect(samples.all()).toEqual([])
})

test('counts that arrive while a minute is written are not lost', () => {
  let now = START
  const samples = createMinuteSamples(() => now)
  samples.count('turn', 'completed')
  const written = samples.all()
  samples.count('turn', 'completed')
  now += 60_000
  samples.forgetWritten(written)
  expect(samples.all()).toEqual([expect.objectContaining({ count: 2 })])
})

test('only a limited number of labels is kept', () => {
  const samples = createMinuteSamples(() => START)
  for (let n = 0; n < 1_000; n += 1) samples.count('model', `made-up/${n}`)
  expect(samples.all()).toHaveLength(500)
})

const toSpread = (...times: readonly number[]): Spread =>
  times.reduce<Spread>((spread, ms) => addDuration(spread, ms), EMPTY_SPREAD)

test.each<[string, Spread, number, number | undefined]>([
  ['nothing was timed', EMPTY_SPREAD, 0.5, undefined],
  ['all within the first bound', toSpread(1, 2, 3, 4), 1, 5],
  ['half of what lies in one part', toSpread(60, 70, 80, 90), 0.5, 75],
  ['most are quick, and few are not', toSpread(...Array.from({ length: 19 }, () => 1), 400), 0.95, 5],
  [
    'the slow ones are the last of twenty',
    toSpread(...Array.from({ length: 18 }, () => 1), 400, 400),
    0.95,
    375,
  ],
  ['a time beyond every bound counts as the last bound', toSpread(60_000), 0.5, 10_000],
])('%s', (_, spread, share, expected) => {
  expect(estimateQuantileMs(spread, share)).toBe(expected)
})

test('spreads add up', () => {
  expect(addSpreads(toSpread(1, 30), toSpread(1))).toEqual(toSpread(1, 1, 30))
})
