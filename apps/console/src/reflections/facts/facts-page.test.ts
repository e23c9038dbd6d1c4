import type { Fact, FactOrder } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { FactFilters } from '../../app/search-params.ts'
import { findGroupHeading, toFactQuery } from './facts-page.tsx'

const fact = (subject: string, validFrom?: string) => ({ subject, ...(validFrom && { validFrom }) }) as Fact

test.each<[string, Fact, Fact | undefined, FactOrder, string | undefined]>([
  ['the first fact of a subject', fact('Ada'), undefined, 'subject', 'Ada'],
  ['another subject', fact('Ada'), fact('Bo'), 'subject', 'Ada'],
  ['the same subject', fact('Ada'), fact('Ada'), 'subject', undefined],
  ['another year', fact('Ada', '2004-05'), fact('Ada', '2020'), 'time', '2004'],
  ['the same year', fact('Ada', '2004-05'), fact('Bo', '2004'), 'time', undefined],
  ['no date', fact('Ada'), fact('Ada', '2004'), 'time', 'No date'],
  ['the order by age, which has no headings', fact('Ada'), undefined, 'added', undefined],
])('group heading: %s', (_, one, before, order, expected) =>
  expect(findGroupHeading(one, before, order)).toBe(expected),
)

test.each<[string, FactFilters, object]>([
  ['active facts by subject', {}, { state: 'active', order: 'subject' }],
  ['all facts', { state: 'everything', order: 'time' }, { order: 'time' }],
  ['no blank search', { search: '  ' }, { state: 'active', order: 'subject' }],
])('the query asks for %s', (_, filters, expected) => expect(toFactQuery(filters)).toEqual(expected))
