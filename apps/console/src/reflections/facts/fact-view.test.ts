import type { Fact, FactId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { factStanding } from './fact-view.tsx'

const supersededAt = '2026-01-01T00:00:00.000Z'
const repeatsFactId = 'fct_1' as FactId

test.each<[Pick<Fact, 'state' | 'supersededAt' | 'repeatsFactId'>, ReturnType<typeof factStanding>]>([
  [{ state: 'active' }, 'active'],
  [{ state: 'active', supersededAt }, 'superseded'],
  [{ state: 'candidate' }, 'candidate'],
  [{ state: 'rejected', supersededAt }, 'rejected'],
  [{ state: 'active', repeatsFactId }, 'repeated'],
  [{ state: 'rejected', repeatsFactId }, 'repeated'],
  [{ state: 'active', repeatsFactId, supersededAt }, 'superseded'],
])('[K2] the fact %j shows as %s', (fact, standing) => {
  expect(factStanding(fact)).toBe(standing)
})
