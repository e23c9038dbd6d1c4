import { stripVTControlCharacters } from 'node:util'

/** What is kept in memory of a program's output: as much of its beginning and as much of its end. */
const MOST_KEPT = 1_000_000

export interface BoundedOutput {
  readonly add: (text: string) => void
  /** What came, as plain text; says how much was left out in the middle. */
  readonly text: () => string
}

export function boundedOutput(most = MOST_KEPT): BoundedOutput {
  let head = ''
  let tail = ''
  let leftOut = 0

  return {
    add(text) {
      const room = most - head.length
      head += text.slice(0, room)
      tail += text.slice(room)
      // Cut now and then only, so that much output in small pieces costs little.
      if (tail.length > 2 * most) cut()
    },
    text() {
      if (tail.length > most) cut()
      if (leftOut === 0) return plain(head + tail)
      return `${plain(head)}\n[${leftOut} characters of the output left out here]\n${plain(tail)}`
    },
  }

  function cut(): void {
    leftOut += tail.length - most
    tail = tail.slice(-most)
  }
}

/** Without colours and whatever else moves a terminal's cursor. */
const plain = (text: string): string =>
  stripVTControlCharacters(text.toWellFormed())
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
