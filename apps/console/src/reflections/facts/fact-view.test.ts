import { expect, test } from 'vitest'
import { formatFactDates } from './fact-view.tsx'

test.each([
  [{}, ''],
  [{ validFrom: '2001' }, 'from 2001'],
  [{ validFrom: '2001-05', validTo: '2004-01-02T10:00:00Z' }, 'from 2001-05 until 2004-01-02'],
])('[K2] the dates %j are shown as: %s', (given, words) => {
  expect(formatFactDates(given)).toBe(words)
})
