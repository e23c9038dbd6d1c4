import { expect, test } from 'vitest'
import { type Unit, valueInWords, wholeOf } from './value-in-words.ts'

test.each<[number | null, Unit, string]>([
  [null, 'ms', '–'],
  [1234, 'count', '1,234'],
  [12.4, 'ms', '12 ms'],
  [1_250, 'ms', '1.3 s'],
  [0, 'money', '$0'],
  [150_000_000, 'money', '$1.50'],
])('%s as %s is %s', (value, unit, expected) => {
  expect(valueInWords(value, unit)).toBe(expected)
})

test.each<[string, readonly (number | null)[], Unit, number | null]>([
  ['counts add up', [1, 2, 0], 'count', 3],
  ['of times the longest counts', [5, null, 9], 'ms', 9],
  ['nothing was timed', [null, null], 'ms', null],
])('%s', (_, values, unit, expected) => {
  expect(wholeOf(values, unit)).toBe(expected)
})
