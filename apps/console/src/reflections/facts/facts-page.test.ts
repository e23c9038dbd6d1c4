import type { Fact, FactOrder } from '@parley/contracts'
import { expect, test } from 'vitest'
import { factGroup } from './facts-page.tsx'

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
  expect(factGroup(one, before, order)).toBe(expected),
)
