import { expect, test } from 'vitest'
import { findChartStart } from './chart.tsx'

const createCharts = (requests: readonly number[], responseMs: readonly (number | null)[] = []) => ({
  requests: [{ label: 'answered', values: [...requests] }],
  responseMs: [{ label: 'median', values: [...responseMs] }],
  turns: [],
  firstWordMs: [],
  cost: [],
  sessions: [],
  retrievalMs: [],
})
const createZeros = (count: number) => Array.from({ length: count }, () => 0)

test.each<[string, readonly number[], number]>([
  ['a server with long data shows the whole range', [...createZeros(40), ...Array(60).fill(3)], 0],
  ['a new server shows data from its start', [...createZeros(80), ...Array(20).fill(3)], 80],
  ['a very new server shows some room before its start', [...createZeros(99), 3], 88],
  ['a server without data shows the whole range', createZeros(100), 0],
])('%s', (_, requests, start) => {
  expect(findChartStart(createCharts(requests))).toBe(start)
})

test('the earliest data of any chart sets the start', () => {
  const times = [...Array(10).fill(null), 5, ...Array(89).fill(null)]
  expect(findChartStart(createCharts([...createZeros(99), 1], times))).toBe(0)
})
