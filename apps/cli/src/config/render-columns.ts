import { breakRows } from '../render/break-rows.ts'
import { inLine } from '../render/in-line.ts'
import type { Style } from '../render/style.ts'
import { fitMiddle, textWidth } from '../render/text-width.ts'

interface Room {
  readonly columns: number
  /** Whether what is too long goes on in the next line; else it loses its middle. */
  readonly wraps?: true
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
  const safe = rows.map((row) => row.map((cell) => inLine(cell)))
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
  const lines = room?.wraps ? safe.flatMap((row) => wrapped(row, widths).map(line)) : safe.map(line)
  return [style.dim(line(head)), ...lines, ''].join('\n')
}

/** A row as several, whose cells fit. */
function wrapped(row: readonly string[], widths: readonly number[]): readonly (readonly string[])[] {
  const cells = row.map((cell, index) => breakRows(cell, widths[index] ?? 0).map((part) => part.trimEnd()))
  const height = Math.max(...cells.map((parts) => parts.length))
  return Array.from({ length: height }, (_, at) => cells.map((parts) => parts[at] ?? ''))
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
