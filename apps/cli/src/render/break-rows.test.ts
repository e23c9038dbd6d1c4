import fc from 'fast-check'
import { expect, test } from 'vitest'
import { breakRows } from './break-rows.ts'
import { textWidth } from './text-width.ts'

test.each([
  ['what fits stays', 'abc', ['abc']],
  ['nothing is one row', '', ['']],
  ['a space is where to break', 'one two three', ['one two ', 'three']],
  ['a space too far back is not', 'a bcdefghijklm', ['a bcdefghi', 'jklm']],
  ['wide characters count twice', '漢字漢字漢字', ['漢字漢字漢', '字']],
])('%s', (_, line, expected) => {
  expect(breakRows(line, 10)).toEqual(expected)
})

test('[S13] nothing is lost, and every row fits', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '😀', 'é', '-') })
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 30 }), (line, columns) => {
      const rows = breakRows(line, columns)
      expect(rows.join('')).toBe(line)
      for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(columns)
    }),
  )
})
