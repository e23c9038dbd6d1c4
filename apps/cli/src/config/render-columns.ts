import { neutralise } from '../render/neutralise.ts'
import type { Style } from '../render/style.ts'
import { textWidth } from '../render/text-width.ts'

/** Rows below a head, in columns as wide as what they hold; nothing is cut, since a path without its end says little. */
export function renderColumns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): string {
  const safe = rows.map((row) => row.map((cell) => neutralise(cell).replace(/\s+/g, ' ')))
  const widths = head.map((_, index) =>
    Math.max(...[head, ...safe].map((row) => textWidth(row[index] ?? ''))),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - textWidth(cell)))
      .join('  ')
      .trimEnd()
  return [style.dim(line(head)), ...safe.map(line), ''].join('\n')
}
