import type { LedgerEntry } from '@parley/contracts'
import { expect, test } from 'vitest'
import { verdictInWords } from './verdict-in-words.ts'

const entry: LedgerEntry = {
  position: 1,
  generation: 1,
  stage: 'candidate',
  payloadHash: '',
  reasons: [],
  at: '2026-01-01T00:00:00.000Z',
  previousHash: '',
  entryHash: '',
}

test.each<[number, number | undefined, number, string]>([
  [0, undefined, 0, 'There is nothing to verify yet.'],
  [1, undefined, 0, 'One entry is right; nothing serves yet.'],
  [6, 2, 0, 'All 6 entries are right; generation 2 serves.'],
  [6, 2, 1, 'One thing is wrong.'],
  [6, 2, 3, '3 things are wrong.'],
])('[P9] %i entries, %s serves, %i faults: %s', (count, live, faults, expected) => {
  const ledger = { reflectionId: 'rfl_1', entries: Array.from({ length: count }, () => entry), live }
  expect(
    verdictInWords(
      ledger,
      Array.from({ length: faults }, () => ({ problem: 'is wrong' })),
    ),
  ).toBe(expected)
})
