import { expect, test } from 'vitest'
import { formatAge, formatSize, formatTime, pluralize } from './format.ts'

test.each([
  [0, '0 facts'],
  [1, '1 fact'],
  [1_200, '1,200 facts'],
])('%i facts are written as %s', (count, expected) => {
  expect(pluralize(count, 'fact')).toBe(expected)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [11_482, '11 kB'],
  [999_400, '999 kB'],
  [1_250_000, '1.3 MB'],
])('%i bytes are %s', (bytes, expected) => {
  expect(formatSize(bytes)).toBe(expected)
})

test('a time is shown to the minute, with the name of its month', () => {
  const time = formatTime('2026-11-16T12:37:41.123Z')
  expect(time).toMatch(/\bNov\b.*2026/)
  expect(time).not.toMatch(/41|123|Z/)
})

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
])('the age of %s is %s', (timestamp, expected) => {
  expect(formatAge(timestamp, now)).toBe(expected)
})

test('older times show the date, with the year if it differs', () => {
  expect(formatAge('2026-05-02T12:00:00.000Z', now)).not.toContain('2026')
  expect(formatAge('2025-05-02T12:00:00.000Z', now)).toContain('2025')
})
