import { graphemesOf, graphemeWidth } from './text-width.ts'

/** A line in rows of at most so many columns, after a space where one is near, and with every character of it. */
export function breakRows(line: string, columns: number): readonly string[] {
  const room = Math.max(2, columns)
  const rows: string[] = []
  let row: string[] = []
  let width = 0
  for (const grapheme of graphemesOf(line)) {
    const wide = graphemeWidth(grapheme)
    if (width + wide > room) {
      const end = row.lastIndexOf(' ') + 1
      const cut = end > row.length / 2 ? end : row.length
      rows.push(row.slice(0, cut).join(''))
      row = row.slice(cut)
      width = row.reduce((sum, kept) => sum + graphemeWidth(kept), 0)
    }
    row.push(grapheme)
    width += wide
  }
  return [...rows, row.join('')]
}
