import type { Segment } from '@parley/knowledge'
import { type Line, linesOf } from '../text/lines-of.ts'
import { type DateOrder, dateOrder, readStamp, stampDate } from './whatsapp-stamp.ts'

/** Notices and media are short. */
const MAX_OMITTED = 300

/** How far is looked for a first message. */
const OPENING = 20_000

const OMITTED = [
  /^(?:Messages and calls are end-to-end encrypted|Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt)/,
  /^<[^<>\n]{1,80}>$/,
  /^(?:image|video|audio|sticker|GIF|document|Contact card) omitted$/i,
  /^(?:Bild|Video|Audio|Sticker|GIF|Dokument|Kontaktkarte) weggelassen$/i,
  /^[^\n]{1,200} \((?:file attached|Datei angehängt)\)$/,
  /^(?:This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht)\.?$/,
  /^(?:Missed|Verpasster) [^\n]{0,30}(?:call|anruf)[^\n]{0,30}$/i,
]

/** Whether a text is a chat that WhatsApp exported: it opens with a stamped line, and somebody says something soon. */
export function isWhatsApp(text: string): boolean {
  const opening = text.slice(0, OPENING)
  for (const line of linesOf(opening)) {
    if (line.text.trim() === '') continue
    if (!readStamp(line.text)) return false
    break
  }
  for (const { text: line } of linesOf(opening)) {
    const stamp = readStamp(line)
    if (stamp && said(line.slice(stamp.length))) return true
  }
  return false
}

/** Each message with who wrote it and when. What the app itself says, and media, are left out. */
export function* whatsAppMessages(text: string): Generator<Segment> {
  const order = dateOrder(text)
  let open: { readonly speaker: string; readonly date?: string; readonly lines: string[] } | undefined
  for (const line of linesOf(text)) {
    const opened = openMessage(line, order)
    if (opened === 'goes on') {
      open?.lines.push(line.text)
      continue
    }
    if (open) yield* message(open)
    open = opened === 'notice' ? undefined : opened
  }
  if (open) yield* message(open)
}

function openMessage(line: Line, order: DateOrder) {
  const stamp = readStamp(line.text)
  if (!stamp) return 'goes on'
  const by = said(line.text.slice(stamp.length))
  if (!by) return 'notice'
  const date = stampDate(stamp, order)
  return { speaker: by.speaker, ...(date ? { date } : {}), lines: [by.text] }
}

function* message(open: {
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
  if (text.length <= MAX_OMITTED && OMITTED.some((omitted) => omitted.test(text))) return
  const { speaker, date } = open
  yield { text, place: { speaker, ...(date ? { date } : {}) } } satisfies Segment
}

/** Who says what; undefined where the app itself speaks, which names nobody before a colon. */
function said(rest: string): { readonly speaker: string; readonly text: string } | undefined {
  const colon = rest.indexOf(': ')
  const end = colon === -1 && rest.endsWith(':') ? rest.length - 1 : colon
  if (end < 1 || end > 80) return undefined
  const speaker = rest.slice(0, end).replace(/^~\s?/, '')
  return /["“”]/.test(speaker) ? undefined : { speaker, text: rest.slice(end + 1).trim() }
}
