import { expect, test } from 'vitest'
import { createSessionTitle } from './start-session.ts'

const repeatWord = (count: number) => 'word '.repeat(count).trim()

test.each<[string, string, string]>([
  ['one line', 'Low tides', 'Low tides'],
  ['the first line', 'Low tides\nand high ones', 'Low tides'],
  ['the first line that says something', '\n  \nLow tides\nmore', 'Low tides'],
  ['spaces and control characters', ' Low \t tides\u0007 ', 'Low tides'],
  ['a line of nothing but control characters', '\u0007', ''],
  ['nothing', '', ''],
  ['a line that just fits', 'x'.repeat(80), 'x'.repeat(80)],
  ['a word that does not fit', 'x'.repeat(81), `${'x'.repeat(79)}…`],
  ['words that just fit', repeatWord(16), repeatWord(16)],
  ['words that do not fit', repeatWord(17), `${repeatWord(15)}…`],
  ['a first word that does not fit', `${'x'.repeat(100)} y`, `${'x'.repeat(79)}…`],
  ['a pair of surrogates at the end', `${'x'.repeat(78)}😀😀`, `${'x'.repeat(78)}…`],
  ['half a pair of surrogates', 'a\ud83d', 'a\ufffd'],
])('a session is titled after its first message: %s', (_, text, title) => {
  expect(createSessionTitle(text)).toBe(title)
})
