import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMoney, formatShortMoney } from './format-money.ts'

test.each([
  [0, '$0.00'],
  [1, '$0.00000001'],
  [1_230_000, '$0.0123'],
  [1_230_001, '$0.01230001'],
  [10_000_000, '$0.10'],
  [99_999_999, '$0.99999999'],
  [100_000_000, '$1.00'],
  [250_000_000, '$2.50'],
  [Number.MAX_SAFE_INTEGER, '$90071992.54740991'],
])('[S8] %i micro-cents are exactly %s', (microcents, expected) => {
  expect(formatMoney(microcents)).toBe(expected)
})

test('[S8] a formatted amount is exact to the micro-cent', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (microcents) => {
      const [, dollars = '', rest = ''] = /^\$(\d+)\.(\d{2,8})$/.exec(formatMoney(microcents)) ?? []
      expect(Number(`${dollars}${rest.padEnd(8, '0')}`)).toBe(microcents)
    }),
  )
})

test.each([
  [0, '$0'],
  [1, 'less than $0.0001'],
  [10_000, '$0.0001'],
  [1_230_000, '$0.0123'],
  [1_230_001, '$0.0124'],
  [99_999_999, '$1.0000'],
  [250_000_000, '$2.50'],
  [250_000_001, '$2.51'],
])('%i micro-cents are shortened to %s', (microcents, expected) => {
  expect(formatShortMoney(microcents)).toBe(expected)
})
