import { graphemesOf, graphemeWidth } from '../render/text-width.ts'

/** What a terminal that knows only the codes which we write has on its screen, line by line, and where its cursor is. */
export function screenAfter(written: string) {
  let lines: string[][] = [[]]
  let row = 0
  let column = 0
  const lineAt = (place: number) => (lines[place] ??= [])
  for (const [token, count, code] of written.matchAll(TOKEN)) {
    const times = Number(count === '' || count === undefined ? 1 : count)
    if (code === 'A') row = Math.max(0, row - times)
    else if (code === 'B') row += times
    else if (code === 'C') column += times
    else if (code === 'H') [row, column] = [0, 0]
    else if (code === 'K') lineAt(row).length = Math.min(lineAt(row).length, column)
    else if (code === 'J' && count === '2') lines = []
    else if (code === 'J') {
      lines.length = row + 1
      lineAt(row).length = Math.min(lineAt(row).length, column)
    } else if (token === '\r') column = 0
    else if (token === '\n') {
      row += 1
      lineAt(row)
    } else if (!token.startsWith('\x1b')) {
      for (const grapheme of graphemesOf(token)) {
        const line = lineAt(row)
        while (line.length < column) line.push(' ')
        const wide = graphemeWidth(grapheme)
        line.splice(column, wide, grapheme, ...Array.from({ length: wide - 1 }, () => ''))
        column += wide
      }
    }
  }
  return { lines: Array.from(lines, (line) => (line ?? []).join('').trimEnd()), row, column }
}

// oxlint-disable-next-line no-control-regex -- what we write ourselves
const TOKEN = /\x1b\[(\d*)([ABCHJK])|\x1b\[\??[\d;]*[a-zA-Z]|\x1b\][^\x1b]*\x1b\\|[\r\n]|[^\x1b\r\n]+/g
