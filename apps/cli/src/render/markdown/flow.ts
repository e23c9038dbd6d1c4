import { TAB, splitGraphemes, splitWords, standsAlone, measureGrapheme, measureText } from '../text.ts'
import { type Row, type Span, createSpan } from './inline.ts'

/** Text that fills rows word by word; immutable, for look-ahead. */
export interface Flow {
  readonly columns: number
  /** The prefix of every row but the first. */
  readonly lead: Row
  readonly leadWidth: number
  readonly row: Row
  readonly width: number
  /** Whether the row holds more than its lead. */
  readonly begun: boolean
  /** The space between the row and the word. */
  readonly space: Span
  readonly word: Row
  readonly wordLength: number
  /** Continues a word that was too long to hold back. */
  readonly glued: boolean
}

export function openFlow(columns: number, first: Row, lead: Row): Flow {
  const leadWidth = measureSpans(lead)
  return {
    columns, lead, leadWidth, row: first, width: measureSpans(first), begun: false, space: NONE, word: [], wordLength: 0,
    glued: false,
  } // prettier-ignore
}

export function pour(opening: Flow, spans: readonly Span[]): { flow: Flow; rows: readonly Row[] } {
  const flow: FlowDraft = { ...opening, row: [...opening.row], word: [...opening.word] }
  const rows: Row[] = []
  for (const { text, format, link } of spans) {
    for (const part of splitWords(text)) {
      if (part === ' ' || part === '\t') {
        settleWord(flow, rows)
        flow.space = { text: flow.space.text + (part === '\t' ? TAB : ' '), format, link }
        flow.glued = false
        continue
      }
      const isAlone = standsAlone(part)
      if (isAlone) settleWord(flow, rows)
      let rest = part
      while (rest !== '') {
        if (flow.wordLength >= MAX_HELD_LENGTH) {
          settleWord(flow, rows)
          flow.glued = true
        }
        const held = cutWord(rest, MAX_HELD_LENGTH - flow.wordLength)
        rest = rest.slice(held.length)
        flow.word.push({ text: held, format, link })
        flow.wordLength += held.length
      }
      if (isAlone) settleWord(flow, rows)
    }
  }
  return { flow, rows }
}

/** Rows of one line of code, which breaks only where a row is full. */
export function layOutCode(line: Row, indent: number, columns: number): readonly Row[] {
  const lead = [createSpan(' '.repeat(indent))]
  const rows: Row[] = []
  const last: FlowDraft = { ...openFlow(columns, lead, lead), row: [...lead], word: [] }
  fillRow(last, line, rows)
  return [...rows, last.row]
}

export function endFlow(flow: Flow): readonly Row[] {
  const rows: Row[] = []
  const last: FlowDraft = { ...flow, row: [...flow.row], word: [...flow.word] }
  settleWord(last, rows)
  return [...rows, last.row]
}

type FlowDraft = { -readonly [Name in keyof Omit<Flow, 'row' | 'word'>]: Flow[Name] } & {
  row: Span[]
  word: Span[]
}

const NONE = createSpan('')
/** A longer word breaks wherever a row is full. */
const MAX_HELD_LENGTH = 100

const measureSpans = (row: Row): number => measureText(joinSpans(row))
const joinSpans = (row: Row): string => row.map(({ text }) => text).join('')

function cutWord(text: string, length: number): string {
  const head = text.slice(0, length)
  return /[\uD800-\uDBFF]$/.test(head) ? text.slice(0, length + 1) : head
}

function settleWord(flow: FlowDraft, rows: Row[]): void {
  const { word, space, columns } = flow
  if (word.length === 0) return
  const wide = measureSpans(word)
  const fits = flow.width + space.text.length + wide <= columns
  if (fits) {
    flow.row.push(space)
    flow.width += space.text.length
  } else if (flow.begun && !flow.glued) startNextRow(flow, rows)
  flow.space = NONE
  flow.word = []
  flow.wordLength = 0
  flow.glued = false
  flow.begun = true
  if (flow.width + wide <= columns) {
    flow.row.push(...word)
    flow.width += wide
  } else fillRow(flow, word, rows)
}

function startNextRow(flow: FlowDraft, rows: Row[]): void {
  rows.push(flow.row)
  flow.row = [...flow.lead]
  flow.width = flow.leadWidth
}

/** Adds text that breaks wherever a row is full, such as a word that is wider than the screen. */
function fillRow(flow: FlowDraft, spans: Row, rows: Row[]): void {
  for (const { text, format, link } of spans) {
    let part = ''
    for (const grapheme of splitGraphemes(text)) {
      const wide = measureGrapheme(grapheme)
      if (flow.width + wide > flow.columns && flow.width > flow.leadWidth) {
        flow.row.push({ text: part, format, link })
        part = ''
        startNextRow(flow, rows)
      }
      part += grapheme
      flow.width += wide
    }
    flow.row.push({ text: part, format, link })
  }
}
