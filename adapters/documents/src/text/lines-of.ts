export interface Line {
  readonly number: number
  readonly text: string
}

/** The lines of a text, one at a time. */
export function* linesOf(text: string): Generator<Line> {
  let from = 0
  for (let number = 1; from <= text.length; number += 1) {
    const end = text.indexOf('\n', from)
    yield { number, text: end === -1 ? text.slice(from) : text.slice(from, end) }
    if (end === -1) return
    from = end + 1
  }
}
