import { styleText } from 'node:util'

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

export const span = (text: string, format: readonly Format[] = PLAIN): Span => ({ text, format })

/** A row with escape codes, which resets its style at the end. */
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

interface Parsed {
  readonly spans: readonly Span[]
  /** How much of the text was read. The rest depends on what follows. */
  readonly used: number
}

/** A position in a line. */
interface At {
  readonly text: string
  readonly place: number
  readonly previous: string
  readonly format: readonly Format[]
  /** Whether the text is complete, or more may come. */
  readonly isWhole: boolean
  /** Marks without a closing mark in the text. */
  readonly unclosed: Set<string>
  /** Reads nested text. */
  readonly inner: (text: string, format: readonly Format[], before: string) => readonly Span[]
}

/** Undefined while unknown. */
type Reader = (at: At) => Parsed | undefined

/** A mark without its closing mark within this distance is literal. */
const FARTHEST = 500

const literally = ({ text, place, format }: At, length: number): Parsed => ({
  spans: [span(text.slice(place, place + length), format)],
  used: length,
})

/** Remembers that nothing closes this mark, after a full search. */
function noteUnclosed({ text, place, unclosed }: At, mark: string): void {
  if (text.length < place + FARTHEST) unclosed.add(mark)
}

/** Whether the closing mark can still come. */
const mayCome = ({ text, place, isWhole }: At): boolean => !isWhole && text.length < place + FARTHEST

function readImage(at: At): Parsed | undefined {
  const next = at.text[at.place + 1]
  if (next === undefined && !at.isWhole) return undefined
  return next === '[' ? readLink(at, 1) : literally(at, 1)
}

/** The address is always shown: a link text must not hide it. */
function readLink(at: At, skip: 0 | 1 = 0): Parsed | undefined {
  const { text, place, format, isWhole } = at
  if (at.unclosed.has('[')) return literally(at, skip + 1)
  const unclosed = () => (mayCome(at) ? undefined : literally(at, skip + 1))
  const textEnd = closing(at, place + skip, '[', ']')
  if (textEnd === -1) {
    if (isWhole) noteUnclosed(at, '[')
    return unclosed()
  }
  const next = text[textEnd + 1]
  if (next === undefined && !isWhole) return undefined
  if (next !== '(') return literally(at, skip + 1)
  const end = closing(at, textEnd + 1, '(', ')')
  if (end === -1) return unclosed()
  const inside = text.slice(textEnd + 2, end)
  const [, bracketed, bare] = /^\s*(?:<([^<>]*)>|(\S+))(?:\s+(?:".*"|'.*'))?\s*$/.exec(inside) ?? []
  const address = bracketed ?? bare
  if (address === undefined) return literally(at, skip + 1)
  const label = text.slice(place + skip + 1, textEnd)
  const link = safeAddress(address)
  const labelled = at.inner(label, [...format, 'underline'], '[').map((part) => ({ ...part, link }))
  const shown = labelled.map((part) => part.text).join('')
  const told =
    shown === address || shown === '' ? [] : [{ ...span(` (${address})`, [...format, 'dim']), link }]
  const named = shown === '' ? [{ ...span(address, [...format, 'underline']), link }] : labelled
  return { spans: [...named, ...told], used: end + 1 - place }
}

/** The position of the closing bracket, or -1. */
function closing({ text, place }: At, from: number, open: string, close: string): number {
  let depth = 0
  for (let end = from; end < Math.min(text.length, place + FARTHEST); end += 1) {
    const character = text[end]
    if (character === '\\') end += 1
    else if (character === open) depth += 1
    else if (character === close) {
      depth -= 1
      if (depth === 0) return end
    }
  }
  return -1
}

function readAutolink(at: At): Parsed | undefined {
  const { text, place, format, isWhole } = at
  const rest = text.slice(place, place + FARTHEST)
  const [all, address] = /^<((?:https?|mailto):[^\s<>]+)>/.exec(rest) ?? []
  if (all !== undefined && address !== undefined) {
    const link = safeAddress(address)
    return { spans: [{ ...span(address, [...format, 'underline']), link }], used: all.length }
  }
  const unfinished = !isWhole && rest.length < FARTHEST && /^<[^\s<>]*$/.test(rest)
  return unfinished ? undefined : literally(at, 1)
}

