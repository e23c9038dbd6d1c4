import { neutralise } from '../render/neutralise.ts'
import type { Style } from '../render/style.ts'
import { fitMiddle, textWidth } from '../render/text-width.ts'

interface Room {
  readonly columns: number
  /** The columns, by number, that give way, the first of them first. The others hold what a person types again. */
  readonly yielding: readonly number[]
}

/** Rows below a head, in columns as wide as what they hold; only where a room is named, some give way to fit it. */
export function renderColumns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  room?: Room,
): string {
  const safe = rows.map((row) => row.map((cell) => neutralise(cell).replace(/\s+/g, ' ')))
  const wanted = head.map((_, index) =>
    Math.max(...[head, ...safe].map((row) => textWidth(row[index] ?? ''))),
  )
  const widths = room ? narrowed(wanted, room) : wanted
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => {
        const width = widths[index] ?? 0
        const shown = fitMiddle(cell, width)
        return shown + ' '.repeat(width - textWidth(shown))
      })
      .join(BETWEEN)
      .trimEnd()
  return [style.dim(line(head)), ...safe.map(line), ''].join('\n')
}

const BETWEEN = '  '
const NARROWEST = 8

/** Takes what is missing from the first that gives way, and what is missing then from the next. */
function narrowed(wanted: readonly number[], { columns, yielding }: Room): readonly number[] {
  const widths = [...wanted]
  const between = BETWEEN.length * (widths.length - 1)
  let excess = widths.reduce((sum, width) => sum + width, between) - columns
  for (const index of yielding) {
    const width = widths[index] ?? 0
    const given = Math.max(0, Math.min(excess, width - NARROWEST))
    widths[index] = width - given
    excess -= given
  }
  return widths
}
