/** A stretch of a text, from its first character to the one after its last. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The sentences of a text in order, without the blanks between them; a paragraph or a short line ends one too. */
export function sentencesOf(text: string): readonly Span[] {
  const spans: Span[] = []
  let from = 0
  for (const { index, 0: end } of text.matchAll(ENDS)) {
    const to = index + end.length
    if (end === '\n' ? goesOn(text, index) : isAbbreviation(text, index, to)) continue
    push(spans, text, from, to)
    from = to
  }
  push(spans, text, from, text.length)
  return spans
}

const ENDS = /[.!?…]{1,10}["'”’»)\]]{0,3}(?:\s|$)|[。！？]|\n/g

/** Lines of prose that were wrapped are at least this long. */
const WRAPPED = 50

const NEW_LINE = /[ \t]*(?:\n|$|[-*•>|#]|\d{1,3}[.)] )/y

/** Whether the line after a break goes on with the sentence before it. */
function goesOn(text: string, at: number): boolean {
  NEW_LINE.lastIndex = at + 1
  if (NEW_LINE.test(text)) return false
  return at - text.lastIndexOf('\n', at - 1) > WRAPPED
}

const ABBREVIATION =
  /(?:^|[^\p{L}])(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Nr|No|vs|etc|e\.g|i\.e|cf|ca|approx|z\. ?B|u\. ?a|d\. ?h|bzw|geb|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$/u

function isAbbreviation(text: string, at: number, to: number): boolean {
  if (/^\p{Ll}/u.test(text.slice(to, to + 2))) return true
  return text[at] === '.' && ABBREVIATION.test(text.slice(Math.max(0, at - 12), at + 1))
}

function push(spans: Span[], text: string, from: number, to: number): void {
  const piece = text.slice(from, to)
  const trimmed = piece.trim()
  if (trimmed === '') return
  const start = from + piece.indexOf(trimmed)
  spans.push({ from: start, to: start + trimmed.length })
}
