import { expect, test } from 'vitest'
import { timeAgo } from './time-ago.ts'

const now = Date.parse('2026-06-15T12:00:00.000Z')

test.each([
  ['2026-06-15T12:00:05.000Z', 'now'],
  ['2026-06-15T11:59:01.000Z', 'now'],
  ['2026-06-15T11:58:59.000Z', '1 min'],
  ['2026-06-15T11:00:01.000Z', '59 min'],
  ['2026-06-15T10:59:00.000Z', '1 h'],
  ['2026-06-14T12:00:01.000Z', '23 h'],
  ['2026-06-14T11:00:00.000Z', '1 d'],
  ['2026-06-09T11:00:00.000Z', '6 d'],
])('%s is %s', (timestamp, expected) => {
  expect(timeAgo(timestamp, now)).toBe(expected)
})

test('older times show the date, with the year if it differs', () => {
  expect(timeAgo('2026-05-02T12:00:00.000Z', now)).not.toContain('2026')
  expect(timeAgo('2025-05-02T12:00:00.000Z', now)).toContain('2025')
})
