import type { Place } from '@parley/contracts'
import type { Segment } from '@parley/knowledge'
import { GROUP_LENGTH, MAX_SEGMENT_LENGTH } from '../document-reader.ts'

/** A heading at a line; `previous` if the line before is its text. */
export interface HeadingMatch {
  readonly heading: string
  readonly at: 'this' | 'previous'
}

export type FindHeading = (line: string, previous: string) => HeadingMatch | undefined

/** Groups a few paragraphs under each heading, with their first line number. */
export function* groupLines(text: string, findHeading: FindHeading, fixed: Place = {}): Generator<Segment> {
  let heading: string | undefined
  let lines: string[] = []
  let length = 0
  let firstLine = 1

  const take = (): Segment => {
    const segment = {
      text: lines.join('\n'),
      place: { ...fixed, line: firstLine, ...(heading ? { heading } : {}) },
    }
    lines = []
    length = 0
    return segment
  }

  for (const line of iterateLines(text)) {
    const match = findHeading(line.text, lines.at(-1) ?? '')
    if (match) {
      const title = match.at === 'previous' ? lines.pop() : undefined
      if (lines.length > 0) yield take()
      heading = match.heading
      firstLine = line.number
      if (title !== undefined) {
        lines.push(title)
        length = title.length
        firstLine -= 1
      }
    }
    const isBlank = line.text.trim() === ''
    if (
      lines.length > 0 &&
      (length + line.text.length > MAX_SEGMENT_LENGTH || (isBlank && length >= GROUP_LENGTH))
    )
      yield take()
    if (lines.length === 0) {
      if (isBlank) continue
      firstLine = line.number
    }
    lines.push(line.text)
    length += line.text.length + 1
  }
  if (lines.length > 0) yield take()
}

export interface NumberedLine {
  readonly number: number
  readonly text: string
}

/** Iterates over the lines of a text. */
export function* iterateLines(text: string): Generator<NumberedLine> {
  let from = 0
  for (let number = 1; from <= text.length; number += 1) {
    const end = text.indexOf('\n', from)
    yield { number, text: end === -1 ? text.slice(from) : text.slice(from, end) }
    if (end === -1) return
    from = end + 1
  }
}
