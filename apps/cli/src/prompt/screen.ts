import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { TAB, measureGrapheme, splitGraphemes, sanitise, measureText } from '../render/text.ts'

const CLEAR_RIGHT = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'
const CLEAR_SCREEN = '\x1b[H\x1b[2J'

interface Drawing {
  readonly text: string
  readonly cursor: number
  readonly below: readonly string[]
}

export interface Screen {
  readonly columns: number
  readonly height: number
  /** Redraws only what changed. */
  draw(drawing: Drawing): void
  /** Redraws everything after a resize. */
  redrawAll(drawing: Drawing): void
  /** Keeps the text and continues below it. */
  finish(text: string): void
  erase(): void
  clear(): void
}

export function createScreen(output: WriteStream): Screen {
  let shown: Layout = NOTHING

  const columns = () => output.columns || 80
  const height = () => Math.max(2, (output.rows || 24) - 1)

  const toLayout = ({ text, cursor, below }: Drawing): Layout => {
    const room = Math.max(1, height() - below.length)
    const laidOut = layOut({ text, cursor }, { columns: columns(), height: room })
    return { ...laidOut, rows: [...laidOut.rows, ...below.slice(0, height() - laidOut.rows.length)] }
  }

  const redraw = (next: Layout, from: number) => {
    const rows = next.rows.slice(from)
    const isShorter = next.rows.length < shown.rows.length
    output.write(
      `${moveToRow(shown, from, columns())}${rows.map((row) => `${row}${CLEAR_RIGHT}`).join('\r\n')}` +
        `${isShorter ? CLEAR_BELOW : ''}${moveUp(next.rows.length - 1 - next.cursorRow)}\r${moveRight(next.cursorColumn)}`,
    )
    shown = next
  }

  return {
    get columns() {
      return columns()
    },
    get height() {
      return height()
    },
    draw(drawing) {
      const next = toLayout(drawing)
      const changed = next.rows.findIndex((row, index) => row !== shown.rows[index])
      const kept = changed === -1 ? next.rows.length - 1 : changed
      redraw(next, Math.max(0, Math.min(kept, shown.rows.length - 1)))
    },
    redrawAll(drawing) {
      output.write(`${moveToRow(shown, 0, columns())}${CLEAR_BELOW}`)
      shown = NOTHING
      redraw(toLayout(drawing), 0)
    },
    finish(text) {
      const whole = layOut({ text, cursor: 0 }, { columns: columns(), height: MAX_LINES })
      const isCut = text.split('\n', MAX_LINES + 1).length > MAX_LINES || text.length > MAX_LENGTH
      const rows = isCut ? [...whole.rows, '  […]'] : whole.rows
      output.write(`${moveToRow(shown, 0, columns())}${CLEAR_BELOW}${rows.join('\r\n')}\r\n`)
      shown = NOTHING
    },
    erase() {
      output.write(`${moveToRow(shown, 0, columns())}${CLEAR_BELOW}`)
      shown = NOTHING
    },
    clear() {
      output.write(CLEAR_SCREEN)
      shown = NOTHING
    },
  }
}

/** How much of a sent message stays visible. */
const MAX_LINES = 200
const MAX_LENGTH = 16_000

const NOTHING: Layout = { rows: [], cursorRow: 0, cursorColumn: 0 }

/** Moves to the start of a row; a narrower terminal may have wrapped rows. */
function moveToRow({ rows, cursorRow, cursorColumn }: Layout, row: number, columns: number): string {
  const heights = rows.map((each) =>
    Math.max(1, Math.ceil(measureText(stripVTControlCharacters(each)) / columns)),
  )
  const sumHeights = (from: number, to: number) =>
    heights.slice(from, to).reduce((sum, count) => sum + count, 0)
  const within = Math.floor(cursorColumn / columns)
  if (row <= cursorRow) return `${moveUp(sumHeights(row, cursorRow) + within)}\r`
  return `${moveDown(sumHeights(cursorRow, row) - within)}\r`
}

const moveUp = (count: number) => (count > 0 ? `\x1b[${count}A` : '')
const moveDown = (count: number) => (count > 0 ? `\x1b[${count}B` : '')
const moveRight = (count: number) => (count > 0 ? `\x1b[${count}C` : '')

interface Layout {
  /** Rows are narrower than the screen, so that the terminal never wraps. */
  readonly rows: readonly string[]
  readonly cursorRow: number
  readonly cursorColumn: number
}

const FIRST = '› '
const FURTHER = '  '

/** Lays out an edited text: at most `height` rows around the cursor. */
export function layOut(
  { text, cursor }: { text: string; cursor: number },
  { columns, height }: { columns: number; height: number },
): Layout {
  const before = text.slice(0, cursor).split('\n')
  const lines = text.split('\n')
  const cursorLine = before.length - 1
  // Each line takes at least one row, so more distant lines are not visible.
  const firstLine = Math.max(0, cursorLine - height + 1)
  const rows: string[] = []
  let cursorRow = 0
  let cursorColumn = 0
  for (const [index, whole] of lines.slice(firstLine, cursorLine + height).entries()) {
    const number = firstLine + index
    const place = number === cursorLine ? (before.at(-1)?.length ?? 0) : undefined
    const { line, start } = cutVisiblePart(whole, place ?? 0, columns * (height + 1))
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

/** The visible part of a very long line. */
function cutVisiblePart(line: string, place: number, most: number): { line: string; start: number } {
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
  const startNextRow = () => {
    rows.push(row)
    row = FURTHER
    width = FURTHER.length
  }
  const placeCursor = () => {
    cursorRow = rows.length
    cursorColumn = width
  }
  for (const grapheme of splitGraphemes(line)) {
    const shown = grapheme === '\t' ? TAB : sanitise(grapheme)
    const wide = grapheme === '\t' ? TAB.length : measureGrapheme(shown)
    if (width + wide > columns) startNextRow()
    if (place === cursorAt) placeCursor()
    row += shown
    width += wide
    place += grapheme.length
  }
  if (place === cursorAt) {
    // The cursor needs its own column.
    if (width >= columns) startNextRow()
    placeCursor()
  }
  return { rows: [...rows, row], cursorRow, cursorColumn }
}
