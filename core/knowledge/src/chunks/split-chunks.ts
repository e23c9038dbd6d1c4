import type { Place } from '@parley/contracts'
import type { Chunk, Segment } from '../ports/ingest-store.ts'
import { sentencesOf, type Span } from './sentences.ts'

/** What one message says, as a part of a chunk's text, and who wrote it. */
interface Turn extends Span {
  readonly speaker: string
}

/** A chunk whose messages are told apart: a line within a message may look like another's. */
export interface SpokenChunk extends Chunk {
  readonly turns?: readonly Turn[]
}

/** A chunk is closed once it has this many characters, at the end of a sentence. */
const ENOUGH = 900
const MOST = 1_200

/**
 * Chunks of about a paragraph's length, cut between sentences. Segments go into one chunk where they stand together: under
 * one heading, on one page, on one day. Where several speak, each line says who.
 */
export function splitChunks(segments: Iterable<Segment>): readonly SpokenChunk[] {
  const chunks: SpokenChunk[] = []
  let open: Piece[] = []
  let size = 0
  const close = () => {
    if (open.length > 0) chunks.push(chunkOf(open, chunks.length + 1))
    open = []
    size = 0
  }
  for (const segment of segments) {
    for (const piece of piecesOf(segment)) {
      const [first] = open
      if (first && (!standTogether(first.place, piece.place) || size + weightOf(piece) > MOST)) close()
      open.push(piece)
      size += weightOf(piece)
      if (size >= ENOUGH) close()
    }
  }
  close()
  return chunks
}

interface Piece {
  readonly text: string
  readonly place: Place
  /** What stands between it and the piece before. */
  readonly joint: string
}

/** The sentences of a segment, joined to no more than what a chunk holds. */
function* piecesOf({ text, place }: Segment): Generator<Piece> {
  let from = -1
  let to = -1
  let line = place.line
  let counted = 0
  let joint = place.speaker === undefined ? '\n\n' : '\n'
  const take = (): Piece => {
    if (line !== undefined) line += newlinesIn(text, counted, from)
    counted = from
    const piece = {
      text: text.slice(from, to),
      place: line === undefined ? place : { ...place, line },
      joint,
    }
    joint = jointAt(text, to)
    return piece
  }
  for (const sentence of sentencesOf(text)) {
    for (const part of partsOf(text, sentence.from, sentence.to)) {
      if (from >= 0 && part.to - from > MOST) {
        yield take()
        from = -1
      }
      if (from < 0) from = part.from
      to = part.to
      if (to - from >= ENOUGH) {
        yield take()
        from = -1
      }
    }
  }
  if (from >= 0) yield take()
}

/** A sentence that no chunk holds is cut between words, and a word that none holds between characters. */
function* partsOf(text: string, from: number, to: number): Generator<{ from: number; to: number }> {
  let start = from
  while (to - start > MOST) {
    const blank = text.slice(start, start + MOST).search(/\s\S*$/)
    const end = blank > 0 ? start + blank : start + wholeCharacters(text.slice(start, start + MOST + 60))
    if (text.slice(start, end).trim() !== '') yield { from: start, to: end }
    start = end
    while (start < to && /\s/.test(text[start] ?? '')) start += 1
  }
  if (start < to) yield { from: start, to }
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** How much of a text's beginning fits, cut between what a reader sees as characters. */
function wholeCharacters(text: string): number {
  let end = 0
  for (const { index, segment } of GRAPHEMES.segment(text)) {
    if (index + segment.length > MOST) break
    end = index + segment.length
  }
  if (end > 0) return end
  const isPair = /[\uD800-\uDBFF]/.test(text[MOST - 1] ?? '')
  return isPair ? MOST - 1 : MOST
}

function jointAt(text: string, at: number): string {
  const blank = /^\s*/.exec(text.slice(at, at + 40))?.[0] ?? ''
  if (!blank.includes('\n')) return blank === '' ? '' : ' '
  return /\n\s*\n/.test(blank) ? '\n\n' : '\n'
}

const newlinesIn = (text: string, from: number, to: number): number =>
  text.slice(from, to).split('\n').length - 1

const standTogether = (a: Place, b: Place): boolean =>
  a.heading === b.heading &&
  a.page === b.page &&
  a.date?.slice(0, 10) === b.date?.slice(0, 10) &&
  (a.speaker === undefined) === (b.speaker === undefined)

const weightOf = ({ text, joint, place }: Piece): number =>
  text.length + joint.length + (place.speaker?.length ?? 0)

function chunkOf(pieces: readonly Piece[], ordinal: number): SpokenChunk {
  const { speaker, ...place } = pieces[0]?.place ?? {}
  const isOfOne = pieces.every((piece) => piece.place.speaker === speaker)
  let text = ''
  const turns: Turn[] = []
  let before: Piece | undefined
  for (const piece of pieces) {
    const changes = !isOfOne && (before === undefined || before.place.speaker !== piece.place.speaker)
    const said = changes && piece.place.speaker !== undefined ? `${inOneLine(piece.place.speaker)}: ` : ''
    const joint = isOfOne || !before || !changes ? piece.joint : '\n'
    text += `${before ? joint : ''}${said}${piece.text}`
    if (piece.place.speaker !== undefined)
      turns.push({ from: text.length - piece.text.length, to: text.length, speaker: piece.place.speaker })
    before = piece
  }
  return {
    ordinal,
    text,
    place: isOfOne && speaker !== undefined ? { ...place, speaker } : place,
    ...(turns.length > 0 && { turns }),
  }
}

const inOneLine = (name: string): string => name.replace(/\s+/g, ' ').trim()
