import { styleText } from 'node:util'

export type Format = Extract<Parameters<typeof styleText>[0], string>

/** A run of text of one look; it holds no control characters. */
export interface Span {
  readonly text: string
  readonly format: readonly Format[]
  readonly link?: string | undefined
}

/** What stands in one line of the screen. */
export type Row = readonly Span[]

export const PLAIN: readonly Format[] = []

export const span = (text: string, format: readonly Format[] = PLAIN): Span => ({ text, format })

/** A row with the terminal's escape codes; it ends as plain as it began. */
export const paintRow = (row: Row, links: boolean): string => merged(row).map(painter(links)).join('')

function painter(links: boolean) {
  return ({ text, format, link }: Span): string => {
    const styled = format.length === 0 ? text : styleText([...format], text, { validateStream: false })
    return links && link !== undefined ? `\x1b]8;;${link}\x1b\\${styled}\x1b]8;;\x1b\\` : styled
  }
}

function merged(row: Row): readonly Span[] {
  const spans: Span[] = []
  for (const next of row) {
    const last = spans.at(-1)
    if (last && last.format === next.format && last.link === next.link) {
      spans[spans.length - 1] = { ...last, text: last.text + next.text }
    } else spans.push(next)
  }
  return spans
}
