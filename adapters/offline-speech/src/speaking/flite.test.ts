import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toAscii } from './flite.ts'

test.each([
  ['Größe, naïve, Œuvre, Łódź', 'Grosse, naive, oeuvre, lodz'],
  ['It’s late — go…', "It's late , go..."],
  ['You & I', 'You and I'],
  ['€7.50 or £3', '7.50 euros or 3 pounds'],
  ['Hello 日本 there', 'Hello there'],
  ['日本語 😀 ?!', ''],
])('[X2] %s', (text, expected) => {
  expect(toAscii(text)).toBe(expected)
})

const letter = fc.constantFrom(
  'a',
  'Z',
  '7',
  ' ',
  '.',
  '€',
  '°',
  '&',
  '—',
  '…',
  'é',
  'ß',
  '日',
  '😀',
  '\0',
  '\n',
  '\u0301',
  '\uFB03',
)

test('[X2] any text becomes bounded, printable ASCII', () => {
  fc.assert(
    fc.property(fc.string({ unit: letter, maxLength: 1_500 }), (text) => {
      expect(toAscii(text)).toMatch(/^[\x20-\x7E]{0,1000}$/u)
    }),
  )
})
