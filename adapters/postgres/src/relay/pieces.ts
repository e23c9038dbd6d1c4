/** A notice has fewer than 8,000 bytes, with its head. */
const PIECE = 7_000

/** What a process may say at once; more is left to the store. */
const MOST_PIECES = 400

/** Undefined where it is too much. */
export function split(text: string): readonly string[] | undefined {
  const count = Math.max(1, Math.ceil(text.length / PIECE))
  if (count > MOST_PIECES) return undefined
  return Array.from({ length: count }, (_, index) => text.slice(index * PIECE, (index + 1) * PIECE))
}

export interface Piece {
  readonly counter: number
  readonly index: number
  readonly count: number
  readonly text: string
}

/** Puts the pieces of one sender together; what does not follow on is let go. */
export function createAssembler() {
  let counter = 0
  let pieces: string[] = []
  return (piece: Piece): string | undefined => {
    if (piece.index === 0) {
      counter = piece.counter
      pieces = []
    }
    const follows = piece.counter === counter && piece.index === pieces.length && piece.count <= MOST_PIECES
    if (!follows) return undefined
    pieces.push(piece.text)
    if (pieces.length < piece.count) return undefined
    const whole = pieces.join('')
    pieces = []
    return whole
  }
}
