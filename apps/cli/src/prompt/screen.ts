import type { WriteStream } from 'node:tty'
import type { Style } from '../render/style.ts'
import { textWidth } from '../render/text-width.ts'
import type { LineState } from './edit-line.ts'
import { type Layout, layOut } from './layout.ts'

const CLEAR_BELOW = '\x1b[J'
const CLEAR_SCREEN = '\x1b[H\x1b[2J'
const LEAVE_HINT = 'Press Ctrl-C again to leave.'

/** Draws the line being edited, over what it drew before. */
export function createScreen(output: WriteStream, style: Style) {
  let shown: Layout = NOTHING

  const size = () => ({ columns: output.columns || 80, height: Math.max(2, (output.rows || 24) - 1) })

  const redraw = (next: Layout, hint?: string) => {
    const rows = hint ? [...next.rows, style.dim(hint)] : next.rows
    output.write(
      `${toTop(shown, size().columns)}${CLEAR_BELOW}${rows.join('\r\n')}` +
        `${up(rows.length - 1 - next.cursorRow)}\r${right(next.cursorColumn)}`,
    )
    shown = next
  }

  return {
    draw(line: LineState) {
      redraw(layOut(line, size()), line.leaving ? LEAVE_HINT : undefined)
    },
    /** Leaves the whole text standing and goes on below it. */
    finish(text: string) {
      const { columns } = size()
      const whole = layOut({ text, cursor: text.length }, { columns, height: Number.POSITIVE_INFINITY })
      output.write(`${toTop(shown, columns)}${CLEAR_BELOW}${whole.rows.join('\r\n')}\r\n`)
      shown = NOTHING
    },
    clear() {
      output.write(CLEAR_SCREEN)
      shown = NOTHING
    },
    /** Something else was written since: the next drawing starts where the cursor is. */
    forget() {
      shown = NOTHING
    },
  }
}

const NOTHING: Layout = { rows: [], cursorRow: 0, cursorColumn: 0 }

/** To where the drawing began; a terminal made narrower since has broken its rows. */
function toTop({ rows, cursorRow, cursorColumn }: Layout, columns: number): string {
  const above = rows.slice(0, cursorRow).map((row) => Math.max(1, Math.ceil(textWidth(row) / columns)))
  const within = Math.floor(cursorColumn / columns)
  return `${up(above.reduce((sum, count) => sum + count, within))}\r`
}

const up = (count: number) => (count > 0 ? `\x1b[${count}A` : '')
const right = (count: number) => (count > 0 ? `\x1b[${count}C` : '')
