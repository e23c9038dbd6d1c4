import { expect, test } from 'vitest'
import { hiddenCharacter, lookAlike } from './odd-characters.ts'

test.each([
  ['a new line', 'npm\ntest', 'U+000A'],
  ['a carriage return', 'npm test\r', 'U+000D'],
  ['NUL', 'npm test\0', 'U+0000'],
  ['a tab', 'npm\ttest', 'U+0009'],
  ['an escape', 'npm \u001B[2Ktest', 'U+001B'],
  ['a no-break space', 'npm\u00A0test', 'U+00A0'],
  ['an ideographic space', 'npm\u3000test', 'U+3000'],
  ['a zero-width space', 'npm\u200B test', 'U+200B'],
  ['a zero-width joiner', 'npm\u200D test', 'U+200D'],
  ['a byte order mark', '\uFEFFnpm test', 'U+FEFF'],
  ['a text turned around', 'npm \u202Etset', 'U+202E'],
  ['an isolate', 'npm \u2066test', 'U+2066'],
  ['a soft hyphen', 'npm te\u00ADst', 'U+00AD'],
  ['a variation selector', 'npm test\uFE0F', 'U+FE0F'],
  ['a Hangul filler', 'npm \u3164test', 'U+3164'],
  ['blank Braille', 'npm\u2800test', 'U+2800'],
  ['a line separator', 'npm\u2028test', 'U+2028'],
  ['half a character', 'npm \uD800test', 'U+D800'],
  ['a tag character', 'npm test\u{E0041}', 'U+E0041'],
])('[S13] attack: %s in a command is found', (_, command, code) => {
  expect(hiddenCharacter(command)).toContain(code)
})

test.each(['npm test', 'cat "Übung 1.txt"', 'cat 日本語.txt', 'echo 🙂'])('%j hides nothing', (command) => {
  expect(hiddenCharacter(command)).toBeUndefined()
  expect(lookAlike(command)).toBeUndefined()
})

test.each([
  ['a Cyrillic a', 'npm run b\u0430r', 'b\u0430r'],
  ['a Greek o', 'cat n\u03BFtes', 'n\u03BFtes'],
  ['full-width letters', 'npm run \uFF42', '\uFF42'],
  ['a full-width semicolon', 'npm run a\uFF1B', 'a\uFF1B'],
  ['a small hyphen', 'npm run \uFE63x', '\uFE63x'],
])('[S13] attack: %s is taken for what it looks like', (_, command, word) => {
  expect(lookAlike(command)).toBe(word)
})
