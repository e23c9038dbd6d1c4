import type { AlignedData, Options, Series } from 'uplot'
import { type Unit, valueInWords } from './value-in-words.ts'

/** How the lines of a chart are told apart: by colour, and by dashes for who does not see that. */
export const LINES = [
  { look: 'text-accent', dash: [] },
  { look: 'text-edge', dash: [6, 3] },
  { look: 'text-alarm', dash: [2, 2] },
  { look: 'text-ink', dash: [8, 3, 2, 3] },
  { look: 'text-soft', dash: [1, 3] },
] as const

export const lineOf = (index: number) => LINES[index % LINES.length] ?? LINES[0]

/** Colours as the page's theme has them now. */
export interface PlotColours {
  readonly lines: readonly string[]
  readonly text: string
  readonly grid: string
}

export const PLOT_HEIGHT = 132

interface Plotted {
  readonly width: number
  readonly labels: readonly string[]
  readonly unit: Unit
  readonly colours: PlotColours
  readonly onCursor: (index: number | undefined) => void
}

export function plotOptions({ width, labels, unit, colours, onCursor }: Plotted): Options {
  const axis = { stroke: colours.text, font: '11px system-ui', ticks: { show: false } }
  const grid = { stroke: colours.grid, width: 1 }
  return {
    width,
    height: PLOT_HEIGHT,
    // To the right so much that the last time is not cut.
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    // From nought, so that a line's height can be judged; never flat where all is nought.
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        size: 22,
        grid: { show: false },
        space: 64,
        values: (_, splits, __, ___, seconds) => splits.map((time) => axisTime(time, seconds)),
      },
      {
        ...axis,
        size: 56,
        grid,
        space: 34,
        values: (_, splits) => splits.map((value) => axisValue(value, unit)),
      },
    ],
    series: [{}, ...labels.map((label, index) => seriesOf(label, index, colours))],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)] },
  }
}

function seriesOf(label: string, index: number, { lines, text }: PlotColours): Series {
  const { dash } = lineOf(index)
  const stroke = lines[index % lines.length] ?? text
  return {
    label,
    stroke,
    width: 1.5,
    dash: [...dash],
    spanGaps: false,
    points: { show: true, size: 4, filter: alone },
  }
}

/** Of a line that is interrupted, the values that no line leads to: each is drawn as a point. */
const alone = (plot: { readonly data: AlignedData }, series: number): number[] => {
  const values = plot.data[series] ?? []
  return [...values.keys()].filter(
    (index) => isMeasured(values[index]) && !isMeasured(values[index - 1]) && !isMeasured(values[index + 1]),
  )
}

const isMeasured = (value: number | null | undefined) => value !== null && value !== undefined

const MICROCENTS = 100_000_000
/** Below it a price has more noughts than there is room for. */
const LEAST_SHOWN = 10_000

/** A number beside a chart, as short as can be; nothing for half of what has no halves. */
export function axisValue(value: number, unit: Unit): string {
  if (unit === 'money') {
    if (value === 0) return '$0'
    return value < LEAST_SHOWN ? '' : `$${Number((value / MICROCENTS).toPrecision(2))}`
  }
  return Number.isInteger(value) ? valueInWords(value, unit) : ''
}

const DAY_SECONDS = 86_400

/** A moment below a chart whose marks are so far apart: its time, or its day. */
function axisTime(seconds: number, apart: number): string {
  const at = new Date(seconds * 1_000)
  if (apart < DAY_SECONDS) return at.toLocaleTimeString(undefined, { timeStyle: 'short' })
  return at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
}
