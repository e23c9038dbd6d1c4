import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitCommand } from './split-command.ts'

test.each<[string, string, string[]]>([
  ['npm', 'npm', []],
  ['npm test', 'npm', ['test']],
  ['  npm   test  ', 'npm', ['test']],
  ['cat "a b.txt"', 'cat', ['a b.txt']],
  ["cat 'a b.txt'", 'cat', ['a b.txt']],
  ['cat a" "b', 'cat', ['a b']],
  ['cat ""', 'cat', ['']],
  [`echo "it's"`, 'echo', ["it's"]],
  [`echo '$HOME "x" \\'`, 'echo', ['$HOME "x" \\']],
  ['eslint src/**/*.ts', 'eslint', ['src/**/*.ts']],
  ['env A=1 npm test', 'env', ['A=1', 'npm', 'test']],
])('%j is a program and its arguments', (command, program, rest) => {
  expect(splitCommand(command)).toEqual({ kind: 'words', program, rest })
})

test.each([
  ['npm test; rm x', '";"'],
  ['npm test && rm x', '"&"'],
  ['npm test | sh', '"|"'],
  ['npm test > x', '">"'],
  ['npm test < x', '"<"'],
  ['echo $HOME', '"$"'],
  ['echo "$HOME"', '"$"'],
  ['echo `id`', '"`"'],
  ['echo "`id`"', '"`"'],
  ['(npm test)', '"("'],
  [String.raw`echo a\ b`, String.raw`"\\"`],
  ['echo "a', 'not closed'],
  ["echo 'a", 'not closed'],
  ['FOO=1 npm test', 'variable (FOO=1)'],
  ['', 'no program'],
  ['   ', 'no program'],
  ['"" x', 'no program'],
  ['-x', 'not the name of a program'],
  ['~/bin/x', 'not the name of a program'],
])('[S13] %j is refused rather than run as something else', (command, why) => {
  expect(splitCommand(command)).toMatchObject({ kind: 'unclear', why: expect.stringContaining(why) })
})

test('words put into single quotes come out as they were', () => {
  const word = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes("'"))
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const command = ['run', ...words.map((each) => `'${each}'`)].join(' ')
      expect(splitCommand(command)).toEqual({ kind: 'words', program: 'run', rest: words })
    }),
  )
})
