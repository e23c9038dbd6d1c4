import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textWidth } from './text-width.ts'
import { createWrapper, wrapWords } from './wrap-words.ts'

test.each([
  ['a short line', 'one two', 10, 'one two'],
  ['a longer one', 'one two three', 9, 'one two\nthree'],
  ['a word that just fits', 'one two', 7, 'one two'],
  ['its own line breaks', 'one\n\ntwo', 10, 'one\n\ntwo'],
  ['indented code', 'if x:\n    y = 1', 20, 'if x:\n    y = 1'],
  ['a script without spaces', '漢字漢字漢', 6, '漢字漢\n字漢'],
  ['a word that is too long', 'a abcdefghij b', 5, 'a\nabcdefghij\nb'],
])('%s', (_, text, columns, expected) => {
  expect(wrapWords(text, columns)).toBe(expected)
})

const prose = fc.string({ unit: fc.constantFrom('a', 'bc', 'é', ' ', ' ', '\n', '漢') })

test('no line is wider than the screen where no word is', () => {
  fc.assert(
    fc.property(prose, (text) => {
      fc.pre(text.split(/[\s漢]/u).every((word) => word.length <= 20))
      for (const line of wrapWords(text, 20).split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(20)
    }),
  )
})

test('pieces wrap as the whole does, and only space is lost', () => {
  fc.assert(
    fc.property(fc.array(prose), (pieces) => {
      const wrapper = createWrapper(12)
      const wrapped = pieces.map((piece) => wrapper.write(piece)).join('') + wrapper.flush()
      expect(wrapped).toBe(wrapWords(pieces.join(''), 12))
      expect(wrapped.replace(/\s/g, '')).toBe(pieces.join('').replace(/\s/g, ''))
    }),
  )
})
