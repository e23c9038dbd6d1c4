import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLongText } from './read-file.ts'

test.each([
  ['short', 'a b', ['a b']],
  ['blank', ' \n ', []],
  ['after a paragraph', 'aaa bbb\n\nccc ddd. eee', ['aaa bbb', 'ccc ddd. eee']],
  ['after a line', 'aaa. bbb\nccc ddd eee', ['aaa. bbb', 'ccc ddd eee']],
  ['after a sentence', 'aaa bbb. ccc ddd eee', ['aaa bbb.', 'ccc ddd eee']],
  ['after a word', 'aaaa bbbb cccc dddd', ['aaaa bbbb', 'cccc dddd']],
  ['within a very long word', 'a'.repeat(20), ['a'.repeat(12), 'a'.repeat(8)]],
  ['not within a character', `a${'😀'.repeat(8)}`, [`a${'😀'.repeat(5)}`, '😀'.repeat(3)]],
])('[K4] a text is split: %s', (_, text, pieces) => {
  expect([...splitLongText(text, 12)]).toEqual(pieces)
})

test('[K4] no word is lost, and no piece is too long', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', ' ', '\n', '😀'), maxLength: 500 })
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 50 }), (whole, max) => {
      const pieces = [...splitLongText(whole, max)]
      expect(pieces.join('').replaceAll(/\s/g, '')).toBe(whole.replaceAll(/\s/g, ''))
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(max)
        expect(piece.isWellFormed()).toBe(true)
        expect(whole).toContain(piece)
      }
    }),
  )
})
