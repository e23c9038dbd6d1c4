import type { FactState } from '@parley/contracts'
import { expect, test } from 'vitest'
import { factStanding } from './fact-standing.ts'

const supersededAt = '2026-01-01T00:00:00.000Z'

test.each<[FactState, string | undefined, ReturnType<typeof factStanding>]>([
  ['active', undefined, 'active'],
  ['active', supersededAt, 'superseded'],
  ['candidate', undefined, 'candidate'],
  ['rejected', supersededAt, 'rejected'],
])('[K2] a fact that is %s, superseded at %s, shows as %s', (state, at, standing) => {
  expect(factStanding({ state, ...(at && { supersededAt: at }) })).toBe(standing)
})
