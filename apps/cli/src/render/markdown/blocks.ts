import { measureText } from '../text.ts'
import { endFlow, openFlow, pour } from './flow.ts'
import { type Format, PLAIN, type Row, type Span, parseInline, createSpan } from './inline.ts'

export type LineStart =
  | { readonly kind: 'blank' | 'rule' | 'table' }
  | { readonly kind: 'fence'; readonly mark: string; readonly indent: number; readonly info: string }
  | TextStart

interface TextStart {
  readonly kind: 'text'
  /** The prefix of the first row, and of the others. */
  readonly first: Row
  readonly lead: Row
  readonly format: readonly Format[]
  readonly used: number
}

/** Undefined while still ambiguous. */
export function readLineStart(line: string, isWhole: boolean): LineStart | undefined {
  if (line.trim() === '') return isWhole ? { kind: 'blank' } : undefined
  if (line.length <= MAX_MARK_LENGTH) {
    if (isWhole && RULE.test(line)) return { kind: 'rule' }
    const [, indent = '', mark, info = ''] = FENCE.exec(line) ?? []
    if (mark !== undefined) return isWhole ? createFenceStart(indent, mark, info) : undefined
    if (!isWhole && ONLY_MARKS.test(line)) return undefined
  }
  if (line.length <= MAX_ROW_LENGTH && /^\s*\|/.test(line)) return isWhole ? { kind: 'table' } : undefined
  return readLead(line)
}

/** A longer line is always text. */
const MAX_MARK_LENGTH = 200
const MAX_ROW_LENGTH = 4_000

const RULE = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const FENCE = /^(\s*)(`{3,}|~{3,})([^`]*)$/
const ONLY_MARKS = /^[\s#>`~*+_\-\d.)[\]xX]*$/

const createFenceStart = (indent: string, mark: string, info: string): LineStart => ({
  kind: 'fence',
  mark,
  indent: measureText(expandIndent(indent)),
  info: info.trim(),
})

const QUOTE = /^\s{0,3}> ?/
const HEADING = /^\s{0,3}(#{1,6})\s+/
const BULLET = /^[-*+]\s+(?:\[([ xX])\]\s+)?/
const NUMBER = /^(\d{1,9}[.)])\s+/
const DEEPEST = 6

function readLead(line: string): TextStart {
  let rest = line
  const quotes: Span[] = []
  while (quotes.length < DEEPEST && QUOTE.test(rest)) {
    rest = rest.replace(QUOTE, '')
    quotes.push(createSpan('│ ', ['dim']))
  }
  const heading = HEADING.exec(rest)
  if (heading) {
    const format: readonly Format[] = heading[1] === '#' ? ['bold', 'underline'] : ['bold']
    return createTextStart(quotes, '', [], format, line.length - rest.length + heading[0].length)
  }
  const [indent = ''] = /^\s*/.exec(rest) ?? []
  rest = rest.slice(indent.length)
  const [bullet, box] = BULLET.exec(rest) ?? []
  const [numbered, number] = NUMBER.exec(rest) ?? []
  const marker = bullet === undefined ? (number ?? '') : formatBullet(box)
  const used = line.length - rest.length + (bullet ?? numbered ?? '').length
  return createTextStart(
    quotes,
    expandIndent(indent),
    marker === '' ? [] : [createSpan(`${marker} `, ['cyan'])],
    PLAIN,
    used,
  )
}

function createTextStart(
  quotes: Row,
  indent: string,
  marker: Row,
  format: readonly Format[],
  used: number,
): TextStart {
  const hanging = indent + ' '.repeat(marker.reduce((sum, { text }) => sum + measureText(text), 0))
  return {
    kind: 'text',
    first: [...quotes, ...toIndent(indent), ...marker],
    lead: [...quotes, ...toIndent(hanging)],
    format,
    used,
  }
}

const toIndent = (text: string): Row => (text === '' ? [] : [createSpan(text)])

function formatBullet(box: string | undefined): string {
  if (box === undefined) return '•'
  return box === ' ' ? '☐' : '☑'
}

const MAX_INDENT = 24

const expandIndent = (indent: string): string => indent.replaceAll('\t', '    ').slice(0, MAX_INDENT)

export interface Table {
  readonly aligned: readonly Alignment[]
  /** The first holds the names of the columns. */
  readonly rows: readonly (readonly string[])[]
}
type Alignment = 'left' | 'right' | 'center'

/** The head of a table, if the two lines form one. */
export function readTableHead(names: string, rule: string): Table | undefined {
  const header = splitCells(names)
  const rules = splitCells(rule)
  if (header.length !== rules.length || !rules.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  return { aligned: rules.map(parseAlignment), rows: [header] }
}

/** Extra cells join the last column. */
export function addTableRow(table: Table, line: string): Table {
  const cells = splitCells(line)
  const last = table.aligned.length - 1
  const row = table.aligned.map((_, index) =>
    index === last ? cells.slice(last).join(' | ') : (cells[index] ?? ''),
  )
  return { ...table, rows: [...table.rows, row] }
}

/** Renders a table in columns if they fit, else one value per line. */
export function layOutTable({ aligned, rows }: Table, columns: number): readonly Row[] {
  const [header = [], ...body] = rows
  const cells = rows.map((row, index) => row.map((cell) => parseCell(cell, index === 0 ? ['bold'] : PLAIN)))
  const natural = aligned.map((_, index) =>
    Math.min(MAX_CELL, Math.max(1, ...cells.map((row) => measureRow(row[index] ?? [])))),
  )
  const room = columns - BETWEEN.length * (aligned.length - 1)
  if (room < aligned.length * MIN_CELL) return stackCells(header, body, columns)
  const widths = shrinkWidths(natural, room)
  const laidOut = cells.map((row) => layOutRow(row, widths, aligned))
  const rule: Row = [createSpan(widths.map((width) => '─'.repeat(width)).join('─┼─'), ['dim'])]
  const roomy = laidOut.slice(1).some((lines) => lines.length > 1)
  return laidOut.flatMap((lines, index) =>
    index === 0 || (roomy && index < laidOut.length - 1) ? [...lines, rule] : lines,
  )
}

const BETWEEN = ' │ '
const MIN_CELL = 5
const MAX_CELL = 400

const splitCells = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) =>
      cell
        .replaceAll('\\|', '|')
        .replace(/<br\s*\/?>/gi, ' ')
        .trim(),
    )

