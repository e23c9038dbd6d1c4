import { expect, test } from 'vitest'
import { changedLines } from './changed-lines.ts'

const inShort = (before: string, after: string) =>
  changedLines(before === '' ? [] : before.split(' '), after === '' ? [] : after.split(' ')).map(
    ({ kind, text }) => `${{ added: '+', removed: '-', same: ' ', about: '' }[kind]}${text}`,
  )

test.each<[string, string, string, readonly string[]]>([
  ['nothing and nothing', '', '', []],
  ['something new', '', 'a', ['+a']],
  ['something gone', 'a', '', ['-a']],
  ['a line in place of another', 'a b c', 'a x c', [' a', '-b', '+x', ' c']],
  ['a line that moved', 'a b', 'b a', ['-a', ' b', '+a']],
  ['a line more', 'a c', 'a b c', [' a', '+b', ' c']],
  [
    'what is alike around it is left out',
    '1 2 3 4 5 a 6 7 8',
    '1 2 3 4 5 b 6 7 8',
    ['… 3 lines alike …', ' 4', ' 5', '-a', '+b', ' 6', ' 7', '… 1 line alike …'],
  ],
])('%s', (_, before, after, expected) => {
  expect(inShort(before, after)).toEqual(expected)
})
