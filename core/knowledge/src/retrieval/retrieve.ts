import type { EvidenceItem, Retrieved } from '@parley/contracts'
import type { Clock } from '@parley/engine'
import type { Embedder } from '../ports/embeddings-store.ts'
import type { SearchResults, Retriever, SearchRequest, Searcher } from '../ports/retriever.ts'
import { planSearch } from './plan-search.ts'
import type { RetrievalRequest, RetrievalScope } from './question.ts'
import type { RetrievalCache } from './retrieval-cache.ts'

/** How long an answer may take before it is given with what there is. */
export const BUDGET_MS = 700
/** Less, so that an answer by words alone is not late for a vector that does not come. */
const VECTOR_MS = 600

const MOST_FOUND = 100

export interface RetrievalHost extends Patience {
  readonly retriever: Retriever
  /** Makes a vector of the question, where the retriever has others to hold it against. */
  readonly embedder?: Embedder
  /** Told why a question was answered by words alone though it has an embedder. */
  readonly onVectorFailure?: (why: unknown) => void
  readonly clock: Clock
  /** The time left, if the caller has waited already. */
  readonly budgetMs?: number
  readonly cache?: RetrievalCache
}

/** The evidence for a question, the best first. */
export async function retrieve(
  question: RetrievalRequest,
  scope: RetrievalScope,
  host: RetrievalHost,
): Promise<Retrieved> {
  const began = host.clock.now()
  const took = () => host.clock.now() - began
  const kept = host.cache?.find(scope, question)
  if (kept) return { evidence: [...kept], tookMs: took() }

  const { query, limit, isUntraced = false } = question
  const onlyFactsOf = scope.audience === 'private' ? scope.onlyFactsOf : undefined
  const planned = planSearch(query, Math.min(MOST_FOUND, limit * 3), scope.person)
  const search = { ...planned, isUntraced, ...(onlyFactsOf && { onlyFactsOf }) }
  const looked = await lookAllWays(search, scope, host)
  const evidence = [...selectEvidence(looked.found, limit)]
  if (looked.isPartial) return { evidence, partial: true, tookMs: took() }
  if (!looked.isWithoutVector) host.cache?.keep(scope, question, evidence)
  return { evidence, tookMs: took() }
}

interface Looked {
  readonly found: readonly EvidenceItem[]
  readonly isPartial: boolean
  /** There could have been more by vector, which failed or did not come in time. */
  readonly isWithoutVector: boolean
}

async function lookAllWays(search: SearchRequest, scope: RetrievalScope, host: RetrievalHost): Promise<Looked> {
  const budgetMs = Math.max(host.budgetMs ?? BUDGET_MS, 0)
  const byWordsIn = (signal: AbortSignal) => lookThrough(host.retriever, search, scope, signal)
  const [byWords, byVector] = await Promise.all([
    withinBudget(byWordsIn, budgetMs, host),
    lookNearby(search, scope, host, Math.min(VECTOR_MS, budgetMs)),
  ])
  const isWithoutVector = byVector === 'missed'
  const near = isWithoutVector ? [] : byVector
  // What one way has found is not held back for the other.
  if (byWords === 'too late') return { found: near, isPartial: true, isWithoutVector }
  const found = isWithoutVector ? byWords.evidence : fuseWays(byWords.evidence, near)
  return { found, isPartial: byWords.isPartial, isWithoutVector }
}

/** What lies near the question as a vector; nothing where vectors are not in use. */
async function lookNearby(
  { query, limit, onlyFactsOf }: SearchRequest,
  scope: RetrievalScope,
  host: RetrievalHost,
  budgetMs: number,
): Promise<readonly EvidenceItem[] | 'missed'> {
  const { embedder, retriever, signal, onVectorFailure = () => {} } = host
  const { byVector } = retriever
  if (!embedder || !byVector) return []
  const look = async (within: AbortSignal) => {
    const [vector] = await embedder.embed([query], within)
    if (!vector) return []
    const sought = { vector, model: embedder.model, limit, onlyFactsOf }
    return (await lookThrough(byVector, sought, scope, within)).evidence
  }
  try {
    const found = await withinBudget(look, budgetMs, host)
    if (found !== 'too late') return found
    onVectorFailure(found)
  } catch (failure) {
    if (signal?.aborted) throw signal.reason
    onVectorFailure(failure)
  }
  return 'missed'
}

