/** A part of a text, from its first character to the one after its last. */
export interface TextSpan {
  readonly from: number
  readonly to: number
}

/** Splits a text into sentences, in English and German. */
export const splitSentences = (text: string): readonly string[] =>
  findSentenceSpans(text).map(({ from, to }) => text.slice(from, to))

/** Finds the sentences of a text, without the whitespace between them. Paragraphs and short lines also end a sentence. */
export function findSentenceSpans(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = []
  let from = 0
  for (const { index, 0: end } of text.matchAll(SENTENCE_END)) {
    const to = index + end.length
    if (end === '\n' ? isWrappedLine(text, index) : isAbbreviation(text, index, to)) continue
    pushTrimmed(spans, text, from, to)
    from = to
  }
  pushTrimmed(spans, text, from, text.length)
  return spans
}

const SENTENCE_END = /[.!?…]{1,10}["'”’»)\]]{0,3}(?:\s|$)|[。！？]|\n/g

/** Wrapped lines of prose are longer than this. */
const SHORTEST_WRAPPED = 50

const NEW_BLOCK = /[ \t]*(?:\n|$|[-*•>|#]|\d{1,3}[.)] )/y

/** Whether the next line continues the sentence. */
function isWrappedLine(text: string, at: number): boolean {
  NEW_BLOCK.lastIndex = at + 1
  if (NEW_BLOCK.test(text)) return false
  return at - text.lastIndexOf('\n', at - 1) > SHORTEST_WRAPPED
}

const ABBREVIATION =
  /(?:^|[^\p{L}])(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Nr|No|vs|etc|e\.g|i\.e|cf|ca|approx|z\. ?B|u\. ?a|d\. ?h|bzw|geb|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$/u

function isAbbreviation(text: string, at: number, to: number): boolean {
  if (/^\p{Ll}/u.test(text.slice(to, to + 2))) return true
  return text[at] === '.' && ABBREVIATION.test(text.slice(Math.max(0, at - 12), at + 1))
}

function pushTrimmed(spans: TextSpan[], text: string, from: number, to: number): void {
  const piece = text.slice(from, to)
  const trimmed = piece.trim()
  if (trimmed === '') return
  const start = from + piece.indexOf(trimmed)
  spans.push({ from: start, to: start + trimmed.length })
}
