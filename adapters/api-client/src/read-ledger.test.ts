import { type LedgerEntry, PlatformError, type ReflectionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { readGenerations, readWholeLedger } from './read-ledger.ts'

const reflectionId = 'rfl_1' as ReflectionId
const entry = (position: number): LedgerEntry => ({
  position,
  generation: Math.ceil(position / 2),
  stage: 'candidate',
  payloadHash: '',
  reasons: [],
  at: '2026-01-01T00:00:00.000Z',
  previousHash: '',
  entryHash: '',
})

test('[P9] a ledger is read to its end, with the version that was active at the start', async () => {
  const pages = [
    { items: [entry(4), entry(3)], nextCursor: 'on', live: 2 },
    { items: [entry(2), entry(1)], live: 3 },
  ]
  const ledger = await readWholeLedger(
    { ledger: async ({ cursor }) => pages[cursor === 'on' ? 1 : 0] ?? { items: [] } },
    reflectionId,
  )
  expect(ledger).toMatchObject({ reflectionId, live: 2 })
  expect(ledger.entries.map(({ position }) => position)).toEqual([1, 2, 3, 4])
})

test('each generation is read once; missing ones are skipped', async () => {
  const progress: string[] = []
  const stored = await readGenerations(
    {
      generation: async ({ generation }) => {
        if (generation === 2) throw new PlatformError('not_found')
        return { generation, publishedNamespaces: [] }
      },
    },
    { reflectionId, entries: [1, 2, 3, 4, 5].map(entry) },
    (read, all) => progress.push(`${read} of ${all}`),
  )
  expect([...stored.keys()]).toEqual([1, 3])
  expect(progress).toEqual(['1 of 3', '2 of 3', '3 of 3'])
})

test('other errors are thrown', async () => {
  const fails = { generation: () => Promise.reject(new PlatformError('forbidden')) }
  await expect(readGenerations(fails, { reflectionId, entries: [entry(1)] })).rejects.toMatchObject({
    code: 'forbidden',
  })
})
