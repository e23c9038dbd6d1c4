import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import UPlot, { type AlignedData, type Options, type Series } from 'uplot'
// oxlint-disable-next-line import/no-unassigned-import -- the plot's style sheet
import 'uplot/dist/uPlot.min.css'
import type { HealthSeries } from '@parley/contracts'
import { type Unit, formatHealthValue } from './health-problems.ts'

interface PlotData {
  readonly times: readonly number[]
  readonly series: readonly HealthSeries[]
  readonly unit: Unit
  readonly onCursor: (index: number | undefined) => void
}

/** Draws the lines into a box at its width, in the theme's colours. */
export function usePlot(box: RefObject<HTMLDivElement | null>, { times, series, unit, onCursor }: PlotData) {
  const plot = useRef<UPlot>(null)
  const reportCursor = useEffectEvent(onCursor)
  const labels = series.map(({ label }) => label).join('\n')
  const data = useEffectEvent((): AlignedData => [[...times], ...series.map(({ values }) => [...values])])

  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const draw = () => {
      plot.current?.destroy()
      const colours = readColours(element)
      const width = Math.max(element.clientWidth, 120)
      const options = createPlotOptions({
        width,
        labels: labels === '' ? [] : labels.split('\n'),
        unit,
        colours,
        onCursor: (index) => reportCursor(index),
      })
      plot.current = new UPlot(options, data(), element)
    }
    draw()
    const sizes = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(element.clientWidth, 120), height: PLOT_HEIGHT }),
    )
    sizes.observe(element)
    const themes = new MutationObserver(draw)
    themes.observe(document.documentElement, { attributeFilter: ['class'] })
    const system = window.matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', draw)
    return () => {
      sizes.disconnect()
      themes.disconnect()
      system.removeEventListener('change', draw)
      plot.current?.destroy()
      plot.current = null
    }
  }, [box, labels, unit])

  useEffect(() => {
    plot.current?.setData(data())
  }, [times, series])

  return plot
}

/** A canvas cannot read CSS variables, so a probe element resolves them. */
function readColours(element: HTMLElement): PlotColours {
  const probe = document.createElement('span')
  element.append(probe)
  const readColour = (className: string) => {
    probe.className = className
    return getComputedStyle(probe).color
  }
  const colours = {
    lines: LINE_STYLES.map(({ className }) => readColour(className)),
    text: readColour('text-soft'),
    grid: readColour('text-line'),
  }
  probe.remove()
  return colours
}

/** Chart lines differ by colour and by dashes. */
const LINE_STYLES = [
  { className: 'text-accent', dash: [] },
  { className: 'text-edge', dash: [6, 3] },
  { className: 'text-alarm', dash: [2, 2] },
  { className: 'text-ink', dash: [8, 3, 2, 3] },
  { className: 'text-soft', dash: [1, 3] },
] as const

export const getLineStyle = (index: number) => LINE_STYLES[index % LINE_STYLES.length] ?? LINE_STYLES[0]

/** Colours of the current theme. */
interface PlotColours {
  readonly lines: readonly string[]
  readonly text: string
  readonly grid: string
}

const PLOT_HEIGHT = 132

interface PlotInput {
  readonly width: number
  readonly labels: readonly string[]
  readonly unit: Unit
  readonly colours: PlotColours
  readonly onCursor: (index: number | undefined) => void
}

function createPlotOptions({ width, labels, unit, colours, onCursor }: PlotInput): Options {
  const axis = { stroke: colours.text, font: '11px system-ui', ticks: { show: false } }
  const grid = { stroke: colours.grid, width: 1 }
  return {
    width,
    height: PLOT_HEIGHT,
    // Room on the right for the last time label.
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    // From zero, so heights are comparable; never a zero range.
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        size: 22,
        grid: { show: false },
        space: 64,
        values: (_, splits, __, ___, seconds) => splits.map((time) => formatAxisTime(time, seconds)),
      },
      {
        ...axis,
        size: 56,
        grid,
        space: 34,
        values: (_, splits) => splits.map((value) => formatAxisValue(value, unit)),
      },
    ],
    series: [{}, ...labels.map((label, index) => toSeries(label, index, colours))],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)] },
  }
}

function toSeries(label: string, index: number, { lines, text }: PlotColours): Series {
  const { dash } = getLineStyle(index)
  const stroke = lines[index % lines.length] ?? text
  return {
    label,
    stroke,
    width: 1.5,
    dash: [...dash],
    spanGaps: false,
    points: { show: true, size: 4, filter: findIsolatedPoints },
  }
}

/** Isolated values of an interrupted line, drawn as points. */
const findIsolatedPoints = (plot: { readonly data: AlignedData }, series: number): number[] => {
  const values = plot.data[series] ?? []
  return [...values.keys()].filter(
    (index) => isMeasured(values[index]) && !isMeasured(values[index - 1]) && !isMeasured(values[index + 1]),
  )
}

const isMeasured = (value: number | null | undefined) => value !== null && value !== undefined

const MICROCENTS = 100_000_000
/** Smaller prices have too many zeros to fit. */
const MIN_SHOWN = 10_000

/** An axis label, as short as possible; empty for fractions. */
export function formatAxisValue(value: number, unit: Unit): string {
  if (unit === 'money') {
    if (value === 0) return '$0'
    return value < MIN_SHOWN ? '' : `$${Number((value / MICROCENTS).toPrecision(2))}`
  }
  return Number.isInteger(value) ? formatHealthValue(value, unit) : ''
}

const DAY_SECONDS = 86_400

/** A time axis label: the time, or the day for wide marks. */
function formatAxisTime(seconds: number, apart: number): string {
  const at = new Date(seconds * 1_000)
  if (apart < DAY_SECONDS) return at.toLocaleTimeString(undefined, { timeStyle: 'short' })
  return at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
}
