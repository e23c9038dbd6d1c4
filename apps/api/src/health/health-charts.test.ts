import { expect, test } from 'vitest'
import { EMPTY_SPREAD, type SummedSample } from '@parley/postgres'
import { buildCharts, summarizeRoutes, toHealthWindow } from './health-charts.ts'

const sample = (given: Partial<SummedSample>): SummedSample => ({
  what: 'request',
  label: 'GET /v1/me 2xx',
  piece: 0,
  count: 1,
  sum: 0,
  spread: EMPTY_SPREAD,
  ...given,
})

test('requests are grouped by status, turns by stop reason', () => {
  const charts = buildCharts(
    [
      sample({ count: 3 }),
      sample({ label: 'GET /v1/me 4xx', piece: 1 }),
      sample({ label: 'POST /v1/sessions 5xx', piece: 1, count: 2 }),
      sample({ what: 'turn', label: 'completed' }),
      sample({ what: 'turn', label: 'max_tokens' }),
      sample({ what: 'turn', label: 'provider_unavailable', piece: 1 }),
    ],
    2,
  )
  expect(charts.requests).toEqual([
    { label: 'answered', values: [3, 0] },
    { label: 'refused', values: [0, 1] },
    { label: 'failed', values: [0, 2] },
  ])
  expect(charts.turns).toEqual([
    { label: 'completed', values: [2, 0] },
    { label: 'cancelled', values: [0, 0] },
    { label: 'failed', values: [0, 1] },
  ])
})

test('cost is grouped by model, and an interval without samples has no time', () => {
  const charts = buildCharts(
    [
      sample({ what: 'cost', label: 'a/one', sum: 5 }),
      sample({ what: 'cost', label: 'a/one', sum: 2 }),
      sample({ what: 'retrieval', label: 'private', piece: 1, spread: [2, ...EMPTY_SPREAD.slice(1)] }),
    ],
    2,
  )
  expect(charts.cost).toEqual([{ label: 'a/one', values: [7, 0] }])
  expect(charts.retrievalMs).toEqual([
    { label: 'Median', values: [null, 2.5] },
    { label: '95th percentile', values: [null, 4.75] },
  ])
})

test('routes with failures come first', () => {
  expect(
    summarizeRoutes([
      sample({ count: 8, sum: 16 }),
      sample({ label: 'GET /v1/me 4xx', count: 2, sum: 4 }),
      sample({ label: 'POST /v1/sessions 5xx', sum: 30 }),
      sample({ what: 'turn', label: 'completed' }),
    ]),
  ).toEqual([
    { route: 'POST /v1/sessions', requests: 1, refused: 0, failed: 1, averageMs: 30 },
    { route: 'GET /v1/me', requests: 10, refused: 2, failed: 0, averageMs: 2 },
  ])
})

test('a window is of whole pieces and holds this moment', () => {
  const now = Date.parse('2026-03-01T10:07:30.000Z')
  expect(toHealthWindow('24h', now)).toEqual({
    from: '2026-02-28T10:15:00.000Z',
    to: '2026-03-01T10:15:00.000Z',
    pieceSeconds: 900,
    pieces: 96,
  })
})
