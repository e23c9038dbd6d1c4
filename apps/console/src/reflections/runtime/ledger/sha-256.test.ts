import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from './sha-256.ts'

const expected = (text: string) => createHash('sha256').update(text).digest('hex')

test.each(['', 'abc', 'a'.repeat(55), 'a'.repeat(56), 'a'.repeat(64), 'ä€😀', '\ud800', 'x'.repeat(300_000)])(
  'the hash of a text is the one that everybody else works out',
  (text) => {
    expect(sha256(text)).toBe(expected(text))
  },
)

test('whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      expect(sha256(text)).toBe(expected(text))
    }),
  )
})
