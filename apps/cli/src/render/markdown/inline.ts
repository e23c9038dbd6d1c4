import { styleText } from 'node:util'
import { Lexer, type Token } from 'marked'

export type Format = Extract<Parameters<typeof styleText>[0], string>

/** A run of text in one style, without control characters. */
export interface Span {
  readonly text: string
  readonly format: readonly Format[]
  readonly link?: string | undefined
}

/** One row of the screen. */
export type Row = readonly Span[]

export const PLAIN: readonly Format[] = []

export const createSpan = (text: string, format: readonly Format[] = PLAIN): Span => ({ text, format })

/** A row with escape codes, which resets its style at the end. */
export const paintRow = (row: Row, links: boolean): string =>
  mergeSpans(row).map(createPainter(links)).join('')

function createPainter(links: boolean) {
  return ({ text, format, link }: Span): string => {
    const styled = format.length === 0 ? text : styleText([...format], text, { validateStream: false })
    return links && link !== undefined ? `\x1b]8;;${link}\x1b\\${styled}\x1b]8;;\x1b\\` : styled
  }
}

function mergeSpans(row: Row): readonly Span[] {
  const spans: Span[] = []
  for (const next of row) {
    const last = spans.at(-1)
    if (last && last.format === next.format && last.link === next.link) {
      spans[spans.length - 1] = { ...last, text: last.text + next.text }
    } else spans.push(next)
  }
  return spans
}

interface Parsed {
  readonly spans: readonly Span[]
  /** How much of the text was read. The rest depends on what follows. */
  readonly used: number
}

interface ParseOptions {
  readonly format: readonly Format[]
  /** Whether the line is complete, or more may come. */
  readonly isWhole: boolean
}

/** A longer line is parsed in parts, so that its unfinished part stays short. */
const MAX_PART = 1_000

/** Emphasis, code and links in a line. The result does not depend on how the text is split. */
export function parseInline(text: string, { format, isWhole }: ParseOptions): Parsed {
  const spans: Span[] = []
  let used = 0
  while (text.length - used > MAX_PART) {
    const part = parsePart(cutText(text.slice(used), MAX_PART), format)
    spans.push(...part.spans)
    used += part.used
  }
  if (!isWhole) return { spans, used }
  spans.push(...parseAll(text.slice(used), format))
  return { spans, used: text.length }
}

const parseAll = (text: string, format: readonly Format[]): readonly Span[] =>
  Lexer.lexInline(text).flatMap((token) => toSpans(token, format))

/** Parses about half of a part: marks that open there may close in the other half. */
function parsePart(part: string, format: readonly Format[]): Parsed {
  const spans: Span[] = []
  let used = 0
  for (const token of Lexer.lexInline(part)) {
    const { raw, type } = token
    if (used + raw.length > MAX_PART / 2) {
      if (used > 0) break
      if (type === 'text') {
        const text = cutText(raw, MAX_PART / 2)
        return { spans: [createSpan(text, format)], used: text.length }
      }
    }
    spans.push(...toSpans(token, format))
    used += raw.length
  }
  return { spans, used }
}

/** The start of a text, without half a character. */
function cutText(text: string, length: number): string {
  const start = text.slice(0, length)
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start
}

const EMPHASIS: Readonly<Record<string, Format>> = { em: 'italic', strong: 'bold', del: 'strikethrough' }

function toSpans(token: Token, format: readonly Format[]): readonly Span[] {
  const emphasis = EMPHASIS[token.type]
  if (emphasis !== undefined && 'tokens' in token) {
    const inner = [...format, emphasis]
    return (token.tokens ?? []).flatMap((one) => toSpans(one, inner))
  }
  if (token.type === 'codespan') return [createSpan(token.text, [...format, 'cyan'])]
  if (token.type === 'escape') return [createSpan(token.text, format)]
  if (token.type === 'link' || token.type === 'image') return toLinkSpans(token as LinkToken, format)
  return [createSpan(token.raw, format)]
}

interface LinkToken {
  readonly href: string
  readonly autolink?: true
  readonly tokens: readonly Token[]
}

/** The address is always shown: a link text must not hide it. */
function toLinkSpans({ href, autolink, tokens }: LinkToken, format: readonly Format[]): readonly Span[] {
  const link = toSafeAddress(href)
  const labels = tokens.flatMap((one) => toSpans(one, [...format, 'underline']))
  const label = labels.map(({ text }) => text).join('')
  const shown = label === '' ? [createSpan(href, [...format, 'underline'])] : labels
  const isVisible = autolink || label === href || label === ''
  const address = isVisible ? [] : [createSpan(` (${href})`, [...format, 'dim'])]
  return [...shown, ...address].map((one) => ({ ...one, link }))
}

/** An address that a terminal may be given to open. */
const toSafeAddress = (address: string): string | undefined =>
  /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/.test(address) ? address : undefined
