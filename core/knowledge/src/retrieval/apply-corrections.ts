import type { EvidenceItem } from '@parley/contracts'
import { PREDICATES } from '../facts/predicates.ts'

/** An approved correction that affects the results. */
export interface AppliedCorrection {
  /** The corrected fact; absent if another fact has replaced it. */
  readonly fact?: Omit<EvidenceItem, 'score'> & { readonly subject: string; readonly predicate: string }
  /** The corrected quote and its source. */
  readonly corrected?: { readonly sourceId: string; readonly quote: string }
  /** The search found the corrected fact. */
  readonly isAsked: boolean
}

/**
 * Removes corrected words from the passages. Ranks each correction above the passages that it corrects, or first if the
 * question asks for it.
 */
export function applyCorrections(
  found: readonly EvidenceItem[],
  corrections: readonly AppliedCorrection[],
  query: string,
  hash: (text: string) => string,
): readonly EvidenceItem[] {
  if (corrections.length === 0) return found
  const top = Math.max(MIN_SCORE, ...found.map(({ score }) => score))
  const added = new Map<string, EvidenceItem>()
  const add = ({ fact }: AppliedCorrection, score: number) => {
    if (!fact) return
    const { subject, predicate, ...item } = fact
    const earlier = added.get(item.source.id)?.score ?? 0
    const corrects = [`${subject} ${toPredicateWords(predicate)}`]
    added.set(item.source.id, { ...item, corrects, score: Math.max(earlier, score * RANK_FACTOR) })
  }
  // Add the factor twice, to rank it above other corrections of the best passage.
  for (const one of corrections) if (one.isAsked || isAskedFor(one, query)) add(one, top * RANK_FACTOR)
  const items = found.flatMap((item) => {
    const applied = corrections.filter((one) => isCorrectedBy(item, one))
    for (const one of applied) add(one, item.score)
    if (applied.length === 0) return [item]
    const text = replaceCorrected(item, applied, '')
      .replace(/[ \t]{2,}/g, ' ')
      .trim()
    return text === '' ? [] : [{ ...item, text, sha256: hash(item.text) }]
  })
  const ids = new Set([...added.keys(), ...corrections.flatMap(({ fact }) => fact?.source.id ?? [])])
  return [...added.values(), ...items.filter(({ kind, source }) => kind === 'chunk' || !ids.has(source.id))]
}

/** Replaces corrected words in a citation. */
const CORRECTED_MARK = '[corrected]'

/** Ranks a correction before an equal score. */
const RANK_FACTOR = 1.001
/** Score of corrections if nothing else was found. */
const MIN_SCORE = 1 / 60

type Passage = Pick<EvidenceItem, 'kind' | 'source' | 'text'>

const isCorrectedBy = ({ kind, source, text }: Passage, { corrected }: AppliedCorrection): boolean =>
  kind === 'chunk' &&
  corrected !== undefined &&
  corrected.sourceId === source.id &&
  text.includes(corrected.quote)

/** Replaces the corrected words of a passage by a mark. */
export function replaceCorrected(
  passage: Passage,
  corrections: readonly AppliedCorrection[],
  mark = CORRECTED_MARK,
): string {
  // Longest first, because one quote may contain another.
  const quotes = corrections.flatMap((one) =>
    isCorrectedBy(passage, one) ? (one.corrected?.quote ?? []) : [],
  )
  return quotes
    .toSorted((one, other) => other.length - one.length)
    .reduce((text, quote) => replaceQuote(text, quote, mark), passage.text)
}

/** Replaces each occurrence up to the end of its sentence, because long sentences are quoted in part. */
function replaceQuote(text: string, quote: string, mark: string): string {
  const [first = '', ...rest] = text.split(quote)
  const isWhole = END.test(quote)
  return rest.reduce(
    (before, after) => `${before}${mark}${isWhole ? after : after.replace(REST_OF_SENTENCE, '')}`,
    first,
  )
}

const END = /[.!?…]["'”’)\]]*$/
const REST_OF_SENTENCE = /^[^\n]*?(?:[.!?…]+["'”’)\]]*(?=\s|$)|(?=\n)|$)/

/** Whether the question contains a word of the predicate, as “What do you work as?” does for “works as”. */
function isAskedFor({ fact }: AppliedCorrection, query: string): boolean {
  const stems = new Set(findStems(query))
  return fact !== undefined && findStems(toPredicateWords(fact.predicate)).some((stem) => stems.has(stem))
}

const findStems = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{L}+/gu) ?? [])
    .filter((word) => !COMMON_WORDS.has(word))
    .map((word) => word.replace(/(?:ing|ed|es|s|e)$/, ''))

/** Words of predicates that are common in questions. */
const COMMON_WORDS = new Set('is was has as at in on to of up a no that longer not'.split(' '))

const toPredicateWords = (predicate: string): string =>
  Object.hasOwn(PREDICATES, predicate)
    ? PREDICATES[predicate as keyof typeof PREDICATES]
    : predicate.replaceAll('_', ' ')
