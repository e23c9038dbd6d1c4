import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines } from './diff-lines.ts'

const MARKS = { added: '+', removed: '-', same: '=', about: '#' } as const

const told = (diff: string) => diffLines(diff).map(({ kind, text }) => `${MARKS[kind]}${text}`)

test.each<[string, readonly string[], readonly string[]]>([
  [
    'a change',
    ['--- a/notes.md', '+++ b/notes.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+three'],
    ['#--- a/notes.md', '#+++ b/notes.md', '#@@ -1,2 +1,2 @@', '=one', '-two', '+three'],
  ],
  [
    'lines that look like the names of files, or like a hunk',
    ['--- a/x', '+++ b/x', '@@ -1,2 +1,3 @@', '--- drop', '+++ i', ' @@ -1 +1 @@', '+diff --git a b'],
    ['#--- a/x', '#+++ b/x', '#@@ -1,2 +1,3 @@', '--- drop', '+++ i', '=@@ -1 +1 @@', '+diff --git a b'],
  ],
  [
    'two files',
    [
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      '-1',
      '+2',
      'diff --git a/y b/y',
      '--- a/y',
      '+++ b/y',
      '@@ -0,0 +1 @@',
      '+3',
    ],
    [
      '#--- a/x',
      '#+++ b/x',
      '#@@ -1 +1 @@',
      '-1',
      '+2',
      '#diff --git a/y b/y',
      '#--- a/y',
      '#+++ b/y',
      '#@@ -0,0 +1 @@',
      '+3',
    ],
  ],
  [
    'a middle that is left out',
    ['@@ -1,90 +1,90 @@', '-1', '', '… 80 lines are not shown here …', '--- 2', '@@ -95 +95 @@', '+3'],
    ['#@@ -1,90 +1,90 @@', '-1', '=', '#… 80 lines are not shown here …', '--- 2', '#@@ -95 +95 @@', '+3'],
  ],
  [
    'no line end at the end',
    ['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+b'],
    ['#@@ -1 +1 @@', '-a', '#\\ No newline at end of file', '+b'],
  ],
  [
    'words before the diff',
    ['x was UTF-16, and becomes UTF-8.', '--- a/x'],
    ['#x was UTF-16, and becomes UTF-8.', '#--- a/x'],
  ],
])('[S13] %s', (_, lines, expected) => {
  expect(told(`${lines.join('\n')}\n`)).toEqual(expected)
})

test('[S13] what a hunk adds and takes away is always marked so, whatever it says', () => {
  const words = fc.constantFrom('', '-- a/x', '++ b/x', '@ -1 +1 @@', ' x', 'diff --git a b', '… 3 lines')
  const line = fc.tuple(fc.constantFrom('+', '-', ' '), words).map(([mark, text]) => mark + text)
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (lines) => {
      const count = (but: string) => lines.filter((each) => !each.startsWith(but)).length
      const head = `@@ -1,${count('+')} +1,${count('-')} @@`
      const marked = told([head, ...lines].join('\n')).slice(1)
      expect(marked.map((each) => each.replace(/^=/, ' '))).toEqual(lines)
    }),
  )
})