function readAddress(at: At): Parsed | undefined {
  const { text, place, previous, format, isWhole } = at
  if (/\w/.test(previous)) return literally(at, 1)
  const rest = text.slice(place, place + FARTHEST)
  const [all = ''] = /^https?:\/\/[^\s<>"`]*/.exec(rest) ?? []
  if (all.length === text.length - place && !isWhole && all.length < FARTHEST) return undefined
  const address = all.replace(/[.,;:!?)\]*_~']+$/, '')
  const link = safeAddress(address)
  return { spans: [{ ...span(address, [...format, 'underline']), link }], used: address.length }
}

/** An address that a terminal may be given to open. */
const safeAddress = (address: string): string | undefined =>
  /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/.test(address) ? address : undefined

interface Reading {
  readonly format: readonly Format[]
  /** Whether the line is complete, or more may come. */
  readonly isWhole: boolean
  /** The text before it in the line. */
  readonly before?: string
}

/** Emphasis, code and links in a line. The result does not depend on how the text is split. */
export function parseInline(text: string, reading: Reading): Parsed {
  const { format, isWhole, before = '' } = reading
  const spans: Span[] = []
  const unclosed = new Set<string>()
  let place = 0
  while (place < text.length) {
    SPECIAL.lastIndex = place
    const special = SPECIAL.exec(text)
    const plainEnd = special?.index ?? (isWhole ? text.length : beforeUnfinished(text, place))
    if (plainEnd > place) spans.push(span(text.slice(place, plainEnd), format))
    place = plainEnd
    if (!special) break
    const previous = text[place - 1] ?? before
    const found = readSpecial({ text, place, previous, format, isWhole, unclosed, inner })
    if (!found) break
    spans.push(...found.spans)
    place += found.used
  }
  return { spans, used: place }
}

const inner: At['inner'] = (text, format, before) =>
  parseInline(text, { format, isWhole: true, before }).spans

const SPECIAL = /[\\`*_~[!<]|(?<!\w)https?:\/\//g

/** An address may still be incomplete. */
function beforeUnfinished(text: string, from: number): number {
  const [found] = /(?<!\w)h(?:t(?:t(?:p(?:s?(?::\/?)?)?)?)?)?$/.exec(text) ?? []
  return Math.max(from, text.length - (found?.length ?? 0))
}

const readSpecial: Reader = (at) => (READERS[at.text.charAt(at.place)] ?? readEmphasis)(at)

const READERS: Readonly<Record<string, Reader>> = {
  '\\': readEscape,
  '`': readCode,
  '[': readLink,
  '!': readImage,
  '<': readAutolink,
  h: readAddress,
}

function readEscape(at: At): Parsed | undefined {
  const next = at.text[at.place + 1]
  if (next === undefined) return at.isWhole ? literally(at, 1) : undefined
  return /[!-/:-@[-`{-~]/.test(next) ? { spans: [span(next, at.format)], used: 2 } : literally(at, 1)
}

function readCode(at: At): Parsed | undefined {
  const { text, place, format, isWhole } = at
  const open = runAt(text, place)
  if (place + open === text.length && !isWhole) return undefined
  const mark = text.slice(place, place + open)
  if (at.unclosed.has(mark)) return literally(at, open)
  for (let end = place + open; end < Math.min(text.length, place + FARTHEST);) {
    if (text[end] !== '`') {
      end += 1
      continue
    }
    const close = runAt(text, end)
    if (end + close === text.length && !isWhole) return undefined
    if (close === open) {
      const code = text.slice(place + open, end).replace(/^ (.*[^ ].*) $/, '$1')
      return { spans: [span(code, [...format, 'cyan'])], used: end + close - place }
    }
    end += close
  }
  if (mayCome(at)) return undefined
  noteUnclosed(at, mark)
  return literally(at, open)
}

function runAt(text: string, place: number): number {
  let end = place + 1
  while (text[end] === text[place]) end += 1
  return end - place
}

const EMPHASIS: Readonly<Record<string, readonly Format[]>> = {
  '*': ['italic'],
  _: ['italic'],
  '**': ['bold'],
  __: ['bold'],
  '***': ['bold', 'italic'],
  ___: ['bold', 'italic'],
  '~~': ['strikethrough'],
}

function readEmphasis(at: At): Parsed | undefined {
  const { text, place, previous, isWhole } = at
  const run = runAt(text, place)
  const next = text[place + run]
  if (next === undefined && !isWhole) return undefined
  const mark = text.slice(place, place + run)
  const emphasis = EMPHASIS[mark]
  const opens = next !== undefined && !/\s/.test(next) && !(mark[0] === '_' && /\w/.test(previous))
  if (!emphasis || !opens || at.unclosed.has(mark)) return literally(at, run)
  const end = findCloser(at, mark)
  if (end === undefined) return undefined
  if (end === -1) return literally(at, run)
  const spans = inner(text.slice(place + run, end), [...at.format, ...emphasis], mark.charAt(0))
  return { spans, used: end + run - place }
}

/** The end of the emphasis; -1 if none, undefined while unknown. */
function findCloser(at: At, mark: string): number | undefined {
  const { text, place, isWhole } = at
  const [sign] = mark
  let end = place + mark.length
  while (end < Math.min(text.length, place + FARTHEST)) {
    const character = text[end]
    if (character === '\\') end += 2
    else if (character === '`') {
      const run = runAt(text, end)
      const close = text.indexOf('`'.repeat(run), end + run)
      if (close === -1 && mayCome(at)) return undefined
      end = close === -1 || close >= place + FARTHEST ? end + run : close + run
    } else if (character === sign) {
      const run = runAt(text, end)
      const after = text[end + run]
      if (after === undefined && !isWhole) return undefined
      const closes = !/\s/.test(text[end - 1] ?? ' ') && !(sign === '_' && after && /\w/.test(after))
      const extra = run - mark.length
      if (closes && (extra === 0 || (run === 3 && extra > 0))) return end + extra
      end += run
    } else end += 1
  }
  if (mayCome(at)) return undefined
  noteUnclosed(at, mark)
  return -1
}
