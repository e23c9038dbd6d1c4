import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  breakRows,
  createWrapper,
  fitMiddle,
  fitText,
  findGraphemeEnd,
  findGraphemeStart,
  measureText,
  wrapWords,
} from './text.ts'

test.each([
  ['plain', 5],
  ['Zürich', 6],
  ['u\u0308', 1],
  ['漢字', 4],
  ['😀', 2],
  ['👩‍👩‍👧', 2],
  ['🇸🇪', 2],
  ['❤️', 2],
])('%s takes %i columns', (text, width) => {
  expect(measureText(text)).toBe(width)
})

test('the cursor moves by whole characters', () => {
  expect(findGraphemeStart('a👩‍👩‍👧', 9)).toBe(1)
  expect(findGraphemeEnd('a👩‍👩‍👧', 1)).toBe(9)
  expect(findGraphemeStart('', 0)).toBe(0)
  expect(findGraphemeEnd('a', 1)).toBe(1)
})

test.each([
  ['short', 10, 'short'],
  ['a longer title', 9, 'a longer…'],
  ['漢字漢字', 6, '漢字…'],
])('"%s" is cut to %i columns', (text, columns, fitted) => {
  expect(fitText(text, columns)).toBe(fitted)
})

test.each([
  ['short', 10, 'short'],
  ['/home/ada/.parley/config.toml', 15, '/home/a…ig.toml'],
  ['日本語日本語日本語', 8, '日…本語'],
])('%j loses its middle in %d columns', (text, columns, expected) => {
  expect(fitMiddle(text, columns)).toBe(expected)
  expect(measureText(fitMiddle(text, columns))).toBeLessThanOrEqual(columns)
})

test.each([
  ['a short line', 'one two', 10, 'one two'],
  ['a longer line', 'one two three', 9, 'one two\nthree'],
  ['a word that just fits', 'one two', 7, 'one two'],
  ['its own line breaks', 'one\n\ntwo', 10, 'one\n\ntwo'],
  ['indented code', 'if x:\n    y = 1', 20, 'if x:\n    y = 1'],
  ['a script without spaces', '漢字漢字漢', 6, '漢字漢\n字漢'],
  ['a word that is too long', 'a abcdefghij b', 5, 'a\nabcdefghij\nb'],
])('%s', (_, text, columns, expected) => {
  expect(wrapWords(text, columns)).toBe(expected)
})

const prose = fc.string({ unit: fc.constantFrom('a', 'bc', 'é', ' ', ' ', '\n', '漢') })

test('no line is wider than the screen unless a word is', () => {
  fc.assert(
    fc.property(prose, (text) => {
      fc.pre(text.split(/[\s漢]/u).every((word) => word.length <= 20))
      for (const line of wrapWords(text, 20).split('\n')) expect(measureText(line)).toBeLessThanOrEqual(20)
    }),
  )
})

test('pieces wrap like one write, and only spaces are lost', () => {
  fc.assert(
    fc.property(fc.array(prose), (pieces) => {
      const wrapper = createWrapper(12)
      const wrapped = pieces.map((piece) => wrapper.write(piece)).join('') + wrapper.flush()
      expect(wrapped).toBe(wrapWords(pieces.join(''), 12))
      expect(wrapped.replace(/\s/g, '')).toBe(pieces.join('').replace(/\s/g, ''))
    }),
  )
})

test.each([
  ['a line that fits is unchanged', 'abc', ['abc']],
  ['an empty line is one row', '', ['']],
  ['a line breaks after a space', 'one two three', ['one two ', 'three']],
  ['a distant space is ignored', 'a bcdefghijklm', ['a bcdefghi', 'jklm']],
  ['wide characters count twice', '漢字漢字漢字', ['漢字漢字漢', '字']],
])('%s', (_, line, expected) => {
  expect(breakRows(line, 10)).toEqual(expected)
})

test('[S13] no character is lost, and every row fits', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '😀', 'é', '-') })
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 30 }), (line, columns) => {
      const rows = breakRows(line, columns)
      expect(rows.join('')).toBe(line)
      for (const row of rows) expect(measureText(row)).toBeLessThanOrEqual(columns)
    }),
  )
})
