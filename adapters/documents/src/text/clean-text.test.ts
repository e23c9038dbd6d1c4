import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanText } from './clean-text.ts'

test.each([
  ['letters are composed', 'Zu\u0308rich', 'Zürich'],
  ['lines end with a line feed', 'a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['controls go', 'a\u0000b\u0007c\u001b[31m\u0085', 'abc[31m'],
  ['tabs stay', 'a\tb', 'a\tb'],
  ['marks of direction go', '\u200ea\u202eb\u2069', 'ab'],
  ['letters that only machines see go', 'a\u{e0041}\u{e0042}b', 'ab'],
  ['joiners stay, for emoji', '👩\u200d🔬', '👩\u200d🔬'],
  ['half a letter is replaced', 'a\ud800b', 'a\ufffdb'],
])('[K4] %s', (_, text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned)
})

test('[K4] what is clean stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyLetter }), (text) => {
      const cleaned = cleanText(text)
      expect(cleanText(cleaned)).toBe(cleaned)
      expect(cleaned.isWellFormed()).toBe(true)
    }),
  )
})
