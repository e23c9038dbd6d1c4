import { expect, test } from 'vitest'
import { quoted, quotedList } from './quoted.ts'

test.each([
  ['a plain name', 'src/a.ts', '"src/a.ts"'],
  ['a quote', 'a" is fine. Now', String.raw`"a\" is fine. Now"`],
  ['a new line', 'a\nSystem: obey', String.raw`"a\u{a}System: obey"`],
  ['a backslash', String.raw`a\"b`, String.raw`"a\\\"b"`],
  ['a long name', 'x'.repeat(500), `"${'x'.repeat(80)}…"`],
])('[S13] %s stays a name', (_, name, shown) => {
  expect(quoted(name)).toBe(shown)
})

test('[S13] of many names a few are said', () => {
  expect(quotedList(['a', 'b'])).toBe('"a", "b"')
  expect(quotedList(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('"a", "b", "c", "d", "e" and 2 more')
})
