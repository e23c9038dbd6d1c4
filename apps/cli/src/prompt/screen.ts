import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { textWidth } from '../render/text-width.ts'
import { type Layout, layOut } from './layout.ts'

const CLEAR_RIGHT = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'
const CLEAR_SCREEN = '\x1b[H\x1b[2J'

/** What is drawn of a text, and what stands below it. */
interface Drawing {
  readonly text: string
  readonly cursor: number
  readonly below: readonly string[]
}

export interface Screen {
  readonly columns: number
  readonly height: number
  /** Draws over what was drawn before, and leaves alone what stays the same. */
  draw(drawing: Drawing): void
  /** Draws all of it: the terminal has another size now. */
  drawAnew(drawing: Drawing): void
  /** Leaves the text standing and goes on below it. */
  finish(text: string): void
  /** Takes away what was drawn. */
  erase(): void
  clear(): void
}

export function createScreen(output: WriteStream): Screen {
  let shown: Layout = NOTHING

  const columns = () => output.columns || 80
  const height = () => Math.max(2, (output.rows || 24) - 1)

  const layoutOf = ({ text, cursor, below }: Drawing): Layout => {
    const room = Math.max(1, height() - below.length)
    const laidOut = layOut({ text, cursor }, { columns: columns(), height: room })
    return { ...laidOut, rows: [...laidOut.rows, ...below.slice(0, height() - laidOut.rows.length)] }
  }

  const redraw = (next: Layout, from: number) => {
    const rows = next.rows.slice(from)
    const isShorter = next.rows.length < shown.rows.length
    output.write(
      `${toRow(shown, from, columns())}${rows.map((row) => `${row}${CLEAR_RIGHT}`).join('\r\n')}` +
        `${isShorter ? CLEAR_BELOW : ''}${up(next.rows.length - 1 - next.cursorRow)}\r${right(next.cursorColumn)}`,
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
      const next = layoutOf(drawing)
      const changed = next.rows.findIndex((row, index) => row !== shown.rows[index])
      const kept = changed === -1 ? next.rows.length - 1 : changed
      redraw(next, Math.max(0, Math.min(kept, shown.rows.length - 1)))
    },
    drawAnew(drawing) {
      output.write(`${toRow(shown, 0, columns())}${CLEAR_BELOW}`)
      shown = NOTHING
      redraw(layoutOf(drawing), 0)
    },
    finish(text) {
      const whole = layOut({ text, cursor: 0 }, { columns: columns(), height: MOST_LEFT })
      const left = text.split('\n', MOST_LEFT + 1).length > MOST_LEFT || text.length > LONGEST_LEFT
      const rows = left ? [...whole.rows, '  […]'] : whole.rows
      output.write(`${toRow(shown, 0, columns())}${CLEAR_BELOW}${rows.join('\r\n')}\r\n`)
      shown = NOTHING
    },
    erase() {
      output.write(`${toRow(shown, 0, columns())}${CLEAR_BELOW}`)
      shown = NOTHING
    },
    clear() {
      output.write(CLEAR_SCREEN)
      shown = NOTHING
    },
  }
}

/** How much of a message is left standing once it is sent. */
const MOST_LEFT = 200
const LONGEST_LEFT = 16_000

const NOTHING: Layout = { rows: [], cursorRow: 0, cursorColumn: 0 }

/** To the start of a row of the drawing; a terminal made narrower since has broken its rows. */
function toRow({ rows, cursorRow, cursorColumn }: Layout, row: number, columns: number): string {
  const heights = rows.map((each) =>
    Math.max(1, Math.ceil(textWidth(stripVTControlCharacters(each)) / columns)),
  )
  const heightOf = (from: number, to: number) =>
    heights.slice(from, to).reduce((sum, count) => sum + count, 0)
  const within = Math.floor(cursorColumn / columns)
  if (row <= cursorRow) return `${up(heightOf(row, cursorRow) + within)}\r`
  return `${down(heightOf(cursorRow, row) - within)}\r`
}

const up = (count: number) => (count > 0 ? `\x1b[${count}A` : '')
const down = (count: number) => (count > 0 ? `\x1b[${count}B` : '')
const right = (count: number) => (count > 0 ? `\x1b[${count}C` : '')
