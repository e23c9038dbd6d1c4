import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LedgerEntry } from '@parley/contracts'
import { computeSha256InBrowser, describeVerification } from './verify-ledger.tsx'

const nodeSha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test.each(['', 'abc', 'a'.repeat(55), 'a'.repeat(56), 'a'.repeat(64), 'ä€😀', '\ud800', 'x'.repeat(300_000)])(
  'computeSha256InBrowser equals the hash from Node',
  (text) => {
    expect(computeSha256InBrowser(text)).toBe(nodeSha256(text))
  },
)

test('the hash of any text equals the hash from Node', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      expect(computeSha256InBrowser(text)).toBe(nodeSha256(text))
    }),
  )
})

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
  [0, undefined, 0, 'Nothing to verify yet.'],
  [1, undefined, 0, 'The entry is valid; no version is in use yet.'],
  [6, 2, 0, 'All 6 entries are valid; version 2 is in use.'],
  [6, 2, 1, '1 problem found.'],
  [6, 2, 3, '3 problems found.'],
])('[P9] %i entries, version %s, %i faults: %s', (count, live, faults, expected) => {
  const ledger = { reflectionId: 'rfl_1', entries: Array.from({ length: count }, () => entry), live }
  expect(
    describeVerification(
      ledger,
      Array.from({ length: faults }, () => ({ problem: 'is wrong' })),
    ),
  ).toBe(expected)
})
