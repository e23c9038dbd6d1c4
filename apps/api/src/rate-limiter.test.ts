import { expect, test } from 'vitest'
import { createRateLimiter } from './rate-limiter.ts'

test('each key has its own burst and rate', () => {
  let now = 0
  const may = createRateLimiter({ most: 3, perSecond: 2, clock: { now: () => now } })
  expect(Array.from({ length: 5 }, () => may('ada'))).toEqual([true, true, true, false, false])
  expect(may('ben')).toBe(true)
  now = 499
  expect(may('ada')).toBe(false)
  now = 500
  expect([may('ada'), may('ada')]).toEqual([true, false])
  now = 3_600_000
  expect(Array.from({ length: 4 }, () => may('ada'))).toEqual([true, true, true, false])
})
