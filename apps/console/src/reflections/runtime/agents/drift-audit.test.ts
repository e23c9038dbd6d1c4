import { expect, test } from 'vitest'
import type { AgentDrift } from '@parley/contracts'
import { diffTexts, describeDrift, compareFieldValues } from './drift-audit.tsx'

test.each<[readonly AgentDrift['status'][], string]>([
  [['not_made', 'not_made'], 'No agents yet.'],
  [['as_wanted', 'not_made', 'not_comparable'], 'No differences.'],
  [['as_wanted', 'gone'], '1 agent has problems.'],
  [['differs', 'gone'], '2 agents have problems.'],
])('[P13] %j: %s', (statuses, expected) => {
  const drifts = statuses.map((status) => ({ status, differences: [], beyond: [], why: [] }))
  const items = drifts.map((drift) => ({ ...drift, surface: 'public' as const }))
  const server = drifts.map((drift) => ({ ...drift, kind: 'generic' as const }))
  expect(describeDrift({ items, server: [] })).toBe(expected)
  expect(describeDrift({ items: [], server })).toBe(expected)
})

test.each<[string, Omit<Parameters<typeof compareFieldValues>[0], 'path'>, readonly string[]]>([
  ['a number', { held: 0.9, wanted: 0.4 }, ['removed 0.9', 'added 0.4']],
  ['a missing field', { wanted: true }, ['added true']],
  ['an extra field', { held: null }, ['removed null']],
  ['a text, line by line', { held: 'a\nb', wanted: 'a\nc' }, ['same a', 'removed b', 'added c']],
  [
    'a list, entry by entry',
    { held: [], wanted: ['x'] },
    ['removed []', 'added [', 'added   "x"', 'added ]'],
  ],
])('[P13] %s', (_, difference, expected) => {
  expect(compareFieldValues({ path: 'x', ...difference }).map(({ kind, text }) => `${kind} ${text}`)).toEqual(
    expected,
  )
})

const summarizeDiff = (before: string, after: string) =>
  diffTexts(before === '' ? [] : before.split(' '), after === '' ? [] : after.split(' ')).map(
    ({ kind, text }) => `${{ added: '+', removed: '-', same: ' ', about: '' }[kind]}${text}`,
  )

test.each<[string, string, string, readonly string[]]>([
  ['two empty texts', '', '', []],
  ['an added line', '', 'a', ['+a']],
  ['a removed line', 'a', '', ['-a']],
  ['a replaced line', 'a b c', 'a x c', [' a', '-b', '+x', ' c']],
  ['a moved line', 'a b', 'b a', ['-a', ' b', '+a']],
  ['an inserted line', 'a c', 'a b c', [' a', '+b', ' c']],
  [
    'unchanged lines far from a change are hidden',
    '1 2 3 4 5 a 6 7 8',
    '1 2 3 4 5 b 6 7 8',
    ['… 3 unchanged lines …', ' 4', ' 5', '-a', '+b', ' 6', ' 7', '… 1 unchanged line …'],
  ],
])('%s', (_, before, after, expected) => {
  expect(summarizeDiff(before, after)).toEqual(expected)
})
