import type { EvidenceItem } from '@parley/contracts'
import { PREDICATES } from '../facts/predicates.ts'

/** An approved correction that concerns the results. */
export interface AppliedCorrection {
  /** Its text; absent where another fact has replaced it since. */
  readonly fact?: Omit<EvidenceItem, 'score'> & { readonly subject: string; readonly predicate: string }
  /** The words that it corrects, and the source that they stand in. */
  readonly struck?: { readonly sourceId: string; readonly quote: string }
  /** The question asks for the corrected fact. */
  readonly isAsked: boolean
}

/**
 * Evidence as it is told: words that were corrected are left out of the passages, and each correction stands above the
 * passages that it corrects, or above all where the question asks for it.
 */
export function applyCorrections(
  found: readonly EvidenceItem[],
  corrections: readonly AppliedCorrection[],
  query: string,
  hash: (text: string) => string,
): readonly EvidenceItem[] {
  if (corrections.length === 0) return found
  const top = Math.max(LEAST_SCORE, ...found.map(({ score }) => score))
  const told = new Map<string, EvidenceItem>()
  const tell = ({ fact }: AppliedCorrection, score: number) => {
    if (!fact) return
    const { subject, predicate, ...item } = fact
    const known = told.get(item.source.id)?.score ?? 0
    const corrects = [`${subject} ${wordsOf(predicate)}`]
    told.set(item.source.id, { ...item, corrects, score: Math.max(known, score * ABOVE) })
  }
  // Twice above: before the corrections of other words of the best passage.
  for (const one of corrections) if (one.isAsked || isNamed(one, query)) tell(one, top * ABOVE)
  const items = found.flatMap((item) => {
    const struck = corrections.filter((one) => isStruckFrom(item, one))
    for (const one of struck) tell(one, item.score)
    if (struck.length === 0) return [item]
    const text = withoutCorrected(item, struck, '')
      .replace(/[ \t]{2,}/g, ' ')
      .trim()
    return text === '' ? [] : [{ ...item, text, sha256: hash(item.text) }]
  })
  const ids = new Set([...told.keys(), ...corrections.flatMap(({ fact }) => fact?.source.id ?? [])])
  return [...told.values(), ...items.filter(({ kind, source }) => kind === 'chunk' || !ids.has(source.id))]
}

/** Stands where words were struck out of a citation. */
const STRUCK = '[corrected]'

/** So that a correction comes before what has the same score. */
const ABOVE = 1.001
/** Where nothing else was found. */
const LEAST_SCORE = 1 / 60

type Passage = Pick<EvidenceItem, 'kind' | 'source' | 'text'>

const isStruckFrom = ({ kind, source, text }: Passage, { struck }: AppliedCorrection): boolean =>
  kind === 'chunk' && struck !== undefined && struck.sourceId === source.id && text.includes(struck.quote)

/** The text of a passage with a mark in the place of the words that were corrected. */
export function withoutCorrected(
  passage: Passage,
  corrections: readonly AppliedCorrection[],
  mark = STRUCK,
): string {
  // The longest first: one quote may stand within another.
  const quotes = corrections.flatMap((one) => (isStruckFrom(passage, one) ? (one.struck?.quote ?? []) : []))
  return quotes
    .toSorted((one, other) => other.length - one.length)
    .reduce((text, quote) => strikeOut(text, quote, mark), passage.text)
}

/** Each place of the quote, up to the end of its sentence: a long sentence is quoted in part. */
function strikeOut(text: string, quote: string, mark: string): string {
  const [first = '', ...rest] = text.split(quote)
  const isWhole = END.test(quote)
  return rest.reduce(
    (before, after) => `${before}${mark}${isWhole ? after : after.replace(REST_OF_SENTENCE, '')}`,
    first,
  )
}

const END = /[.!?…]["'”’)\]]*$/
const REST_OF_SENTENCE = /^[^\n]*?(?:[.!?…]+["'”’)\]]*(?=\s|$)|(?=\n)|$)/

/** Whether a question has a telling word of the predicate: “What do you work as?” that of “works as”. */
function isNamed({ fact }: AppliedCorrection, query: string): boolean {
  const asked = new Set(stemsIn(query))
  return fact !== undefined && stemsIn(wordsOf(fact.predicate)).some((stem) => asked.has(stem))
}

const stemsIn = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{L}+/gu) ?? [])
    .filter((word) => !JOINING.has(word))
    .map((word) => word.replace(/(?:ing|ed|es|s|e)$/, ''))

/** Words of predicates that nearly any question may have. */
const JOINING = new Set('is was has as at in on to of up a no that longer not'.split(' '))

const wordsOf = (predicate: string): string =>
  Object.hasOwn(PREDICATES, predicate)
    ? PREDICATES[predicate as keyof typeof PREDICATES]
    : predicate.replaceAll('_', ' ')
