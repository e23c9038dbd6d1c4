import { textWidth } from '../text-width.ts'
import { type Format, PLAIN, type Row, type Span, span } from './span.ts'

/** What a line is, by how it starts. */
export type LineStart =
  | { readonly kind: 'blank' | 'rule' | 'table' }
  | { readonly kind: 'fence'; readonly mark: string; readonly indent: number; readonly info: string }
  | TextStart

interface TextStart {
  readonly kind: 'text'
  /** What the first row of the line begins with, and the further ones. */
  readonly first: Row
  readonly lead: Row
  readonly format: readonly Format[]
  /** How much of the line this was. */
  readonly used: number
}

/** Undefined while that can still be one thing or another. */
export function readLineStart(line: string, isWhole: boolean): LineStart | undefined {
  if (line.trim() === '') return isWhole ? { kind: 'blank' } : undefined
  if (line.length <= LONGEST_MARK) {
    if (isWhole && RULE.test(line)) return { kind: 'rule' }
    const [, indent = '', mark, info = ''] = FENCE.exec(line) ?? []
    if (mark !== undefined) return isWhole ? fence(indent, mark, info) : undefined
    if (!isWhole && ONLY_MARKS.test(line)) return undefined
  }
  if (line.length <= LONGEST_ROW && /^\s*\|/.test(line)) return isWhole ? { kind: 'table' } : undefined
  return readLead(line)
}

/** A longer line is text, whatever it starts with. */
const LONGEST_MARK = 200
const LONGEST_ROW = 4_000

const RULE = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const FENCE = /^(\s*)(`{3,}|~{3,})([^`]*)$/
const ONLY_MARKS = /^[\s#>`~*+_\-\d.)[\]xX]*$/

const fence = (indent: string, mark: string, info: string): LineStart => ({
  kind: 'fence',
  mark,
  indent: textWidth(spaced(indent)),
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
    quotes.push(span('│ ', ['dim']))
  }
  const heading = HEADING.exec(rest)
  if (heading) {
    const format: readonly Format[] = heading[1] === '#' ? ['bold', 'underline'] : ['bold']
    return start(quotes, '', [], format, line.length - rest.length + heading[0].length)
  }
  const [indent = ''] = /^\s*/.exec(rest) ?? []
  rest = rest.slice(indent.length)
  const [bullet, box] = BULLET.exec(rest) ?? []
  const [numbered, number] = NUMBER.exec(rest) ?? []
  const marker = bullet === undefined ? (number ?? '') : bulletOf(box)
  const used = line.length - rest.length + (bullet ?? numbered ?? '').length
  return start(quotes, spaced(indent), marker === '' ? [] : [span(`${marker} `, ['cyan'])], PLAIN, used)
}

function start(quotes: Row, indent: string, marker: Row, format: readonly Format[], used: number): TextStart {
  const hanging = indent + ' '.repeat(marker.reduce((sum, { text }) => sum + textWidth(text), 0))
  return {
    kind: 'text',
    first: [...quotes, ...spaces(indent), ...marker],
    lead: [...quotes, ...spaces(hanging)],
    format,
    used,
  }
}

const spaces = (text: string): Row => (text === '' ? [] : [span(text)])

function bulletOf(box: string | undefined): string {
  if (box === undefined) return '•'
  return box === ' ' ? '☐' : '☑'
}

const MOST_INDENT = 24

const spaced = (indent: string): string => indent.replaceAll('\t', '    ').slice(0, MOST_INDENT)
