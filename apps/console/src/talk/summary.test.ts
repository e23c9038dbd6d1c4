import { expect, test } from 'vitest'
import { formatClock, formatCallDuration } from './summary.tsx'

test.each([
  [0, '0 seconds', '0:00'],
  [1_000, '1 second', '0:01'],
  [59_400, '59 seconds', '0:59'],
  [60_000, '1 min', '1:00'],
  [65_900, '1 min 6 s', '1:05'],
  [3_725_000, '62 min 5 s', '62:05'],
])('%i ms is %s, or %s', (milliseconds, words, clock) => {
  expect(formatCallDuration(milliseconds)).toBe(words)
  expect(formatClock(milliseconds)).toBe(clock)
})
