import type { ExtractedText, Segment, UnreadableFile } from '@parley/knowledge'
import { findFormat } from './formats.ts'
import {
  type ReadingLimits,
  MAX_SEGMENT_LENGTH,
  type OpenedDocument,
  toUnreadable,
  explainUnsupported,
} from './document-reader.ts'
import { cleanText } from './text/decode-document-text.ts'

/** Splits a long text at natural pauses. */
export function* splitLongText(text: string, max = MAX_SEGMENT_LENGTH): Generator<string> {
  let rest = 0
  while (text.length - rest > max) {
    const end = rest + findPause(text.slice(rest, rest + max))
    const piece = text.slice(rest, end).trim()
    if (piece) yield piece
    rest = end
  }
  const last = text.slice(rest).trim()
  if (last) yield last
}

/** After a paragraph, otherwise a line, a sentence, a word, or at the end. Never in the first half. */
function findPause(window: string): number {
  const half = window.length >> 1
  for (const mark of ['\n\n', '\n']) {
    const at = window.lastIndexOf(mark)
    if (at >= half) return at + mark.length
  }
  const sentence = findLastSentenceEnd(window, half)
  if (sentence) return sentence
  const space = window.lastIndexOf(' ')
  if (space >= half) return space + 1
  return isHighSurrogate(window.charCodeAt(window.length - 1)) ? window.length - 1 : window.length
}

function findLastSentenceEnd(window: string, from: number): number | undefined {
  for (let at = window.length - 1; at > from; at -= 1) {
    const before = window.charAt(at - 1)
    if ('。！？'.includes(before)) return at
    if ('.!?…'.includes(before) && /\s/.test(window.charAt(at))) return at
  }
  return undefined
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff

const MAX_NAME_LENGTH = 300

/** Cleans a title, a heading or a person's name to one line. */
function cleanName(name: string): string {
  const line = cleanText(name.slice(0, 4 * MAX_NAME_LENGTH)).replaceAll(/\s+/gu, ' ')
  const [first = ''] = splitLongText(line, MAX_NAME_LENGTH)
  return first
}

export interface ReadFileResult {
  readonly kind: 'read'
  readonly title?: string
}

/** Reads a file in this thread. Passes its segments on in batches, in order. */
export async function readFile(
  bytes: Uint8Array,
  mediaType: string,
  limits: ReadingLimits,
  keep: (segments: readonly Segment[]) => void,
): Promise<ReadFileResult | UnreadableFile> {
  const format = findFormat(mediaType)
  if (!format) return toUnreadable(explainUnsupported(mediaType))
  const read = await format.loadReader()
  try {
    const reading = await read(bytes, limits)
    if ('kind' in reading) return reading
    return await keepSegments(reading, limits, keep)
  } catch (error) {
    // Third-party parsers throw on broken files; ours do not.
    if (!format.whenBroken) throw error
    return toUnreadable(format.whenBroken)
  }
}

async function keepSegments(
  { title, segments, whenEmpty }: OpenedDocument,
  limits: ReadingLimits,
  keep: (segments: readonly Segment[]) => void,
): Promise<ReadFileResult | UnreadableFile> {
  const collector = new SegmentCollector(limits, keep)
  // Awaiting a synchronous iterator would cost more than reading it.
  if (Symbol.iterator in segments) {
    for (const segment of segments) if (!collector.add(segment)) break
  } else {
    for await (const segment of segments) if (!collector.add(segment)) break
  }
  const tooMuch = collector.end()
  if (tooMuch) return tooMuch
  if (collector.count === 0) return toUnreadable(whenEmpty ?? 'There is no text in the file.')
  const name = title === undefined ? '' : cleanName(title)
  return { kind: 'read', ...(name ? { title: name } : {}) }
}

const BATCH_SIZE = 2_000
const MAX_KNOWN_NAMES = 1_000

/** Cleans, splits and counts segments, and passes them on in batches. */
class SegmentCollector {
  count = 0
  #characters = 0
  #batch: Segment[] = []
  readonly #limits: ReadingLimits
  readonly #keep: (segments: readonly Segment[]) => void
  /** Caches cleaned names: every message repeats the same few. */
  readonly #names = new Map<string, string>()

  constructor(limits: ReadingLimits, keep: (segments: readonly Segment[]) => void) {
    this.#limits = limits
    this.#keep = keep
  }

  /** Returns whether there is room for more. */
  add(segment: Segment): boolean {
    const place = this.#cleanPlace(segment.place)
    for (const text of splitLongText(cleanText(segment.text))) {
      this.count += 1
      this.#characters += text.length
      if (this.#checkLimits()) return false
      this.#batch.push({ text, place })
      if (this.#batch.length === BATCH_SIZE) this.#passOn()
    }
    return true
  }

  end(): UnreadableFile | undefined {
    const tooMuch = this.#checkLimits()
    if (!tooMuch) this.#passOn()
    return tooMuch
  }

  #checkLimits(): UnreadableFile | undefined {
    const { maxCharacters, maxSegments } = this.#limits
    if (this.#characters > maxCharacters) return toTooLong(maxCharacters, 'characters of text')
    if (this.count > maxSegments) return toTooLong(maxSegments, 'messages or paragraphs')
    return undefined
  }

  #passOn(): void {
    if (this.#batch.length > 0) this.#keep(this.#batch)
    this.#batch = []
  }

  #cleanPlace(place: Segment['place']): Segment['place'] {
    const { heading: rawHeading, speaker: rawSpeaker, ...rest } = place
    const heading = rawHeading && this.#cleanName(rawHeading)
    const speaker = rawSpeaker && this.#cleanName(rawSpeaker)
    return { ...rest, ...(heading ? { heading } : {}), ...(speaker ? { speaker } : {}) }
  }

  #cleanName(name: string): string {
    const cleaned = this.#names.get(name) ?? cleanName(name)
    if (this.#names.size < MAX_KNOWN_NAMES) this.#names.set(name, cleaned)
    return cleaned
  }
}

const toTooLong = (limit: number, what: string): UnreadableFile =>
  toUnreadable(`The file has more than ${limit} ${what}: split it into smaller files.`)

/** Collects all segments of a file. */
export async function collectSegments(
  mediaType: string,
  read: (keep: (segments: readonly Segment[]) => void) => Promise<ReadFileResult | UnreadableFile>,
): Promise<ExtractedText | UnreadableFile> {
  const segments: Segment[] = []
  const outcome = await read((more) => {
    for (const segment of more) segments.push(segment)
  })
  if (outcome.kind === 'unreadable') return outcome
  return { mediaType, ...(outcome.title ? { title: outcome.title } : {}), segments }
}
