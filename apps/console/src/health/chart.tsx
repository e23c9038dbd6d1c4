import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { Health, HealthCharts, HealthSeries } from '@parley/contracts'
import { DataTable } from '../ui/data-table.tsx'
import { Section } from '../ui/page-body.tsx'
import { formatTime } from '../ui/format.ts'
import { getLineStyle, usePlot } from './use-plot.ts'
import { type Unit, formatHealthValue, calculateTotal } from './health-problems.ts'

/** A line chart with totals, the values at the cursor, and a table. */
function Chart({ title, about, unit, times, series }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const titleId = useId()
  const [at, setAt] = useState<number>()
  const plot = usePlot(box, { times, series, unit, onCursor: setAt })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    const drawn = plot.current
    if (step === undefined || !drawn) return
    event.preventDefault()
    const next = Math.min(Math.max((at ?? times.length) + step, 0), times.length - 1)
    drawn.setCursor({ left: drawn.valToPos(times[next] ?? 0, 'x'), top: 0 })
  }
  return (
    <figure aria-labelledby={titleId} className="flex min-w-0 flex-col gap-2">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id={titleId} className="font-medium">
          {title}
        </span>
        <span className="text-soft text-xs">
          {at === undefined ? about : formatIntervalStart(times[at], times)}
        </span>
      </figcaption>
      <ul className="flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-xs">
        {series.map(({ label, values }, index) => (
          <li key={label} className="flex items-center gap-1.5">
            <LineSwatch index={index} />
            <span className="text-soft">{label}</span>
            <span className="tabular-nums">
              {formatHealthValue(at === undefined ? calculateTotal(values, unit) : values[at], unit)}
            </span>
          </li>
        ))}
      </ul>
      <div
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={`${title}: arrow keys move through time`}
        onKeyDown={onKeyDown}
        onBlur={() => plot.current?.setCursor({ left: -10, top: -10 })}
        className="h-33 min-w-0 overflow-hidden"
      />
      <ChartTable title={title} unit={unit} times={times} series={series} />
    </figure>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 }

function LineSwatch({ index }: { index: number }) {
  const { className, dash } = getLineStyle(index)
  return (
    <svg viewBox="0 0 16 4" className={`h-1 w-4 ${className}`} aria-hidden="true">
      <path d="M0 2h16" stroke="currentColor" strokeWidth="2" strokeDasharray={dash.join(' ')} />
    </svg>
  )
}

/** The chart's data as a table, without empty rows. */
function ChartTable({ title, unit, times, series }: Omit<ChartProps, 'about'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="text-xs" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-soft hover:text-ink w-fit py-1">
        Numbers<span className="sr-only"> of {title}</span>
      </summary>
      {isOpen && <NumbersTable title={title} unit={unit} times={times} series={series} />}
    </details>
  )
}

function NumbersTable({ title, unit, times, series }: Omit<ChartProps, 'about'>) {
  const rows = times
    .map((time, index) => ({ time, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .toReversed()
  if (rows.length === 0) return <p className="text-soft py-1">No data in this range.</p>
  return (
    <DataTable
      label={`Numbers of ${title}`}
      caption={title}
      className="max-h-56 text-xs"
      rows={rows}
      getKey={({ time }) => String(time)}
      columns={[
        {
          label: 'From',
          cell: ({ time }) => formatIntervalStart(time, times),
          className: () => 'whitespace-nowrap',
        },
        ...series.map(({ label }, index) => ({
          label,
          cell: ({ values }: (typeof rows)[number]) => formatHealthValue(values[index], unit),
        })),
      ]}
    />
  )
}

interface ChartProps {
  readonly title: string
  readonly about: string
  readonly unit: Unit
  readonly times: readonly number[]
  readonly series: readonly HealthSeries[]
}

/** The start of a chart interval; with the day if the chart spans more than one. */
function formatIntervalStart(seconds: number | undefined, times: readonly number[]): string {
  if (seconds === undefined) return ''
  const at = new Date(seconds * 1_000)
  const spans = ((times.at(-1) ?? 0) - (times[0] ?? 0)) * 1_000
  return spans < DAY_MS / 2
    ? at.toLocaleTimeString(undefined, { timeStyle: 'short' })
    : at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}

const DAY_MS = 86_400_000

const CHARTS: readonly {
  readonly key: keyof HealthCharts
  readonly title: string
  readonly about: string
  readonly unit: Unit
}[] = [
  { key: 'requests', title: 'Requests', about: 'by outcome', unit: 'count' },
  { key: 'responseMs', title: 'Response time', about: 'until the first byte', unit: 'ms' },
  { key: 'turns', title: 'Turns', about: 'by outcome', unit: 'count' },
  { key: 'firstWordMs', title: 'First word', about: 'until the first token', unit: 'ms' },
  { key: 'cost', title: 'Cost', about: 'by provider and model', unit: 'money' },
  { key: 'sessions', title: 'Sessions', about: 'started, by channel', unit: 'count' },
  { key: 'retrievalMs', title: 'Retrieval', about: 'search time', unit: 'ms' },
]

/** Shown as a flat line if there is no data. */
const NO_COST = 'no paid model'

export function Charts({ health }: { health: Health }) {
  const { times, charts, isCut } = useMemo(() => prepareCharts(health), [health])
  return (
    <Section title="Over time">
      {isCut && (
        <p className="text-soft text-sm">
          Since {formatTime(new Date((times[0] ?? 0) * 1_000).toISOString())}; no earlier data.
        </p>
      )}
      <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
        {charts.map((chart) => (
          <Chart key={chart.title} times={times} {...chart} />
        ))}
      </div>
    </Section>
  )
}

/** The charts from their first data on. Times are the starts of the intervals, in seconds since 1970. */
function prepareCharts({ from, pieceSeconds, charts }: Health) {
  const start = findChartStart(charts)
  const intervals = charts.requests[0]?.values ?? []
  const times = intervals.map((_, index) => Date.parse(from) / 1_000 + index * pieceSeconds).slice(start)
  const flatLine: HealthSeries = { label: NO_COST, values: times.map(() => 0) }
  return {
    times,
    isCut: start > 0,
    charts: CHARTS.map(({ key, ...chart }) => ({
      ...chart,
      series:
        charts[key].length === 0
          ? [flatLine]
          : charts[key].map(({ label, values }) => ({ label, values: values.slice(start) })),
    })),
  }
}

/** Fewer intervals do not make a line. */
const MIN_INTERVALS = 12

/** The first interval to show. An empty first half or more is cut, as on a new server. */
export function findChartStart(charts: HealthCharts): number {
  const all = Object.values(charts).flat()
  const length = Math.max(0, ...all.map(({ values }) => values.length))
  const first = Math.min(length, ...all.map(findFirstValue))
  if (first === length || first <= length / 2) return 0
  return Math.min(first, Math.max(0, length - MIN_INTERVALS))
}

function findFirstValue({ values }: HealthSeries): number {
  const at = values.findIndex((value) => value !== null && value !== 0)
  return at === -1 ? Number.POSITIVE_INFINITY : at
}
