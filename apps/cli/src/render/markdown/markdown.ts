import {
  type LineStart,
  type Table,
  addTableRow,
  layOutTable,
  readLineStart,
  readTableHead,
} from './blocks.ts'
import { type CodeBlock, openCode, takeCodeLine } from './code-block.ts'
import { type Flow, endFlow, openFlow, pour } from './flow.ts'
import type { Highlight } from './highlight.ts'
import { type Format, PLAIN, type Row, type Span, createSpan, paintRow, parseInline } from './inline.ts'

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
  let width = toUsableWidth(columns)
  let layOut = createTableLayout(width)
  let reading: Reading = { line: '' }

  const render = (colour: Highlight | undefined, work: (page: Page) => void): readonly string[] => {
    const page: Page = { width, layOut, highlight: colour, rows: [] }
    work(page)
    return page.rows.map((row) => paintRow(row, links))
  }
  return {
    write: (piece) => render(highlight, (page) => (reading = readPiece(page, reading, piece))),
    rest: () => render(undefined, (page) => addUnfinished(page, reading, 'glance')),
    end: () =>
      render(highlight, (page) => {
        addUnfinished(page, reading, 'final')
        reading = { line: '' }
      }),
    resize(to) {
      width = toUsableWidth(to)
      layOut = createTableLayout(width)
    },
  }
}

export function renderMarkdown(text: string, options: MarkdownOptions): string {
  const markdown = createMarkdown(options)
  return [...markdown.write(text), ...markdown.end()].join('\n')
}

const toUsableWidth = (columns: number): number => Math.max(12, columns - 1)

/** Where the rows of one call go. */
interface Page {
  readonly width: number
  readonly layOut: (table: Table) => readonly Row[]
  readonly highlight: Highlight | undefined
  /** The finished rows. */
  readonly rows: Row[]
}

