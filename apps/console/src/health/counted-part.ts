import type { Health, HealthCharts, HealthSeries } from '@parley/contracts'

type Charted = Pick<Health, 'from' | 'pieceSeconds' | 'charts'>

interface CountedPart extends Charted {
  /** Whether that is not all of the time that was asked for. */
  readonly isLater: boolean
}

/** So few pieces make no line. */
const FEWEST = 12

/** The charts from where something was first counted, where most of the time before that is empty, as on a new server. */
export function countedPart(health: Charted): CountedPart {
  const { from, pieceSeconds, charts } = health
  const all = Object.values(charts).flat()
  const length = Math.max(0, ...all.map(({ values }) => values.length))
  const first = Math.min(length, ...all.map(firstCounted))
  if (first === length || first <= length / 2) return { from, pieceSeconds, charts, isLater: false }
  const start = Math.min(first, Math.max(0, length - FEWEST))
  return {
    from: new Date(Date.parse(from) + start * pieceSeconds * 1_000).toISOString(),
    pieceSeconds,
    charts: since(charts, start),
    isLater: true,
  }
}

function firstCounted({ values }: HealthSeries): number {
  const at = values.findIndex((value) => value !== null && value !== 0)
  return at === -1 ? Number.POSITIVE_INFINITY : at
}

function since(charts: HealthCharts, start: number): HealthCharts {
  const cut = (lines: readonly HealthSeries[]) =>
    lines.map(({ label, values }) => ({ label, values: values.slice(start) }))
  return {
    requests: cut(charts.requests),
    responseMs: cut(charts.responseMs),
    turns: cut(charts.turns),
    firstWordMs: cut(charts.firstWordMs),
    cost: cut(charts.cost),
    sessions: cut(charts.sessions),
    retrievalMs: cut(charts.retrievalMs),
  }
}
