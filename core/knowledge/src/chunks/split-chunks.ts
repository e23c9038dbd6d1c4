import { type Place, type TextSpan, findSentenceSpans } from '@parley/contracts'
import type { Chunk, Segment } from '../ports/ingest-store.ts'

/** One message within a chunk's text, and its author. */
interface SpeakerTurn extends TextSpan {
  readonly speaker: string
}

/** A chunk with the spans of its messages, because a line within a message may look like a new message. */
export interface SpokenChunk extends Chunk {
  readonly turns?: readonly SpeakerTurn[]
}

/** A chunk ends with the first sentence that reaches this length. */
const MIN_CHARACTERS = 900
const MAX_CHARACTERS = 1_200

/**
 * Splits segments into chunks of about a paragraph, between sentences. A chunk never spans two headings, pages or days.
 * If a chunk has several speakers, each turn starts with the speaker's name.
 */
export function splitChunks(segments: Iterable<Segment>): readonly SpokenChunk[] {
  const chunks: SpokenChunk[] = []
  let open: ChunkPiece[] = []
  let size = 0
  const close = () => {
    if (open.length > 0) chunks.push(joinPieces(open, chunks.length + 1))
    open = []
    size = 0
  }
  for (const segment of segments) {
    for (const piece of splitSegment(segment)) {
      const [first] = open
      if (
        first &&
        (!belongTogether(first.place, piece.place) || size + countCharacters(piece) > MAX_CHARACTERS)
      )
        close()
      open.push(piece)
      size += countCharacters(piece)
      if (size >= MIN_CHARACTERS) close()
    }
  }
  close()
  return chunks
}

interface ChunkPiece {
  readonly text: string
  readonly place: Place
  /** Text between the previous piece and this one. */
  readonly separator: string
}

/** Joins the sentences of a segment into pieces of at most one chunk. */
function* splitSegment({ text, place }: Segment): Generator<ChunkPiece> {
  let from = -1
  let to = -1
  let line = place.line
  let counted = 0
  let separator = place.speaker === undefined ? '\n\n' : '\n'
  const take = (): ChunkPiece => {
    if (line !== undefined) line += countNewlines(text, counted, from)
    counted = from
    const piece = {
      text: text.slice(from, to),
      place: line === undefined ? place : { ...place, line },
      separator,
    }
    separator = findSeparator(text, to)
    return piece
  }
  for (const sentence of findSentenceSpans(text)) {
    for (const part of splitLongSentence(text, sentence.from, sentence.to)) {
      if (from >= 0 && part.to - from > MAX_CHARACTERS) {
        yield take()
        from = -1
      }
      if (from < 0) from = part.from
      to = part.to
      if (to - from >= MIN_CHARACTERS) {
        yield take()
        from = -1
      }
    }
  }
  if (from >= 0) yield take()
}

/** Splits a sentence that is longer than a chunk between words, and a longer word between characters. */
function* splitLongSentence(text: string, from: number, to: number): Generator<TextSpan> {
  let start = from
  while (to - start > MAX_CHARACTERS) {
    const blank = text.slice(start, start + MAX_CHARACTERS).search(/\s\S*$/)
    const end =
      blank > 0 ? start + blank : start + countWholeCharacters(text.slice(start, start + MAX_CHARACTERS + 60))
    if (text.slice(start, end).trim() !== '') yield { from: start, to: end }
    start = end
    while (start < to && /\s/.test(text[start] ?? '')) start += 1
  }
  if (start < to) yield { from: start, to }
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The length of the start of a text that fits a chunk, without splitting a grapheme. */
function countWholeCharacters(text: string): number {
  let end = 0
  for (const { index, segment } of GRAPHEMES.segment(text)) {
    if (index + segment.length > MAX_CHARACTERS) break
    end = index + segment.length
  }
  if (end > 0) return end
  const isPair = /[\uD800-\uDBFF]/.test(text[MAX_CHARACTERS - 1] ?? '')
  return isPair ? MAX_CHARACTERS - 1 : MAX_CHARACTERS
}

function findSeparator(text: string, at: number): string {
  const blank = /^\s*/.exec(text.slice(at, at + 40))?.[0] ?? ''
  if (!blank.includes('\n')) return blank === '' ? '' : ' '
  return /\n\s*\n/.test(blank) ? '\n\n' : '\n'
}

const countNewlines = (text: string, from: number, to: number): number =>
  text.slice(from, to).split('\n').length - 1

const belongTogether = (a: Place, b: Place): boolean =>
  a.heading === b.heading &&
  a.page === b.page &&
  a.date?.slice(0, 10) === b.date?.slice(0, 10) &&
  (a.speaker === undefined) === (b.speaker === undefined)

const countCharacters = ({ text, separator, place }: ChunkPiece): number =>
  text.length + separator.length + (place.speaker?.length ?? 0)

function joinPieces(pieces: readonly ChunkPiece[], ordinal: number): SpokenChunk {
  const { speaker, ...place } = pieces[0]?.place ?? {}
  const hasOneSpeaker = pieces.every((piece) => piece.place.speaker === speaker)
  let text = ''
  const turns: SpeakerTurn[] = []
  let previous: ChunkPiece | undefined
  for (const piece of pieces) {
    const isNewSpeaker =
      !hasOneSpeaker && (previous === undefined || previous.place.speaker !== piece.place.speaker)
    const label =
      isNewSpeaker && piece.place.speaker !== undefined ? `${toOneLine(piece.place.speaker)}: ` : ''
    const separator = hasOneSpeaker || !previous || !isNewSpeaker ? piece.separator : '\n'
    text += `${previous ? separator : ''}${label}${piece.text}`
    if (piece.place.speaker !== undefined)
      turns.push({ from: text.length - piece.text.length, to: text.length, speaker: piece.place.speaker })
    previous = piece
  }
  return {
    ordinal,
    text,
    place: hasOneSpeaker && speaker !== undefined ? { ...place, speaker } : place,
    ...(turns.length > 0 && { turns }),
  }
}

const toOneLine = (name: string): string => name.replace(/\s+/g, ' ').trim()
