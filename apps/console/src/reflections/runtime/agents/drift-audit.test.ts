import { expect, test } from 'vitest'
import type { AgentDrift } from '@parley/contracts'
import { changedLines, driftInWords, fieldLines } from './drift-audit.tsx'

test.each<[readonly AgentDrift['status'][], string]>([
  [['not_made', 'not_made'], 'No agent has been made yet.'],
  [['as_wanted', 'not_made', 'not_comparable'], 'Nothing differs.'],
  [['as_wanted', 'gone'], 'One agent is not as it should be.'],
  [['differs', 'gone'], '2 agents are not as they should be.'],
])('[P13] %j: %s', (statuses, expected) => {
  const drifts = statuses.map((status) => ({ status, differences: [], beyond: [], why: [] }))
  const items = drifts.map((drift) => ({ ...drift, surface: 'public' as const }))
  const server = drifts.map((drift) => ({ ...drift, kind: 'generic' as const }))
  expect(driftInWords({ items, server: [] })).toBe(expected)
  expect(driftInWords({ items: [], server })).toBe(expected)
})

test.each<[string, Omit<Parameters<typeof fieldLines>[0], 'path'>, readonly string[]]>([
  ['a number', { held: 0.9, wanted: 0.4 }, ['removed 0.9', 'added 0.4']],
  ['what the provider lacks', { wanted: true }, ['added true']],
  ['what should not be there', { held: null }, ['removed null']],
  ['a text, by its lines', { held: 'a\nb', wanted: 'a\nc' }, ['same a', 'removed b', 'added c']],
  [
    'a list, by its entries',
    { held: [], wanted: ['x'] },
    ['removed []', 'added [', 'added   "x"', 'added ]'],
  ],
])('[P13] %s', (_, difference, expected) => {
  expect(fieldLines({ path: 'x', ...difference }).map(({ kind, text }) => `${kind} ${text}`)).toEqual(
    expected,
  )
})

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
