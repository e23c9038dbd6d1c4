import { expect, test } from 'vitest'
import type { Fact, FactId } from '@parley/contracts'
import { getFactStatus, formatFactDates } from './fact-view.tsx'

const supersededAt = '2026-01-01T00:00:00.000Z'
const repeatsFactId = 'fct_1' as FactId

test.each<[Pick<Fact, 'state' | 'supersededAt' | 'repeatsFactId'>, ReturnType<typeof getFactStatus>]>([
  [{ state: 'active' }, 'active'],
  [{ state: 'active', supersededAt }, 'superseded'],
  [{ state: 'candidate' }, 'candidate'],
  [{ state: 'rejected', supersededAt }, 'rejected'],
  [{ state: 'active', repeatsFactId }, 'repeated'],
  [{ state: 'rejected', repeatsFactId }, 'repeated'],
  [{ state: 'active', repeatsFactId, supersededAt }, 'superseded'],
])('[K2] the fact %j shows as %s', (fact, status) => {
  expect(getFactStatus(fact)).toBe(status)
})

test.each([
  [{}, ''],
  [{ validFrom: '2001' }, 'from 2001'],
  [{ validFrom: '2001-05', validTo: '2004-01-02T10:00:00Z' }, 'from 2001-05 until 2004-01-02'],
])('[K2] the dates %j are shown as: %s', (given, words) => {
  expect(formatFactDates(given)).toBe(words)
})