/** How far the text was read. */
interface Reading {
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

/** Lays out a table for this width, once. */
function createTableLayout(width: number): Page['layOut'] {
  let last: { readonly table: Table; readonly rows: readonly Row[] } | undefined
  return (table) => {
    if (last?.table !== table) last = { table, rows: layOutTable(table, width) }
    return last.rows
  }
}

function readPiece(page: Page, from: Reading, piece: string): Reading {
  const [first = '', ...lines] = piece.split('\n')
  let reading = advance(page, { ...from, line: from.line + first }, false)
  for (const line of lines) {
    reading = endLine(page, advance(page, reading, true))
    reading = advance(page, { ...reading, line }, false)
  }
  return reading
}

function endLine({ rows }: Page, { open, code, table, head }: Reading): Reading {
  if (open) rows.push(...endFlow(open.flow))
  return { line: '', code, table, head }
}

/** Reads as much of the current line as is certain, or all of it if it is whole. */
function advance(page: Page, from: Reading, isWhole: boolean): Reading {
  const { open, code, table, head } = from
  if (code) return advanceCode(page, from, code, isWhole)
  if (open) return advanceOpenLine(page, from, open, isWhole)
  if (table) return advanceTable(page, from, table, isWhole)
  if (head !== undefined) return advanceTableHead(page, from, head, isWhole)
  return beginLine(page, from, isWhole)
}

function beginLine(page: Page, from: Reading, isWhole: boolean): Reading {
  const start = readLineStart(from.line, isWhole)
  return start ? startLine(page, from, start, isWhole) : from
}

function startLine(page: Page, from: Reading, start: LineStart, isWhole: boolean): Reading {
  const { rows, width } = page
  switch (start.kind) {
    case 'blank':
      rows.push([])
      return { ...from, line: '' }
    case 'rule':
      rows.push([createSpan('─'.repeat(Math.min(width, MAX_RULE_WIDTH)), ['dim'])])
      return { ...from, line: '' }
    case 'table':
      return { ...from, line: '', head: from.line }
    case 'fence':
      if (start.info !== '') rows.push(...layOutLabel(start.info, width))
      return { ...from, line: '', code: openCode(start) }
    case 'text': {
      const { first, lead, format, used } = start
      const open = { flow: openFlow(width, clipPrefix(first, width), clipPrefix(lead, width)), format }
      return advanceOpenLine(page, { ...from, line: from.line.slice(used) }, open, isWhole)
    }
    default:
      return start satisfies never
  }
}

const MAX_RULE_WIDTH = 40

/** A prefix takes at most half of the screen. */
function clipPrefix(prefix: Row, width: number): Row {
  let room = Math.floor(width / 2)
  return prefix.flatMap(({ text, format }) => {
    const part = text.slice(0, room)
    room -= part.length
    return part === '' ? [] : [createSpan(part, format)]
  })
}

function advanceOpenLine({ rows }: Page, from: Reading, open: OpenLine, isWhole: boolean): Reading {
  const { spans, used } = parseInline(from.line, { format: open.format, isWhole })
  const poured = pour(open.flow, spans)
  rows.push(...poured.rows)
  return { ...from, line: from.line.slice(used), open: { ...open, flow: poured.flow } }
}

function advanceCode(
  { rows, width, highlight }: Page,
  from: Reading,
  code: CodeBlock,
  isWhole: boolean,
): Reading {
  const taken = takeCodeLine(code, from.line, { isWhole, width, highlight })
  rows.push(...taken.rows)
  return { ...from, code: taken.code, line: taken.line }
}

/** A table is printed at its end; a very long one in parts. */
function advanceTable(page: Page, from: Reading, table: Table, isWhole: boolean): Reading {
  const { line } = from
  if (!mayBeTableRow(line, isWhole)) {
    page.rows.push(...page.layOut(table))
    return beginLine(page, { line }, isWhole)
  }
  if (!isWhole) return from
  const grown = addTableRow(table, line)
  if (grown.rows.length <= MAX_ROWS) return { line: '', table: grown }
  page.rows.push(...page.layOut(table))
  return { line: '', table: addTableRow({ ...table, rows: table.rows.slice(0, 1) }, line) }
}

const MAX_ROWS = 60

const mayBeTableRow = (line: string, isWhole: boolean): boolean =>
  /^\s*\|/.test(line) || (line.trim() === '' && !isWhole)

/** A possible table head waits for the next line. */
function advanceTableHead(page: Page, from: Reading, head: string, isWhole: boolean): Reading {
  const { line } = from
  if (mayBeTableRule(line)) {
    if (!isWhole) return from
    const table = readTableHead(head, line)
    if (table) return { line: '', table }
  }
  page.rows.push(...layOutText(head, page.width))
  return beginLine(page, { line }, isWhole)
}

const mayBeTableRule = (line: string): boolean => /^[\s|:-]*$/.test(line)

/** Adds the unfinished rows. A glance skips the colours and an unfinished row of a table. */
function addUnfinished(page: Page, { head, ...reading }: Reading, kind: 'glance' | 'final'): void {
  const { rows, width } = page
  const { table, line, open, code } = reading
  if (table && mayBeTableRow(line, false)) {
    const isComplete = kind === 'glance' || line.trim() === ''
    rows.push(...page.layOut(isComplete ? table : addTableRow(table, line)))
    return
  }
  if (head !== undefined && mayBeTableRule(line)) rows.push(...layOutText(head, width))
  if (line === '' && !open) return
  const isTableRow = !open && !code && readLineStart(line, true)?.kind === 'table'
  if (isTableRow) rows.push(...layOutText(line, width))
  else endLine(page, advance(page, reading, true))
}

/** A line that turned out to be plain text. */
const layOutText = (line: string, width: number): readonly Row[] =>
  layOutSpans(parseInline(line.trim(), { format: PLAIN, isWhole: true }).spans, [], width)

/** The language above a block of code. */
const layOutLabel = (info: string, width: number): readonly Row[] =>
  layOutSpans([createSpan(info, ['dim'])], [createSpan('  ')], width)

function layOutSpans(spans: readonly Span[], lead: Row, width: number): readonly Row[] {
  const poured = pour(openFlow(width, lead, lead), spans)
  return [...poured.rows, ...endFlow(poured.flow)]
}
