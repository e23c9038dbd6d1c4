import { useState } from 'react'
import type { ChartProps } from './chart-props.ts'
import { timeOfPiece } from './time-of-piece.ts'
import { valueInWords } from './value-in-words.ts'

/** The same as a chart, for who cannot see one or wants the numbers; only times in which something was. */
export function ChartTable({ title, unit, times, series }: Omit<ChartProps, 'about'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="text-xs" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-soft hover:text-ink w-fit py-1">
        Numbers<span className="sr-only"> of {title}</span>
      </summary>
      {isOpen && <Numbers title={title} unit={unit} times={times} series={series} />}
    </details>
  )
}

function Numbers({ title, unit, times, series }: Omit<ChartProps, 'about'>) {
  const rows = times
    .map((time, index) => ({ time, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .toReversed()
  if (rows.length === 0) return <p className="text-soft py-1">Nothing was measured in this time.</p>
  return (
    <div tabIndex={0} role="region" aria-label={`Numbers of ${title}`} className="max-h-56 overflow-auto">
      <table className="w-full text-start tabular-nums">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="border-line text-soft border-b">
            <th scope="col" className="py-1 text-start font-normal">
              From
            </th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="py-1 ps-3 text-end font-normal">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, values }) => (
            <tr key={time}>
              <th scope="row" className="py-0.5 text-start font-normal whitespace-nowrap">
                {timeOfPiece(time, times)}
              </th>
              {values.map((value, index) => (
                <td key={series[index]?.label} className="py-0.5 ps-3 text-end">
                  {valueInWords(value, unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
