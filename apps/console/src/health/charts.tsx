import { useMemo } from 'react'
import type { Health, HealthCharts, HealthSeries } from '@parley/contracts'
import { Section } from '../ui/page-body.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { Chart } from './chart.tsx'
import type { Unit } from './value-in-words.ts'

const CHARTS: readonly {
  readonly of: keyof HealthCharts
  readonly title: string
  readonly about: string
  readonly unit: Unit
}[] = [
  { of: 'requests', title: 'Requests', about: 'by how they were answered', unit: 'count' },
  { of: 'responseMs', title: 'Response time', about: 'until an answer began', unit: 'ms' },
  { of: 'turns', title: 'Turns', about: 'by how they ended', unit: 'count' },
  { of: 'firstWordMs', title: 'First word', about: 'until a model spoke', unit: 'ms' },
  { of: 'cost', title: 'Cost', about: 'by provider and model', unit: 'money' },
  { of: 'sessions', title: 'Sessions', about: 'started, by channel', unit: 'count' },
  { of: 'retrievalMs', title: 'Retrieval', about: 'time to find evidence', unit: 'ms' },
]

/** A line that nothing was ever known of says more as a line than as nothing. */
const NO_COST = 'no model with a price'

export function Charts({ health }: { health: Health }) {
  const { from, pieceSeconds, charts, isLater } = useMemo(() => countedPart(health), [health])
  const times = useMemo(() => timesOf(from, pieceSeconds, charts), [from, pieceSeconds, charts])
  return (
    <Section title="Over time">
      {isLater && (
        <p className="text-soft text-sm">From {timeInWords(from)} on: nothing was counted before.</p>
      )}
      <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
        {CHARTS.map(({ of, title, about, unit }) => (
          <Chart
            key={of}
            title={title}
            about={about}
            unit={unit}
            times={times}
            series={charts[of].length > 0 ? charts[of] : [{ label: NO_COST, values: times.map(() => 0) }]}
          />
        ))}
      </div>
    </Section>
  )
}

/** The beginning of each piece, in seconds since 1970. */
function timesOf(from: string, pieceSeconds: number, { requests }: HealthCharts): readonly number[] {
  const start = Date.parse(from) / 1_000
  return (requests[0]?.values ?? []).map((_, index) => start + index * pieceSeconds)
}

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
