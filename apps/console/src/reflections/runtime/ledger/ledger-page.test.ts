import type { LedgerEntry, LedgerStage } from '@parley/contracts'
import { expect, test } from 'vitest'
import { groupByGeneration } from './ledger-page.tsx'

const entry = (position: number, generation: number, stage: LedgerStage): LedgerEntry => ({
  position,
  generation,
  stage,
  payloadHash: 'p',
  reasons: [],
  at: '2026-01-01T00:00:00.000Z',
  previousHash: `h${position - 1}`,
  entryHash: `h${position}`,
})

const LEDGER = [
  entry(5, 1, 'outrun'),
  entry(4, 2, 'promoted'),
  entry(3, 2, 'evaluated'),
  entry(2, 1, 'evaluated'),
  entry(1, 1, 'candidate'),
]

test('[P9] entries are grouped by version, newest first, even if builds overtake each other', () => {
  const seen = groupByGeneration(LEDGER).map(({ generation, stage, entries }) => ({
    generation,
    stage,
    entries: entries.map(({ position }) => position),
  }))
  expect(seen).toEqual([
    { generation: 1, stage: 'outrun', entries: [5, 2, 1] },
    { generation: 2, stage: 'promoted', entries: [4, 3] },
  ])
})

test.each<[string, readonly LedgerEntry[], string]>([
  ['an entry with the hash of the previous one follows it', LEDGER, 'follows'],
  [
    'a changed entry breaks the chain',
    LEDGER.with(1, { ...entry(4, 2, 'promoted'), entryHash: 'x' }),
    'broken',
  ],
  ['an entry is not checked before the previous one is loaded', LEDGER.slice(0, 1), 'unseen'],
])('[P9] %s', (_, entries, expected) => {
  expect(groupByGeneration(entries)[0]?.entries[0]?.link).toBe(expected)
})

test('[P9] the first entry starts the chain', () => {
  expect(groupByGeneration(LEDGER.slice(-1))[0]?.entries[0]?.link).toBe('first')
})
