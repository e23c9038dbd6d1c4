import { expect, test } from 'vitest'
import { whenInWords } from './when-in-words.ts'

test.each([
  [{}, ''],
  [{ validFrom: '2001' }, 'from 2001'],
  [{ validFrom: '2001-05', validTo: '2004-01-02T10:00:00Z' }, 'from 2001-05 until 2004-01-02'],
])('[K2] %j reads: %s', (given, words) => {
  expect(whenInWords(given)).toBe(words)
})
