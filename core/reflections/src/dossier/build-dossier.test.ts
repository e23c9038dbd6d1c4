import type { SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { decideMaturity } from './build-dossier.ts'

const from = (facts: number, sources: number) =>
  createEvidence('essays', facts).map((item, index) => ({
    ...item,
    sourceId: `src_${index % sources}` as SourceId,
  }))

test.each<[number, number, ReturnType<typeof decideMaturity>]>([
  [0, 1, 'emerging'],
  [11, 2, 'emerging'],
  [12, 1, 'emerging'],
  [400, 1, 'emerging'],
  [12, 2, 'established'],
  [13, 3, 'established'],
])('[P2] %i facts from %i sources: %s', (facts, sources, maturity) => {
  expect(decideMaturity(from(facts, sources))).toBe(maturity)
})

test('[P2] a fact from several sources counts once', () => {
  const one = from(11, 2)
  const twice = [...one, ...one.map((item) => ({ ...item, sourceId: 'src_other' as SourceId }))]
  expect(decideMaturity(twice)).toBe('emerging')
})
