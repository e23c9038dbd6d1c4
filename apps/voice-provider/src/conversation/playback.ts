/** A sentence, with when it sounds at the client's, as far as that can be known from here. */
export interface SpokenPiece {
  /** As it stands in the answer: all pieces together are its text. */
  readonly written: string
  readonly startsAt: number
  readonly endsAt: number
}

/** What of an answer was heard by now: whole sentences, and of the one that sounds as many words as its time allows. */
export const heardBy = (pieces: readonly SpokenPiece[], now: number): string =>
  pieces
    .map((piece) => heardOf(piece, now))
    .join('')
    .trimEnd()

function heardOf({ written, startsAt, endsAt }: SpokenPiece, now: number): string {
  if (now >= endsAt) return written
  if (now <= startsAt) return ''
  const reached = written.slice(0, Math.floor(((now - startsAt) / (endsAt - startsAt)) * written.length))
  // A word that was begun was not heard.
  return /\S/.test(written.charAt(reached.length)) ? reached.replace(/\S+$/, '') : reached
}
