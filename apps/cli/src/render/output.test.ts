import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyLetter } from '@parley/contracts/testing'
import { createSanitiser, toSingleLine, sanitise, revealInvisible } from './text.ts'
import { toJsonLine } from './output.ts'

test('a JSON line contains the value and no control characters', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('\x1b', '\x9b', '\n', '\u202e', '\u2028'), fc.string()),
  })
  fc.assert(
    fc.property(text, (said) => {
      const line = toJsonLine({ said })
      expect(JSON.parse(line)).toEqual({ said })
      // oxlint-disable-next-line no-control-regex -- what must never come through
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      expect(line.endsWith('\n')).toBe(true)
    }),
  )
})

// oxlint-disable-next-line no-control-regex -- what must never come through
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\x1b', '\x1b[2J', '\x1b]0;title\x07', '\x9b31m', '\x7f', '\b', '\r', '\r\n', '\u202e'),
    fc.constantFrom('\n', '\t', ' ', 'a', 'é', '漢', '😀'),
    fc.string({ unit: anyLetter, maxLength: 3 }),
  ),
})

test('no text controls the terminal', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(sanitise(text)).not.toMatch(ACTING)
    }),
  )
})

test('harmless text is unchanged', () => {
  const harmless = fc.string({ unit: fc.constantFrom('\n', '\t', ' ', 'a', 'ß', '漢', '😀', 'ё', 'ו') })
  fc.assert(
    fc.property(harmless, (text) => {
      expect(sanitise(text)).toBe(text)
    }),
  )
})

test('streamed pieces give the same text as one write', () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(60)), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].toSorted(
        (a, b) => a - b,
      )
      const neutraliser = createSanitiser()
      const pieces = places.slice(1).map((end, index) => neutraliser.write(text.slice(places[index], end)))
      expect(pieces.join('') + neutraliser.flush()).toBe(sanitise(text))
    }),
  )
})

test('a neutralised escape sequence stays readable', () => {
  expect(sanitise('red \x1b[31malert\x1b[0m\r\n')).toBe('red ␛[31malert␛[0m\n')
})

test.each([
  ['a zero-width space', 'rm\u200b -r', 'rm<U+200B> -r'],
  ['a direction mark', 'a\u202eb\u200fc', 'a<U+202E>b<U+200F>c'],
  ['a soft hyphen', 'pass\u00adword', 'pass<U+00AD>word'],
  ['tag characters', 'a\u{e0041}\u{e0042}', 'a<U+E0041><U+E0042>'],
  ['a variation selector', '😀\u{e0100}\ufe01', '😀<U+E0100><U+FE01>'],
  ['a line separator', 'a\u2028b', 'a<U+2028>b'],
  ['carriage returns', 'a\r\nb\rc', 'a␍\nb␍c'],
  ['an escape sequence', '\x1b[8mx', '␛[8mx'],
])('[S13] in text to approve, %s is visible', (_, text, expected) => {
  expect(revealInvisible(text)).toBe(expected)
})

test('joined, coloured and flag emoji are unchanged', () => {
  const emoji = 'ok ⚠️ 👩‍👩‍👧 ❤️ 🇳🇴 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 1️⃣'
  expect(revealInvisible(emoji)).toBe(emoji)
})

test('[S13] one line stays one line and hides nothing', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(toSingleLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u)
    }),
  )
  expect(toSingleLine('a\n\tb')).toBe('a␊␉b')
})
