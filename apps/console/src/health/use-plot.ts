import type { HealthSeries } from '@parley/contracts'
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import UPlot from 'uplot'
import { LINES, PLOT_HEIGHT, type PlotColours, plotOptions } from './plot-options.ts'
import type { Unit } from './value-in-words.ts'

interface Drawn {
  readonly times: readonly number[]
  readonly series: readonly HealthSeries[]
  readonly unit: Unit
  readonly onCursor: (index: number | undefined) => void
}

/** Draws lines into a box, as wide as it is, in the colours of the theme. */
export function usePlot(box: RefObject<HTMLDivElement | null>, { times, series, unit, onCursor }: Drawn) {
  const plot = useRef<UPlot>(null)
  const tellCursor = useEffectEvent(onCursor)
  const labels = series.map(({ label }) => label).join('\n')
  const data = useEffectEvent((): UPlot.AlignedData => [
    [...times],
    ...series.map(({ values }) => [...values]),
  ])

  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const draw = () => {
      plot.current?.destroy()
      const colours = coloursOf(element)
      const width = Math.max(element.clientWidth, 120)
      const options = plotOptions({
        width,
        labels: labels === '' ? [] : labels.split('\n'),
        unit,
        colours,
        onCursor: (index) => tellCursor(index),
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

/** A canvas does not know the page's variables: they are asked for where they apply. */
function coloursOf(element: HTMLElement): PlotColours {
  const probe = document.createElement('span')
  element.append(probe)
  const colourOf = (look: string) => {
    probe.className = look
    return getComputedStyle(probe).color
  }
  const colours = {
    lines: LINES.map(({ look }) => colourOf(look)),
    text: colourOf('text-soft'),
    grid: colourOf('text-line'),
  }
  probe.remove()
  return colours
}
