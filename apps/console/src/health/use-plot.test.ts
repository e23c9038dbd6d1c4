import { expect, test } from 'vitest'
import { formatAxisValue } from './use-plot.ts'
import type { Unit } from './health-problems.ts'

test.each<[number, Unit, string]>([
  [0, 'money', '$0'],
  [1, 'money', ''],
  [123_456_789, 'money', '$1.2'],
  [2_000_000, 'money', '$0.02'],
  [0.5, 'count', ''],
  [40, 'count', '40'],
  [1_500, 'ms', '1.5 s'],
])('%s as %s is %s', (value, unit, expected) => {
  expect(formatAxisValue(value, unit)).toBe(expected)
})
