import { type LineStart, type Table, layOutTable, readLineStart, readTableHead, withRow } from './blocks.ts'
import { type CodeBlock, codeRows, openCode } from './code-block.ts'
import { type Flow, endFlow, openFlow, pour } from './flow.ts'
import type { Highlight } from './highlight.ts'
import { type Format, PLAIN, type Row, type Span, paintRow, parseInline, span } from './inline.ts'

export interface MarkdownOptions {
  /** The width of the screen; rows are narrower. */
  readonly columns: number
  /** Whether the terminal can be given an address to open. */
  readonly links: boolean
  readonly highlight?: Highlight | undefined
}

/** Renders streamed Markdown as terminal rows; the text has no control characters. */
export interface Markdown {
  /** The rows that this piece completes. */
  write(piece: string): readonly string[]
  /** The unfinished rows, as if nothing more came. */
  rest(): readonly string[]
  end(): readonly string[]
  /** Sets the width for new lines. */
  resize(columns: number): void
}

export function createMarkdown({ columns, links, highlight }: MarkdownOptions): Markdown {
  let width = usableWidth(columns)
  let state: State = { line: '' }

  const run = (from: State, piece: string, isLast: boolean) => {
    const rows: Row[] = []
    let next = from
    for (const [index, part] of piece.split('\n').entries()) {
      if (index > 0) next = settle(advance(next, true, rows), rows)
      next = advance({ ...next, line: next.line + part }, false, rows)
    }
    if (isLast) rows.push(...remaining(next, highlight))
    return { state: next, rows: rows.map((row) => paintRow(row, links)) }
  }

  const advance = (from: State, isWhole: boolean, rows: Row[], colour = highlight): State => {
    if (from.code) return advanceCode({ ...from, code: from.code }, isWhole, rows, colour)
    if (from.open) return advanceOpen({ ...from, open: from.open }, isWhole, rows)
    const held = advanceHeld(from, isWhole, rows)
    if (held.kind === 'taken') return held.state
    const start = readLineStart(held.state.line, isWhole)
    return start ? startLine(held.state, start, isWhole, rows) : held.state
  }

  const settle = (from: State, rows: Row[]): State => {
    const { open, code, table, head } = from
    if (open) rows.push(...endFlow(open.flow))
    return { line: '', code, table, head }
  }

  const startLine = (from: State, start: LineStart, isWhole: boolean, rows: Row[]): State => {
    switch (start.kind) {
      case 'blank':
        rows.push([])
        return { ...from, line: '' }
      case 'rule':
        rows.push([span('─'.repeat(Math.min(width, LONGEST_RULE)), ['dim'])])
        return { ...from, line: '' }
      case 'table':
        return { ...from, line: '', head: from.line }
      case 'fence':
        if (start.info !== '') rows.push(...labelRows(start.info))
        return { ...from, line: '', code: openCode(start) }
      case 'text': {
        const { first, lead, format, used } = start
        const open = { flow: openFlow(width, clipPrefix(first), clipPrefix(lead)), format }
        return advanceOpen({ ...from, line: from.line.slice(used), open }, isWhole, rows)
      }
      default:
        return start satisfies never
    }
  }

  /** A prefix takes at most half of the screen. */
  const clipPrefix = (lead: Row): Row => {
    let room = Math.floor(width / 2)
    return lead.flatMap(({ text, format }) => {
      const part = text.slice(0, room)
      room -= part.length
      return part === '' ? [] : [span(part, format)]
    })
  }

  const advanceOpen = (from: State & { open: OpenLine }, isWhole: boolean, rows: Row[]): State => {
    const { line, open } = from
    const { spans, used } = parseInline(line, { format: open.format, isWhole })
    const poured = pour(open.flow, spans)
    rows.push(...poured.rows)
    return { ...from, line: line.slice(used), open: { ...open, flow: poured.flow } }
  }

  const advanceCode = (
    from: State & { code: CodeBlock },
    isWhole: boolean,
    rows: Row[],
    colour: Highlight | undefined,
  ): State => {
    const { code, line } = from
    const taken = codeRows(code, line, { isWhole, width, highlight: colour })
    rows.push(...taken.rows)
    return { ...from, code: taken.code, line: taken.line }
  }

  /** A possible table head waits for the next line, and a table for its end. */
  const advanceHeld = (from: State, isWhole: boolean, rows: Row[]): Held => {
    const { line, head, table } = from
    if (table) {
      if (/^\s*\|/.test(line) || (line.trim() === '' && !isWhole)) {
        if (!isWhole) return { kind: 'taken', state: from }
        const grown = withRow(table, line)
        if (grown.rows.length <= MOST_ROWS) return { kind: 'taken', state: { line: '', table: grown } }
        rows.push(...layOutCached(table))
        return {
          kind: 'taken',
          state: { line: '', table: withRow({ ...table, rows: table.rows.slice(0, 1) }, line) },
        }
      }
      rows.push(...layOutCached(table))
      return { kind: 'free', state: { line } }
    }
    if (head === undefined) return { kind: 'free', state: from }
    if (/^[\s|:-]*$/.test(line)) {
      if (!isWhole) return { kind: 'taken', state: from }
      const begun = readTableHead(head, line)
      if (begun) return { kind: 'taken', state: { line: '', table: begun } }
    }
    rows.push(...textRows(head))
    return { kind: 'free', state: { line } }
  }

  /** A line that turned out to be plain text. */
  const textRows = (line: string): readonly Row[] =>
    flowRows(parseInline(line.trim(), { format: PLAIN, isWhole: true }).spans, [])

  const labelRows = (info: string): readonly Row[] => flowRows([span(info, ['dim'])], [span('  ')])

  const flowRows = (spans: readonly Span[], lead: Row): readonly Row[] => {
    const poured = pour(openFlow(width, lead, lead), spans)
    return [...poured.rows, ...endFlow(poured.flow)]
  }

  /** The unfinished rows. A preview skips colours and the next row. */
  const remaining = (from: State, colour: Highlight | undefined, isGlance = false): readonly Row[] => {
    const rows: Row[] = []
    const { table, head, line } = from
    if (table && (line.trim() === '' || /^\s*\|/.test(line))) {
      return isGlance || line.trim() === '' ? layOutCached(table) : layOutCached(withRow(table, line))
    }
    if (head !== undefined && /^[\s|:-]*$/.test(line)) rows.push(...textRows(head))
    if (line === '' && !from.open) return rows
    const isRow = !from.open && !from.code && readLineStart(line, true)?.kind === 'table'
    if (isRow) return [...rows, ...textRows(line)]
    const last: Row[] = []
    settle(advance({ ...from, head: undefined }, true, last, colour), last)
    return [...rows, ...last]
  }

  let known: { readonly table: Table; readonly rows: readonly Row[] } | undefined
  const layOutCached = (table: Table): readonly Row[] => {
    if (known?.table !== table) known = { table, rows: layOutTable(table, width) }
    return known.rows
  }

  return {
    write(piece) {
      const { state: next, rows } = run(state, piece, false)
      state = next
      return rows
    },
    rest: () => remaining(state, undefined, true).map((row) => paintRow(row, links)),
    end() {
      const { rows } = run(state, '', true)
      state = { line: '' }
      return rows
    },
    resize(to) {
      width = usableWidth(to)
      known = undefined
    },
  }
}

const usableWidth = (columns: number): number => Math.max(12, columns - 1)

const LONGEST_RULE = 40
/** A longer table is printed in parts. */
const MOST_ROWS = 60

interface State {
  /** The unread part of the current line. */
  readonly line: string
  readonly open?: OpenLine | undefined
  readonly code?: CodeBlock | undefined
  readonly table?: Table | undefined
  /** A possible table head. */
  readonly head?: string | undefined
}

interface OpenLine {
  readonly flow: Flow
  readonly format: readonly Format[]
}

type Held = { readonly kind: 'free' | 'taken'; readonly state: State }

export function renderMarkdown(text: string, options: MarkdownOptions): string {
  const markdown = createMarkdown(options)
  return [...markdown.write(text), ...markdown.end()].join('\n')
}
