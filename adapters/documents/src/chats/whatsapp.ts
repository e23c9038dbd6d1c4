import type { Segment } from '@parley/knowledge'
import { type NumberedLine, iterateLines } from '../text/group-lines.ts'

/** Notices and media are short. */
const MAX_OMITTED = 300

/** How many characters are searched for a first message. */
const OPENING_LENGTH = 20_000

const OMITTED_TEXTS = [
  /^(?:Messages and calls are end-to-end encrypted|Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt)/,
  /^<[^<>\n]{1,80}>$/,
  /^(?:image|video|audio|sticker|GIF|document|Contact card) omitted$/i,
  /^(?:Bild|Video|Audio|Sticker|GIF|Dokument|Kontaktkarte) weggelassen$/i,
  /^[^\n]{1,200} \((?:file attached|Datei angehängt)\)$/,
  /^(?:This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht)\.?$/,
  /^(?:Missed|Verpasster) [^\n]{0,30}(?:call|anruf)[^\n]{0,30}$/i,
]

/** Whether a text is a WhatsApp export: it starts with a time stamp, and a message follows soon. */
export function isWhatsApp(text: string): boolean {
  const opening = text.slice(0, OPENING_LENGTH)
  for (const line of iterateLines(opening)) {
    if (line.text.trim() === '') continue
    if (!readStamp(line.text)) return false
    break
  }
  for (const { text: line } of iterateLines(opening)) {
    const stamp = readStamp(line)
    if (stamp && splitSpeaker(line.slice(stamp.length))) return true
  }
  return false
}

/** All messages with speaker and date, without notices and media. */
export function* iterateWhatsAppMessages(text: string): Generator<Segment> {
  const order = detectDateOrder(text)
  let open: { readonly speaker: string; readonly date?: string; readonly lines: string[] } | undefined
  for (const line of iterateLines(text)) {
    const opened = openMessage(line, order)
    if (opened === 'continued') {
      open?.lines.push(line.text)
      continue
    }
    if (open) yield* toWhatsAppSegment(open)
    open = opened === 'notice' ? undefined : opened
  }
  if (open) yield* toWhatsAppSegment(open)
}

function openMessage(line: NumberedLine, order: DateOrder) {
  const stamp = readStamp(line.text)
  if (!stamp) return 'continued'
  const content = splitSpeaker(line.text.slice(stamp.length))
  if (!content) return 'notice'
  const date = toIsoDate(stamp, order)
  return { speaker: content.speaker, ...(date ? { date } : {}), lines: [content.text] }
}

function* toWhatsAppSegment(open: {
  readonly speaker: string
  readonly date?: string
  readonly lines: readonly string[]
}) {
  const text = open.lines
    .join('\n')
    .trimEnd()
    .replace(/<(?:This message was edited|Diese Nachricht wurde bearbeitet\.?)>$/, '')
    .trim()
  if (text === '') return
  if (text.length <= MAX_OMITTED && OMITTED_TEXTS.some((omitted) => omitted.test(text))) return
  const { speaker, date } = open
  yield { text, place: { speaker, ...(date ? { date } : {}) } } satisfies Segment
}

/** The speaker and text; undefined for a notice of the app, which has no speaker before a colon. */
function splitSpeaker(rest: string): { readonly speaker: string; readonly text: string } | undefined {
  const colon = rest.indexOf(': ')
  const end = colon === -1 && rest.endsWith(':') ? rest.length - 1 : colon
  if (end < 1 || end > 80) return undefined
  const speaker = rest.slice(0, end).replace(/^~\s?/, '')
  return /["“”]/.test(speaker) ? undefined : { speaker, text: rest.slice(end + 1).trim() }
}

/** The time stamp at the start of a message. */
interface MessageStamp {
  readonly date: readonly [number, number, number]
  readonly separator: string
  readonly hour: number
  readonly minute: string
  readonly second?: string
  readonly half?: 'a' | 'p'
  /** The length of the whole stamp. */
  readonly length: number
}

/** The order of the numbers in a date. */
type DateOrder = 'day-month' | 'month-day' | 'year-month'

// "[31.12.20, 23:59:59] " on an iPhone, "12/31/20, 11:59 PM - " on Android.
const STAMP =
  /^(\[?)(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})\.?,?\s(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:\s?([ap])\.?\s?m\.?)?(\]\s|\s-\s)/i

function readStamp(line: string): MessageStamp | undefined {
  const match = STAMP.exec(line)
  if (!match) return undefined
  const [whole, bracket, first, separator = '', second, third, hour, minute = '', seconds, half, end = ''] =
    match
  if ((bracket === '[') !== end.startsWith(']')) return undefined
  return {
    date: [Number(first), Number(second), Number(third)],
    separator,
    hour: Number(hour),
    minute,
    ...(seconds ? { second: seconds } : {}),
    ...(half ? { half: half.toLowerCase() === 'p' ? 'p' : 'a' } : {}),
    length: whole.length,
  }
}

/** The date format depends on the phone's region; a day after the 12th reveals it. */
function detectDateOrder(text: string): DateOrder {
  let guess: DateOrder = 'day-month'
  for (const { text: line } of iterateLines(text)) {
    const stamp = readStamp(line)
    if (!stamp) continue
    const [first, second] = stamp.date
    if (first > 31) return 'year-month'
    if (first > 12) return 'day-month'
    if (second > 12) return 'month-day'
    // Slashes with AM and PM are usually American.
    guess = stamp.half && stamp.separator === '/' ? 'month-day' : 'day-month'
  }
  return guess
}

/** For example 2020-12-31T23:59; undefined if the date or time does not exist. */
function toIsoDate(stamp: MessageStamp, order: DateOrder): string | undefined {
  const [first, second, third] = stamp.date
  const [year, month, day] =
    order === 'year-month'
      ? [first, second, third]
      : order === 'month-day'
        ? [third, first, second]
        : [third, second, first]
  const fullYear = year < 100 ? 2000 + year : year
  const hour = stamp.half ? (stamp.hour % 12) + (stamp.half === 'p' ? 12 : 0) : stamp.hour
  const date = `${String(fullYear).padStart(4, '0')}-${padToTwo(month)}-${padToTwo(day)}`
  const time = `${padToTwo(hour)}:${stamp.minute}${stamp.second ? `:${stamp.second}` : ''}`
  const parsed = new Date(Date.UTC(fullYear, month - 1, day))
  const isReal = parsed.getUTCMonth() === month - 1 && parsed.getUTCDate() === day
  return isReal && hour < 24 && stamp.minute < '60' ? `${date}T${time}` : undefined
}

const padToTwo = (number: number) => String(number).padStart(2, '0')
