import { stripVTControlCharacters } from 'node:util'
import { measureText } from './text.ts'

/** The end of a growing text: finished rows stay, the others are redrawn. */
export function createLiveRows(screen: Pick<Partial<NodeJS.WriteStream>, 'columns' | 'rows'>) {
  let shown: readonly string[] = []

  return {
    /** The output that replaces the unfinished rows. */
    update(finished: readonly string[], rest: readonly string[]): string {
      const height = Math.max(2, (screen.rows || 24) - 1)
      const next = rest.slice(-height)
      const written = redraw(shown, [...finished, ...next], screen.columns || 80)
      shown = next
      return next.length === 0 && finished.length > 0 ? `${written}\r\n` : written
    },
    /** After other output: draws the unfinished rows again at the cursor. */
    forget() {
      shown = []
    },
  }
}

const CLEAR_RIGHT = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'

function redraw(shown: readonly string[], next: readonly string[], columns: number): string {
  const last = shown.length - 1
  const same = shown.findIndex((row, index) => row !== next[index])
  const isShorter = next.length < shown.length
  const unchanged = same === -1 ? shown.length : same
  // The cursor must end in the last row.
  const from = isShorter ? Math.max(0, Math.min(unchanged, next.length - 1)) : unchanged
  const grown = next[last]
  if (!isShorter && from >= last && grown !== undefined && grown.startsWith(shown[last] ?? '')) {
    const added = grown.slice((shown[last] ?? '').length)
    return (
      added +
      next
        .slice(last + 1)
        .map(startRow)
        .join('')
    )
  }
  if (shown.length === 0) return next.map((row, index) => (index === 0 ? row : startRow(row))).join('')
  const above = shown.slice(from).reduce((sum, row) => sum + countScreenRows(row, columns), 0) - 1
  const rows = next.slice(from).map((row, index) => `${index === 0 ? '\r' : '\r\n'}${row}${CLEAR_RIGHT}`)
  return `${above > 0 ? `\x1b[${above}A` : ''}${rows.join('') || '\r'}${isShorter ? CLEAR_BELOW : ''}`
}

const startRow = (row: string) => `\r\n${row}`

/** A narrower terminal may have wrapped rows. */
const countScreenRows = (row: string, columns: number): number =>
  Math.max(1, Math.ceil(measureText(stripVTControlCharacters(row)) / columns))
