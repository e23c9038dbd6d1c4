import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNeutraliser, neutralise } from './neutralise.ts'

// oxlint-disable-next-line no-control-regex -- what must never come through
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\x1b', '\x1b[2J', '\x1b]0;title\x07', '\x9b31m', '\x7f', '\b', '\r', '\r\n', '\u202e'),
    fc.constantFrom('\n', '\t', ' ', 'a', 'é', '漢', '😀'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
})

test('no text makes the terminal act', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(neutralise(text)).not.toMatch(ACTING)
    }),
  )
})

test('harmless text stays as it is', () => {
  const harmless = fc.string({ unit: fc.constantFrom('\n', '\t', ' ', 'a', 'ß', '漢', '😀', 'ё', 'ו') })
  fc.assert(
    fc.property(harmless, (text) => {
      expect(neutralise(text)).toBe(text)
    }),
  )
})

test('pieces give what the whole gives, wherever they are cut', () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(60)), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].toSorted(
        (a, b) => a - b,
      )
      const neutraliser = createNeutraliser()
      const pieces = places.slice(1).map((end, index) => neutraliser.write(text.slice(places[index], end)))
      expect(pieces.join('') + neutraliser.flush()).toBe(neutralise(text))
    }),
  )
})

test('a neutralised escape sequence can still be read', () => {
  expect(neutralise('red \x1b[31malert\x1b[0m\r\n')).toBe('red ␛[31malert␛[0m\n')
})
