import { expect, test } from 'vitest'
import { moneyOf } from './money-of.ts'
import { statusLine } from './status-line.ts'

test.each([
  [{}, ''],
  [{ agent: 'Helper' }, 'Helper'],
  [{ agent: 'Offline', model: 'offline' }, 'Offline'],
  [
    { agent: 'Helper', model: 'small', contextUsed: 0.126, microcents: 0 },
    'Helper · small · 13 % of context · $0',
  ],
])('%o reads "%s"', (status, expected) => {
  expect(statusLine(status)).toBe(expected)
})

test.each([
  [0, '$0'],
  [1, 'less than $0.0001'],
  [1_230_000, '$0.0123'],
  [250_000_000, '$2.50'],
])('%i micro-cents are %s', (microcents, expected) => {
  expect(moneyOf(microcents)).toBe(expected)
})
