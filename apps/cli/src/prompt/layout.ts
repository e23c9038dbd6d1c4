import { neutralise } from '../render/neutralise.ts'
import { graphemesOf, graphemeWidth } from '../render/text-width.ts'

export interface Layout {
  /** None is as wide as the screen, so that the terminal wraps nothing by itself. */
  readonly rows: readonly string[]
  readonly cursorRow: number
  readonly cursorColumn: number
}

const FIRST = '› '
const FURTHER = '  '
const TAB = '    '

/** How a text being edited stands on the screen: at most `height` rows of it, those around the cursor. */
export function layOut(
  { text, cursor }: { text: string; cursor: number },
  { columns, height }: { columns: number; height: number },
): Layout {
  const before = text.slice(0, cursor).split('\n')
  const lines = text.split('\n')
  const cursorLine = before.length - 1
  // A line takes a row at least, so lines further away than the screen is high cannot be seen.
  const firstLine = Math.max(0, cursorLine - height + 1)
  const rows: string[] = []
  let cursorRow = 0
  let cursorColumn = 0
  for (const [index, whole] of lines.slice(firstLine, cursorLine + height).entries()) {
    const number = firstLine + index
    const place = number === cursorLine ? (before.at(-1)?.length ?? 0) : undefined
    const { line, start } = partOf(whole, place ?? 0, columns * (height + 1))
    const cursorAt = place === undefined ? undefined : place - start
    const lead = number === 0 && start === 0 ? FIRST : FURTHER
    const wrapped = wrapLine(line, lead, Math.max(4, columns - 1), cursorAt)
    if (cursorAt !== undefined) {
      cursorRow = rows.length + wrapped.cursorRow
      cursorColumn = wrapped.cursorColumn
    }
    rows.push(...wrapped.rows)
  }
  const firstRow = Math.min(Math.max(0, cursorRow - height + 1), Math.max(0, rows.length - height))
  return { rows: rows.slice(firstRow, firstRow + height), cursorRow: cursorRow - firstRow, cursorColumn }
}

/** Of a very long line, what can be seen around a place in it. */
function partOf(line: string, place: number, most: number): { line: string; start: number } {
  const room = Math.max(2_000, most * 4)
  if (line.length <= room * 2) return { line, start: 0 }
  const start = Math.max(0, Math.floor(place / room) - 1) * room
  const isWithin = /[\uDC00-\uDFFF]/.test(line[start] ?? '')
  const from = isWithin ? start - 1 : start
  return { line: line.slice(from, start + room * 3), start: from }
}

function wrapLine(line: string, lead: string, columns: number, cursorAt: number | undefined): Layout {
  const rows: string[] = []
  let row = lead
  let width = lead.length
  let place = 0
  let cursorRow = 0
  let cursorColumn = 0
  const mark = () => {
    cursorRow = rows.length
    cursorColumn = width
  }
  for (const grapheme of graphemesOf(line)) {
    const shown = grapheme === '\t' ? TAB : neutralise(grapheme)
    const wide = grapheme === '\t' ? TAB.length : graphemeWidth(shown)
    if (width + wide > columns) {
      rows.push(row)
      row = FURTHER
      width = FURTHER.length
    }
    if (place === cursorAt) mark()
    row += shown
    width += wide
    place += grapheme.length
  }
  if (place === cursorAt) {
    // The cursor needs a column of its own.
    if (width >= columns) {
      rows.push(row)
      row = FURTHER
      width = FURTHER.length
    }
    mark()
  }
  return { rows: [...rows, row], cursorRow, cursorColumn }
}
