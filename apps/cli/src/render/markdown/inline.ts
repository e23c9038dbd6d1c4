import {
  type At,
  FARTHEST,
  literally,
  mayCome,
  noteUnclosed,
  type Parsed,
  type Reader,
} from './inline-place.ts'
import { readAddress, readAutolink, readImage, readLink } from './read-link.ts'
import { type Format, type Span, span } from './span.ts'

interface Reading {
  readonly format: readonly Format[]
  /** Whether this is the end of the line, or more may come. */
  readonly isWhole: boolean
  /** What stands before the text in its line. */
  readonly before?: string
}

/** Emphasis, code and links in a line. Whatever the pieces a line comes in, the spans are the same. */
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

/** The beginning of an address may be all there is of it yet. */
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

/** Where the emphasis ends; -1 if nowhere, undefined if that is not known yet. */
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
