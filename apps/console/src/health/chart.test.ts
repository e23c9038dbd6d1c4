import { expect, test } from 'vitest'
import { trimEmptyStart } from './chart.tsx'

const FROM = '2026-03-01T00:00:00.000Z'

const createHealth = (requests: readonly number[], responseMs: readonly (number | null)[] = []) => ({
  from: FROM,
  pieceSeconds: 600,
  charts: {
    requests: [{ label: 'answered', values: [...requests] }],
    responseMs: [{ label: 'median', values: [...responseMs] }],
    turns: [],
    firstWordMs: [],
    cost: [],
    sessions: [],
    retrievalMs: [],
  },
})
const createZeros = (count: number) => Array.from({ length: count }, () => 0)

test.each<[string, readonly number[], string, number, boolean]>([
  [
    'a server with long data shows the whole range',
    [...createZeros(40), ...Array(60).fill(3)],
    FROM,
    100,
    false,
  ],
  [
    'a new server shows data from its start',
    [...createZeros(80), ...Array(20).fill(3)],
    '2026-03-01T13:20:00.000Z',
    20,
    true,
  ],
  [
    'a very new server shows some room before its start',
    [...createZeros(99), 3],
    '2026-03-01T14:40:00.000Z',
    12,
    true,
  ],
  ['a server without data shows the whole range', createZeros(100), FROM, 100, false],
])('%s', (_, requests, from, pieces, isLater) => {
  const part = trimEmptyStart(createHealth(requests))
  expect([part.from, part.charts.requests[0]?.values.length, part.isLater]).toEqual([from, pieces, isLater])
})

test('the earliest data of any chart sets the start', () => {
  const times = [...Array(10).fill(null), 5, ...Array(89).fill(null)]
  expect(trimEmptyStart(createHealth([...createZeros(99), 1], times)).isLater).toBe(false)
})
