import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printablePath } from './printable-path.ts'

test.each([
  ['src/grüße.ts', 'src/grüße.ts'],
  ['a b', 'a b'],
  ['a\nb', String.raw`a\u{a}b`],
  ['a\u{202e}b', String.raw`a\u{202e}b`],
  ['a\u{200b}b', String.raw`a\u{200b}b`],
  [String.raw`a\u{a}b`, String.raw`a\\u{a}b`],
])('%j is shown as %s', (path, shown) => {
  expect(printablePath(path)).toBe(shown)
})

test('[S13] attack: no two paths are shown alike', () => {
  const path = fc.string({ unit: fc.constantFrom('a', '\\', 'u', '{', '}', '\n', '\u{202e}') })
  fc.assert(
    fc.property(path, path, (one, other) => {
      expect(printablePath(one) === printablePath(other)).toBe(one === other)
    }),
    { numRuns: 2_000 },
  )
})
