import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundText, countBytes } from './bound-text.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

test('[S12] text within the limits stays whole', () => {
  expect(boundText(lines(2_000))).toEqual({ head: lines(2_000) })
  expect(boundText('x'.repeat(50_000))).toEqual({ head: 'x'.repeat(50_000) })
})

test('[S12] with too many lines, the beginning and the end stay', () => {
  const { head, omitted } = boundText(lines(10_000))
  expect(head.split('\n')).toHaveLength(1_401)
  expect(head.startsWith('line 1\n')).toBe(true)
  expect(omitted?.lines).toBe(8_000)
  expect(omitted?.tail.startsWith('line 9401\n')).toBe(true)
  expect(omitted?.tail.endsWith('line 10000\n')).toBe(true)
})

test('[S12] a single line that is too long is cut within the line', () => {
  const { head, omitted } = boundText('y'.repeat(200_000))
  expect(head).toBe('y'.repeat(35_000))
  expect(omitted?.tail).toBe('y'.repeat(15_000))
})

test('[S12] nothing is lost or doubled, no character is cut in two, and the bounds hold', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', 'ü', '語', '😀', '\ud800'), maxLength: 400 })
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 4, max: 200 }),
      fc.integer({ min: 2, max: 40 }),
      (given, bytes, count) => {
        const { head, omitted = WHOLE } = boundText(given, bytes, count)
        expect(omitted !== WHOLE || head === given).toBe(true)
        expect(given.startsWith(head)).toBe(true)
        expect(given.endsWith(omitted.tail)).toBe(true)
        const middle = given.slice(head.length, given.length - omitted.tail.length)
        expect(countBytes(middle)).toBe(omitted.bytes)
        expect(countBytes(head) + countBytes(omitted.tail)).toBeLessThanOrEqual(bytes)
        for (const edge of [head.length, given.length - omitted.tail.length])
          expect(isWithinPair(given, edge)).toBe(false)
      },
    ),
  )
})

const WHOLE = { lines: 0, bytes: 0, tail: '' }

const isWithinPair = (text: string, at: number) =>
  /^[\ud800-\udbff]$/.test(text[at - 1] ?? '') && /^[\udc00-\udfff]$/.test(text[at] ?? '')

test.each(['', 'a', '\x7f', '\x80', '\u07ff', '\u0800', '\uffff', '\u{10000}', '😀', '\ud800', '\udc00'])(
  '[S12] bytes are counted as UTF-8 has them: %j',
  (text) => {
    expect(countBytes(text)).toBe(Buffer.byteLength(text))
    expect(countBytes(`a${text}z`)).toBe(Buffer.byteLength(`a${text}z`))
  },
)

test.each<[string, string, number, number, [string, number, number, string]]>([
  ['at the last line that fits', 'one\ntwo\nthree\nfour\n', 14, 99, ['one\ntwo\n', 1, 6, 'four\n']],
  ['at the last line, which has no end', 'one\ntwo\nthree\nfour', 14, 99, ['one\ntwo\n', 1, 6, 'four']],
  ['within a line that is too long', 'abcdefghijkl', 10, 99, ['abcdefg', 1, 2, 'jkl']],
  ['by lines, where bytes are left', '1\n2\n3\n4\n5\n6\n', 99, 4, ['1\n2\n', 2, 4, '5\n6\n']],
  ['by lines, where the last has no end', '1\n2\n3\n4\n5', 99, 4, ['1\n2\n', 1, 2, '4\n5']],
  ['around empty lines', '\n\n\n\n\n\n', 99, 4, ['\n\n', 2, 2, '\n\n']],
  ['where only the end is one long line', 'a\nbcdefghijklmnop', 10, 99, ['a\n', 1, 12, 'nop']],
  ['never within a pair of surrogates', '😀😀😀😀😀', 10, 99, ['😀', 1, 16, '']],
  ['after a lone surrogate', '\udc00\udc00\udc00\udc00', 10, 99, ['\udc00\udc00', 1, 3, '\udc00']],
  ['at a line that begins within a pair', '1234567😀\n😀', 14, 99, ['1234567', 1, 5, '😀']],
])('[S12] a long text is cut %s', (_, text, bytes, most, [head, omittedLines, omittedBytes, tail]) => {
  expect(boundText(text, bytes, most)).toEqual({
    head,
    omitted: { lines: omittedLines, bytes: omittedBytes, tail },
  })
})

test.each<[string, string, number, number]>([
  ['as many bytes as may be', 'abcdefghij', 10, 1],
  ['as many lines as may be', 'a\nb\n', 10, 2],
  ['as many lines, the last without an end', 'a\nb', 10, 2],
  ['nothing', '', 0, 0],
])('[S12] a text with %s stays whole', (_, text, bytes, most) => {
  expect(boundText(text, bytes, most)).toEqual({ head: text })
})
