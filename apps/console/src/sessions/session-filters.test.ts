import { expect, test } from 'vitest'
import { parseFilters, isFiltered, type SessionFilters } from './session-filters.ts'

test.each<[string, Record<string, unknown>, object]>([
  ['nothing', {}, {}],
  ['words', { search: '  Kyōto ' }, { search: 'Kyōto' }],
  ['a number, which the router parses as one', { search: 2026 }, { search: '2026' }],
  ['no words', { search: '  ' }, {}],
  [
    'everything',
    { channel: 'voice', status: 'ended', turn: 'waiting', whose: 'all' },
    { channel: 'voice', status: 'ended', turn: 'waiting', whose: 'all' },
  ],
  ['a reflection', { reflectionId: 'rfl_ada1' }, { reflectionId: 'rfl_ada1' }],
  [
    'unknown values',
    { channel: 'smoke', status: 1, turn: 'running', whose: 'own', reflectionId: 'ada', other: 'x' },
    {},
  ],
])('an address that names %s', (_, address, expected) => {
  const filters: SessionFilters = parseFilters(address)
  expect(filters).toEqual(expected)
  expect(isFiltered(filters)).toBe(Object.keys(expected).length > 0)
})
