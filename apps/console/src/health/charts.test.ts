import { expect, test } from 'vitest'
import { countedPart } from './charts.tsx'

const FROM = '2026-03-01T00:00:00.000Z'

const healthOf = (requests: readonly number[], responseMs: readonly (number | null)[] = []) => ({
  from: FROM,
  pieceSeconds: 600,
  charts: {
    requests: [{ label: 'answered', values: [...requests] }],
    responseMs: [{ label: 'half took at most', values: [...responseMs] }],
    turns: [],
    firstWordMs: [],
    cost: [],
    sessions: [],
    retrievalMs: [],
  },
})
const noughts = (count: number) => Array.from({ length: count }, () => 0)

test.each<[string, readonly number[], string, number, boolean]>([
  ['a server that counts for long is shown whole', [...noughts(40), ...Array(60).fill(3)], FROM, 100, false],
  [
    'a new one from its beginning',
    [...noughts(80), ...Array(20).fill(3)],
    '2026-03-01T13:20:00.000Z',
    20,
    true,
  ],
  ['one just made with some room before it', [...noughts(99), 3], '2026-03-01T14:40:00.000Z', 12, true],
  ['one that counted nothing is shown whole', noughts(100), FROM, 100, false],
])('%s', (_, requests, from, pieces, isLater) => {
  const part = countedPart(healthOf(requests))
  expect([part.from, part.charts.requests[0]?.values.length, part.isLater]).toEqual([from, pieces, isLater])
})

test('whatever was counted first counts', () => {
  const times = [...Array(10).fill(null), 5, ...Array(89).fill(null)]
  expect(countedPart(healthOf([...noughts(99), 1], times)).isLater).toBe(false)
})
