import type { EvidenceItem } from '@parley/contracts'
import { PREDICATES } from '../facts/predicates.ts'

/** An approved correction, as far as it concerns what was found. */
export interface AppliedCorrection {
  /** What it says; absent where another fact has taken its place since. */
  readonly fact?: Omit<EvidenceItem, 'score'> & { readonly subject: string; readonly predicate: string }
  /** The words that it corrects, and the source that they stand in. */
  readonly struck?: { readonly sourceId: string; readonly quote: string }
  /** The question asks for what it corrects. */
  readonly isAsked: boolean
}

/**
 * Evidence as it is told: words that were corrected are struck out of the passages, and each correction stands above the
 * passages that it corrects, or above all where the question asks for it.
 */
export function applyCorrections(
  found: readonly EvidenceItem[],
  corrections: readonly AppliedCorrection[],
  hash: (text: string) => string,
): readonly EvidenceItem[] {
  if (corrections.length === 0) return found
  const top = Math.max(LEAST_SCORE, ...found.map(({ score }) => score))
  const told = new Map<string, EvidenceItem>()
  const tell = ({ fact }: AppliedCorrection, score: number) => {
    if (!fact) return
    const { subject, predicate, ...item } = fact
    const known = told.get(item.source.id)?.score ?? 0
    const corrects = `${subject} ${wordsOf(predicate)}`
    told.set(item.source.id, { ...item, corrects, score: Math.max(known, score * ABOVE) })
  }
  for (const correction of corrections) if (correction.isAsked) tell(correction, top)
  const items = found.map((item) => {
    const struck = corrections.filter((one) => isStruckFrom(item, one))
    for (const one of struck) tell(one, item.score)
    if (struck.length === 0) return item
    return { ...item, text: withoutCorrected(item, struck), sha256: hash(item.text) }
  })
  const ids = new Set([...told.keys(), ...corrections.flatMap(({ fact }) => fact?.source.id ?? [])])
  return [...told.values(), ...items.filter(({ kind, source }) => kind === 'chunk' || !ids.has(source.id))]
}

/** What stands where words were struck out. */
export const STRUCK = '[corrected]'

/** So that a correction comes before what has the same score. */
const ABOVE = 1.001
/** Where nothing else was found. */
const LEAST_SCORE = 1 / 60

type Passage = Pick<EvidenceItem, 'kind' | 'source' | 'text'>

const isStruckFrom = ({ kind, source, text }: Passage, { struck }: AppliedCorrection): boolean =>
  kind === 'chunk' && struck !== undefined && struck.sourceId === source.id && text.includes(struck.quote)

/** The text of a passage without the words that were corrected. */
export function withoutCorrected(passage: Passage, corrections: readonly AppliedCorrection[]): string {
  // The longest first: one quote may stand within another.
  const quotes = corrections.flatMap((one) => (isStruckFrom(passage, one) ? (one.struck?.quote ?? []) : []))
  return quotes.toSorted((one, other) => other.length - one.length).reduce(strikeOut, passage.text)
}

/** Each place of the quote, up to the end of its sentence: a long sentence is quoted in part. */
function strikeOut(text: string, quote: string): string {
  const [first = '', ...rest] = text.split(quote)
  const isWhole = END.test(quote)
  return rest.reduce(
    (before, after) => `${before}${STRUCK}${isWhole ? after : after.replace(REST_OF_SENTENCE, '')}`,
    first,
  )
}

const END = /[.!?…]["'”’)\]]*$/
const REST_OF_SENTENCE = /^[^\n]*?(?:[.!?…]+["'”’)\]]*(?=\s|$)|(?=\n)|$)/

const wordsOf = (predicate: string): string =>
  Object.hasOwn(PREDICATES, predicate)
    ? PREDICATES[predicate as keyof typeof PREDICATES]
    : predicate.replaceAll('_', ' ')
