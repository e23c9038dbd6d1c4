import { expect, test } from 'vitest'
import { escapeInvisible } from './escape-invisible.ts'

test.each([
  ['notes/heute früh.md', 'notes/heute früh.md'],
  ['two\n\tlines', 'two\n\tlines'],
  ['safe\u202Egpj.exe', 'safe\\u{202e}gpj.exe'],
  ['a\u0000b\u200Bc\u2028d\u{E0041}', 'a\\u{0}b\\u{200b}c\\u{2028}d\\u{e0041}'],
  ['rm\r-rf', 'rm\\u{d}-rf'],
  ['a\u00A0b\u3000c\u2800d', 'a\\u{a0}b\\u{3000}c\\u{2800}d'],
  ['a\u3164b\u034Fc\uFE0F', 'a\\u{3164}b\\u{34f}c\\u{fe0f}'],
])('%j is shown as %j', (text, shown) => {
  expect(escapeInvisible(text)).toBe(shown)
})
