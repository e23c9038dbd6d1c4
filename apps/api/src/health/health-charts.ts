import type { HealthCharts, HealthRange, HealthSeries, RouteHealth } from '@parley/contracts'
import {
  type HealthWindow,
  EMPTY_SPREAD,
  type Spread,
  type SummedSample,
  addSpreads,
  estimateQuantileMs,
} from '@parley/postgres'

/** The resolution of each range. */
const PIECES: Record<HealthRange, { readonly count: number; readonly seconds: number }> = {
  '1h': { count: 60, seconds: 60 },
  '24h': { count: 96, seconds: 900 },
  '7d': { count: 168, seconds: 3_600 },
}

/** The time span of a range: whole intervals, the last one still running. */
export function toHealthWindow(range: HealthRange, now: number): HealthWindow & { readonly pieces: number } {
  const { count, seconds } = PIECES[range]
  const to = (Math.floor(now / 1_000 / seconds) + 1) * seconds
  return {
    from: new Date((to - count * seconds) * 1_000).toISOString(),
    to: new Date(to * 1_000).toISOString(),
    pieceSeconds: seconds,
    pieces: count,
  }
}

const MAX_ROUTES = 20

/** Requests, refusals and failures of each route: routes with failures first, then the busiest. */
export function summarizeRoutes(samples: readonly SummedSample[]): RouteHealth[] {
  const routes = new Map<string, RouteHealth & { readonly ms: number }>()
  for (const { what, label, count, sum } of samples) {
    if (what !== 'request') continue
    const at = label.lastIndexOf(' ')
    const route = label.slice(0, at)
    const before = routes.get(route) ?? { route, requests: 0, refused: 0, failed: 0, averageMs: 0, ms: 0 }
    const requests = before.requests + count
    const ms = before.ms + sum
    routes.set(route, {
      route,
      requests,
      refused: before.refused + (label.endsWith(' 4xx') ? count : 0),
      failed: before.failed + (label.endsWith(' 5xx') ? count : 0),
      averageMs: ms / requests,
      ms,
    })
  }
  return [...routes.values()]
    .toSorted((one, other) => other.failed - one.failed || other.requests - one.requests)
    .slice(0, MAX_ROUTES)
    .map(({ route, requests, refused, failed, averageMs }) => ({
      route,
      requests,
      refused,
      failed,
      averageMs,
    }))
}

/** The lines of a chart, each with a value for every interval. */
export function buildCharts(samples: readonly SummedSample[], pieces: number): HealthCharts {
  const select = (what: SummedSample['what']) => samples.filter((sample) => sample.what === what)
  const requests = select('request')
  return {
    requests: countByLabel(requests, ({ label }) => getAnswerClass(label), pieces, [
      'answered',
      'refused',
      'failed',
    ]),
    responseMs: listPercentiles(requests, pieces),
    turns: countByLabel(select('turn'), ({ label }) => getTurnEnding(label), pieces, [
      'completed',
      'cancelled',
      'failed',
    ]),
    firstWordMs: listPercentiles(select('model'), pieces),
    cost: sumByLabel(select('cost'), pieces),
    sessions: countByLabel(select('session'), ({ label }) => label, pieces, ['text', 'voice']),
    retrievalMs: listPercentiles(select('retrieval'), pieces),
  }
}

/** A label ends with the class of the status. */
const getAnswerClass = (label: string) =>
  label.endsWith(' 5xx') ? 'failed' : label.endsWith(' 4xx') ? 'refused' : 'answered'

const ENDINGS: Readonly<Record<string, string>> = {
  completed: 'completed',
  max_tokens: 'completed',
  cancelled: 'cancelled',
}
const getTurnEnding = (label: string) => ENDINGS[label] ?? 'failed'

/** An interval without samples has the value 0. */
function countByLabel(
  samples: readonly SummedSample[],
  labelOf: (sample: SummedSample) => string,
  pieces: number,
  labels: readonly string[],
): HealthSeries[] {
  return labels.map((label) => {
    const values = Array.from({ length: pieces }, () => 0)
    for (const sample of samples) {
      if (labelOf(sample) === label) values[sample.piece] = (values[sample.piece] ?? 0) + sample.count
    }
    return { label, values: values.slice(0, pieces) }
  })
}

function sumByLabel(samples: readonly SummedSample[], pieces: number): HealthSeries[] {
  const labels = [...new Set(samples.map(({ label }) => label))].toSorted()
  return labels.map((label) => {
    const values = Array.from({ length: pieces }, () => 0)
    for (const sample of samples) {
      if (sample.label === label) values[sample.piece] = (values[sample.piece] ?? 0) + sample.sum
    }
    return { label, values: values.slice(0, pieces) }
  })
}

const SHARES = [
  { label: 'Median', share: 0.5 },
  { label: '95th percentile', share: 0.95 },
] as const

function listPercentiles(samples: readonly SummedSample[], pieces: number): HealthSeries[] {
  const spreads = Array.from({ length: pieces }, (): Spread => EMPTY_SPREAD)
  for (const { piece, spread } of samples) spreads[piece] = addSpreads(spreads[piece] ?? EMPTY_SPREAD, spread)
  return SHARES.map(({ label, share }) => ({
    label,
    values: spreads.slice(0, pieces).map((spread) => estimateQuantileMs(spread, share) ?? null),
  }))
}
