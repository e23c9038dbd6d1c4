export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list'
      readonly ordered: boolean
      readonly start: number
      readonly items: readonly (readonly Block[])[]
    }
  | {
      readonly kind: 'table'
      /** The alignment of each column; '' for none. */
      readonly align: readonly ('' | 'start' | 'center' | 'end')[]
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly kind: 'rule' }

/** Deeper lists and quotations are plain paragraphs. */
const DEEPEST = 6

/** Parses the blocks of a Markdown text, which may be incomplete. */
export function parseBlocks(text: string): readonly Block[] {
  return parseLines(text.replaceAll('\r\n', '\n').split('\n'), 0)
}

type Lines = readonly string[]

function parseLines(lines: Lines, depth: number): readonly Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const { block, next } = parseBlock(lines, at, depth)
    blocks.push(block)
    at = next
  }
  return blocks
}

interface ParsedBlock {
  readonly block: Block
  readonly next: number
}

// None of these patterns can backtrack on long lines.
const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/
const HEADING = /^ {0,3}(#{1,6}) (.*)$/
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?: +|$)/

const isBlank = (line: string | undefined) => line === undefined || line.trim() === ''

function parseBlock(lines: Lines, at: number, depth: number): ParsedBlock {
  const line = lines[at] ?? ''
  const fence = FENCE.exec(line)
  if (fence) return parseCode(lines, at, fence)
  const heading = HEADING.exec(line)
  if (heading) {
    const [, marks = '', text = ''] = heading
    return { block: { kind: 'heading', level: marks.length, text: text.trim() }, next: at + 1 }
  }
  if (RULE.test(line)) return { block: { kind: 'rule' }, next: at + 1 }
  if (depth < DEEPEST && QUOTE.test(line)) return parseQuote(lines, at, depth)
  if (depth < DEEPEST && ITEM.test(line)) return parseList(lines, at, depth)
  return isTableAt(lines, at) ? parseTable(lines, at, depth) : parseParagraph(lines, at, depth)
}

function parseCode(lines: Lines, at: number, [, fence = '', about = '']: RegExpExecArray): ParsedBlock {
  const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`)
  let last = at + 1
  while (last < lines.length && !closing.test(lines[last] ?? '')) last += 1
  return {
    block: { kind: 'code', language: about.trim(), text: lines.slice(at + 1, last).join('\n') },
    next: last + 1,
  }
}

function parseQuote(lines: Lines, at: number, depth: number): ParsedBlock {
  let next = at
  while (next < lines.length && QUOTE.test(lines[next] ?? '')) next += 1
  const inside = lines.slice(at, next).map((line) => line.replace(QUOTE, ''))
  return { block: { kind: 'quote', blocks: parseLines(inside, depth + 1) }, next }
}

function parseParagraph(lines: Lines, at: number, depth: number): ParsedBlock {
  let next = at + 1
  while (next < lines.length && !startsBlock(lines[next] ?? '', depth) && !isTableAt(lines, next)) next += 1
  const text = lines.slice(at, next).map((line) => line.trim())
  return { block: { kind: 'paragraph', text: text.join('\n') }, next }
}

/** A table starts with a line of cells and a line of dashes of the same width. */
function isTableAt(lines: Lines, at: number): boolean {
  const [head = '', dashes = ''] = lines.slice(at, at + 2)
  if (!head.includes('|')) return false
  const columns = splitCells(dashes)
  return columns.every((cell) => /^:?-+:?$/.test(cell)) && columns.length === splitCells(head).length
}

function parseTable(lines: Lines, at: number, depth: number): ParsedBlock {
  let next = at + 2
  while (next < lines.length && lines[next]?.includes('|') && !startsBlock(lines[next] ?? '', depth))
    next += 1
  const [head = [], dashes = [], ...rows] = lines.slice(at, next).map(splitCells)
  return { block: { kind: 'table', align: dashes.map(toAlignment), head, rows }, next }
}

/** The cells between the bars; an escaped bar is text. */
const splitCells = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const toAlignment = (dashes: string) =>
  dashes.endsWith(':') ? (dashes.startsWith(':') ? 'center' : 'end') : dashes.startsWith(':') ? 'start' : ''

const startsBlock = (line: string, depth: number) =>
  isBlank(line) ||
  [FENCE, HEADING, RULE].some((start) => start.test(line)) ||
  (depth < DEEPEST && (QUOTE.test(line) || ITEM.test(line)))

function parseList(lines: Lines, at: number, depth: number): ParsedBlock {
  const [, , first = ''] = ITEM.exec(lines[at] ?? '') ?? []
  const kind = toListKind(first)
  const items: (readonly Block[])[] = []
  let next = at
  while (next < lines.length) {
    const opening = ITEM.exec(lines[next] ?? '')
    if (!opening || toListKind(opening[2] ?? '') !== kind || RULE.test(lines[next] ?? '')) break
    const item = readItem(lines, next, opening[0].length, depth)
    items.push(parseLines(item.lines, depth + 1))
    next = item.next
  }
  const ordered = kind === '1'
  return { block: { kind: 'list', ordered, start: ordered ? Number.parseInt(first, 10) : 1, items }, next }
}

const toListKind = (mark: string) => (/\d/.test(mark) ? '1' : mark)

/** An item's lines: the first, the indented ones, and continuations of its sentence. */
function readItem(lines: Lines, at: number, width: number, depth: number): { lines: Lines; next: number } {
  const own = [(lines[at] ?? '').slice(width)]
  let next = at + 1
  while (next < lines.length) {
    const line = lines[next] ?? ''
    const indent = line.length - line.trimStart().length
    if (isBlank(line)) {
      const following = lines[next + 1]
      const isContinued = following !== undefined && !isBlank(following) && /^\s/.test(following)
      const isNextItem = following !== undefined && ITEM.test(following)
      if (!isContinued && !isNextItem) break
      own.push('')
    } else if (indent >= Math.min(width, 2)) own.push(line.slice(Math.min(indent, width)))
    else if (isBlank(own.at(-1)) || startsBlock(line, depth)) break
    else own.push(line)
    next += 1
  }
  return { lines: own, next }
}
