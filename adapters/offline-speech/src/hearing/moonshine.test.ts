import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutRepeats } from './moonshine.ts'

test.each<[string, string, string]>([
  ['plain speech', 'I said no, no, no.', 'I said no, no, no.'],
  ['a word without end', 'I went to the the the the the the', 'I went to the'],
  ['a phrase without end', 'Thank you. Thank you. Thank you. Thank you. Thank', 'Thank you.'],
  ['what comes after it', 'So it is it is it is it is a day', 'So it is'],
  ['nothing', '', ''],
])('[X2] %s', (_, text, expected) => {
  expect(withoutRepeats(text)).toBe(expected)
})

test('[X2] words that differ stay', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/u), { maxLength: 40 }), (words) => {
      expect(withoutRepeats(words.join(' '))).toBe(words.join(' '))
    }),
  )
})
