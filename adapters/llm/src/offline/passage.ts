/** A sentence or line that may be quoted, with where it stands. */
export interface Passage {
  readonly text: string
  readonly from: {
    readonly kind: 'file' | 'said' | 'result' | 'prompt'
    /** Undefined where it has no name that means something to the person. */
    readonly label: string | undefined
  }
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** A list entry or heading is a line of its own; running text is cut into sentences. */
export function passagesOf(
  text: string,
  kind: Passage['from']['kind'],
  label: string | undefined,
): readonly Passage[] {
  const from = { kind, label }
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)]|#{1,6})\s)/)
    .map((block) =>
      block
        .replace(/^\s*(?:[-*+•]|\d+[.)]|#{1,6})\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((block) => [...SENTENCES.segment(block)].map(({ segment }) => segment.trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .map((sentence) => ({ text: sentence, from }))
}