function parseAlignment(rule: string): Alignment {
  if (rule.length > 1 && rule.startsWith(':') && rule.endsWith(':')) return 'center'
  return rule.endsWith(':') ? 'right' : 'left'
}

const parseCell = (text: string, format: readonly Format[]): readonly Span[] =>
  parseInline(text, { format, isWhole: true }).spans

const measureRow = (row: Row): number => measureText(row.map(({ text }) => text).join(''))

/** Shrinks the widest column first. */
function shrinkWidths(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural]
  let over = widths.reduce((sum, width) => sum + width, 0) - room
  for (; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths))
    widths[widest] = (widths[widest] ?? 1) - 1
  }
  return widths
}

function layOutRow(
  cells: readonly Row[],
  widths: readonly number[],
  aligned: readonly Alignment[],
): readonly Row[] {
  const wrapped = widths.map((width, index) => wrap(cells[index] ?? [], width))
  const height = Math.max(...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    wrapped.flatMap((lines, index) => {
      const cell = padCell(lines[line] ?? [], widths[index] ?? 0, aligned[index] ?? 'left')
      const isLast = index === wrapped.length - 1
      return [...cell.slice(0, isLast ? -1 : undefined), ...(isLast ? [] : [createSpan(BETWEEN, ['dim'])])]
    }),
  )
}

function wrap(spans: readonly Span[], columns: number, first: Row = [], lead: Row = []): readonly Row[] {
  const { flow, rows } = pour(openFlow(columns, first, lead), spans)
  return [...rows, ...endFlow(flow)]
}

function padCell(row: Row, width: number, alignment: Alignment): Row {
  const missing = Math.max(0, width - measureRow(row))
  const before = { left: 0, right: missing, center: Math.floor(missing / 2) }[alignment]
  return [createSpan(' '.repeat(before)), ...row, createSpan(' '.repeat(missing - before))]
}

const stackCells = (
  header: readonly string[],
  body: readonly (readonly string[])[],
  columns: number,
): readonly Row[] =>
  body.flatMap((row, index) => [
    ...(index === 0 ? [] : [[createSpan('───', ['dim'])]]),
    ...row.flatMap((cell, column) => {
      const name = parseCell(`${header[column] ?? ''}:`, ['bold'])
      return wrap([...name, createSpan(' '), ...parseCell(cell, PLAIN)], columns, [], [createSpan('  ')])
    }),
  ])
