import type { LedgerEntry, LedgerStage } from '@parley/contracts'
import { expect, test } from 'vitest'
import { generationsOf } from './ledger-page.tsx'

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

test('[P9] entries stand with their generation, latest first, though builds overtake each other', () => {
  const seen = generationsOf(LEDGER).map(({ generation, stage, entries }) => ({
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
  ['an entry names the hash before it', LEDGER, 'follows'],
  [
    'one that was changed breaks the chain',
    LEDGER.with(1, { ...entry(4, 2, 'promoted'), entryHash: 'x' }),
    'broken',
  ],
  ['what is not read yet is not judged', LEDGER.slice(0, 1), 'unseen'],
])('[P9] %s', (_, entries, expected) => {
  expect(generationsOf(entries)[0]?.entries[0]?.link).toBe(expected)
})

test('[P9] the first entry follows the reflection itself', () => {
  expect(generationsOf(LEDGER.slice(-1))[0]?.entries[0]?.link).toBe('first')
})
