import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundText, bytesOf } from './bound-text.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

test('[S12] what is within the bounds stays whole', () => {
  expect(boundText(lines(2_000))).toEqual({ head: lines(2_000) })
  expect(boundText('x'.repeat(50_000))).toEqual({ head: 'x'.repeat(50_000) })
})

test('[S12] more lines than are given: the beginning and the end stay', () => {
  const { head, left } = boundText(lines(10_000))
  expect(head.split('\n')).toHaveLength(1_401)
  expect(head.startsWith('line 1\n')).toBe(true)
  expect(left?.lines).toBe(8_000)
  expect(left?.tail.startsWith('line 9401\n')).toBe(true)
  expect(left?.tail.endsWith('line 10000\n')).toBe(true)
})

test('[S12] one line that is too long is cut within it', () => {
  const { head, left } = boundText('y'.repeat(200_000))
  expect(head).toBe('y'.repeat(35_000))
  expect(left?.tail).toBe('y'.repeat(15_000))
})

test('[S12] nothing is lost or doubled, no character is cut in two, and the bounds hold', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', 'ü', '語', '😀', '\ud800'), maxLength: 400 })
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 4, max: 200 }),
      fc.integer({ min: 2, max: 40 }),
      (given, bytes, count) => {
        const { head, left = WHOLE } = boundText(given, bytes, count)
        expect(left !== WHOLE || head === given).toBe(true)
        expect(given.startsWith(head)).toBe(true)
        expect(given.endsWith(left.tail)).toBe(true)
        const middle = given.slice(head.length, given.length - left.tail.length)
        expect(bytesOf(middle)).toBe(left.bytes)
        expect(bytesOf(head) + bytesOf(left.tail)).toBeLessThanOrEqual(bytes)
        for (const edge of [head.length, given.length - left.tail.length])
          expect(isWithinPair(given, edge)).toBe(false)
      },
    ),
  )
})

const WHOLE = { lines: 0, bytes: 0, tail: '' }

const isWithinPair = (text: string, at: number) =>
  /^[\ud800-\udbff]$/.test(text[at - 1] ?? '') && /^[\udc00-\udfff]$/.test(text[at] ?? '')