function lookThrough<Sought>(
  searcher: Searcher<Sought>,
  sought: Sought,
  scope: RetrievalScope,
  signal: AbortSignal,
): Promise<SearchResults> {
  return scope.audience === 'public'
    ? searcher.searchPublic(scope.capability, sought, signal)
    : searcher.searchPrivate(scope.reflectionId, scope.namespaces, sought, signal, scope.capability)
}

/** As the ways within the database are fused. */
const RANK_BASE = 60

/**
 * What was found by words and facts, with what lies near as a vector: by reciprocal rank, the nearer the more, near
 * chunks add to what their words gave them. Where nothing lies near, all stays as it was.
 */
export function fuseWays(
  byWords: readonly EvidenceItem[],
  byVector: readonly EvidenceItem[],
): readonly EvidenceItem[] {
  const near = new Map(ranked(byVector).map((item) => [keyOf(item), item]))
  const known = new Set(byWords.map(keyOf))
  const both = byWords.map((item) => ({ ...item, score: item.score + (near.get(keyOf(item))?.score ?? 0) }))
  const others = [...near].flatMap(([key, item]) => (known.has(key) ? [] : [item]))
  return [...both, ...others]
}

function ranked(byVector: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const nearest = byVector.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
  return nearest.map((item, index) => ({ ...item, score: item.score / (RANK_BASE + index + 1) }))
}

const keyOf = ({ kind, source, place, text }: EvidenceItem): string =>
  JSON.stringify([kind, source.id, place.page, place.line, place.offset, text])

interface Patience {
  /** Resolves after so many milliseconds, or once the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Of who asks. */
  readonly signal?: AbortSignal
}

/** What was looked for, unless the time is up first. Throws the reason of who asks, where they no longer do. */
export async function withinBudget<Outcome>(
  look: (signal: AbortSignal) => Promise<Outcome>,
  budgetMs: number,
  { wait, signal }: Patience,
): Promise<Outcome | 'too late'> {
  const looking = new AbortController()
  const waiting = new AbortController()
  const giveUp = () => {
    looking.abort(signal?.reason)
    waiting.abort()
  }
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted) giveUp()
  const lateness = wait(budgetMs, waiting.signal).then(tooLate, tooLate)
  try {
    const found = await Promise.race([untilAborted(look(looking.signal), looking.signal), lateness])
    if (signal?.aborted) throw signal.reason
    return found
  } finally {
    // Later results are of no use to anybody.
    looking.abort('too late')
    waiting.abort()
    signal?.removeEventListener('abort', giveUp)
  }
}

const tooLate = () => 'too late' as const

/** A search that was given up may fail however it likes. */
async function untilAborted<Outcome>(
  outcome: Promise<Outcome>,
  signal: AbortSignal,
): Promise<Outcome | 'too late'> {
  try {
    return await outcome
  } catch (failure) {
    if (signal.aborted) return 'too late'
    throw failure
  }
}

/**
 * The best of what was found: nothing twice, and not all of it from one source, or facts alone, while others have
 * something to say.
 */
export function selectEvidence(found: readonly EvidenceItem[], limit: number): readonly EvidenceItem[] {
  const distinct = withoutRepeats(found.toSorted((a, b) => b.score - a.score))
  const mostOfOne = Math.max(2, Math.ceil(limit / 2))
  const taken = new Map<string, number>()
  const first: EvidenceItem[] = []
  const rest: EvidenceItem[] = []
  for (const item of distinct) {
    const crowds = item.kind === 'fact' ? [item.source.id, item.kind] : [item.source.id]
    const hasRoom = crowds.every((crowd) => (taken.get(crowd) ?? 0) < mostOfOne)
    if (hasRoom) for (const crowd of crowds) taken.set(crowd, (taken.get(crowd) ?? 0) + 1)
    if (hasRoom) first.push(item)
    else rest.push(item)
  }
  return [...first, ...rest].slice(0, limit).toSorted((a, b) => b.score - a.score)
}

function withoutRepeats(items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const kept: { readonly item: EvidenceItem; readonly words: ReadonlySet<string> }[] = []
  for (const item of items) {
    const words = wordsOf(item.text)
    // A fact and its chunk point to different places.
    const isRepeat = kept.some((other) => other.item.kind === item.kind && areAlike(other.words, words))
    if (!isRepeat) kept.push({ item, words })
  }
  return kept.map(({ item }) => item)
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [text],
  )

/** How much of all their words two texts have to share. */
const ALIKE = 0.9

function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (Math.min(a.size, b.size) < ALIKE * Math.max(a.size, b.size)) return false
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared / (a.size + b.size - shared) >= ALIKE
}
