// oxlint-disable-next-line import/no-unassigned-import -- the style that the plot is laid out by
import 'uplot/dist/uPlot.min.css'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import type { ChartProps } from './chart-props.ts'
import { ChartTable } from './chart-table.tsx'
import { lineOf } from './plot-options.ts'
import { timeOfPiece } from './time-of-piece.ts'
import { usePlot } from './use-plot.ts'
import { valueInWords, wholeOf } from './value-in-words.ts'

/** A few lines over time, with what they come to, what they are at one moment, and all of it as a table. */
export function Chart({ title, about, unit, times, series }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const titleId = useId()
  const [at, setAt] = useState<number>()
  const plot = usePlot(box, { times, series, unit, onCursor: setAt })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    const shown = plot.current
    if (step === undefined || !shown) return
    event.preventDefault()
    const next = Math.min(Math.max((at ?? times.length) + step, 0), times.length - 1)
    shown.setCursor({ left: shown.valToPos(times[next] ?? 0, 'x'), top: 0 })
  }
  return (
    <figure aria-labelledby={titleId} className="flex min-w-0 flex-col gap-2">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id={titleId} className="font-medium">
          {title}
        </span>
        <span className="text-soft text-xs">{at === undefined ? about : timeOfPiece(times[at], times)}</span>
      </figcaption>
      <ul className="flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-xs">
        {series.map(({ label, values }, index) => (
          <li key={label} className="flex items-center gap-1.5">
            <Swatch index={index} />
            <span className="text-soft">{label}</span>
            <span className="tabular-nums">
              {valueInWords(at === undefined ? wholeOf(values, unit) : values[at], unit)}
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

function Swatch({ index }: { index: number }) {
  const { look, dash } = lineOf(index)
  return (
    <svg viewBox="0 0 16 4" className={`h-1 w-4 ${look}`} aria-hidden="true">
      <path d="M0 2h16" stroke="currentColor" strokeWidth="2" strokeDasharray={dash.join(' ')} />
    </svg>
  )
}
