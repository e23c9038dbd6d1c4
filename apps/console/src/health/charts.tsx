import type { Health, HealthCharts } from '@parley/contracts'
import { useMemo } from 'react'
import { Section } from '../ui/page-body.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { Chart } from './chart.tsx'
import { countedPart } from './counted-part.ts'
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
