import { expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

test.each([
  ['notes/heute früh.md', 'notes/heute früh.md'],
  ['two\n\tlines', 'two\n\tlines'],
  ['safe\u202Egpj.exe', 'safe\\u{202e}gpj.exe'],
  ['a\u0000b\u200Bc\u2028d\u{E0041}', 'a\\u{0}b\\u{200b}c\\u{2028}d\\u{e0041}'],
  ['rm\r-rf', 'rm\\u{d}-rf'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})
