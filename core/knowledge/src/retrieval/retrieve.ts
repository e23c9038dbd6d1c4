import type { EvidenceItem, RetrievalResult } from '@parley/contracts'
import { type Clock, type Wait, withinDeadline } from '@parley/engine'
import type { Embedder } from '../ports/embeddings-store.ts'
import type { Retriever, SearchRequest, SearchResults, Searcher } from '../ports/retriever.ts'
import { planSearch } from './plan-search.ts'
import type { RetrievalRequest, RetrievalScope } from './retrieval-scope.ts'
import type { RetrievalCache } from './retrieval-cache.ts'

/** Time limit of a search. Then it returns the results found so far. */
export const BUDGET_MS = 700
/** A shorter limit, so a missing vector does not delay the results found by words. */
const VECTOR_MS = 600

const MAX_RESULTS = 100

export interface RetrievalHost {
  readonly wait: Wait
  /** The caller's signal. */
  readonly signal?: AbortSignal
  readonly retriever: Retriever
  /** Embeds the question, if the retriever has vectors. */
  readonly embedder?: Embedder
  /** Called with the reason if the vector search fails or is late. */
  readonly onVectorFailure?: (reason: unknown) => void
  readonly clock: Clock
  /** Remaining time, if the caller has already waited. */
  readonly budgetMs?: number
  readonly cache?: RetrievalCache
}

/** Finds the evidence for a question, best first. */
export async function retrieve(
  request: RetrievalRequest,
  scope: RetrievalScope,
  host: RetrievalHost,
): Promise<RetrievalResult> {
  const began = host.clock.now()
  const took = () => host.clock.now() - began
  const cached = host.cache?.find(scope, request)
  if (cached) return { evidence: [...cached], tookMs: took() }

  const { query, limit, isUntraced = false } = request
  const onlyFactsOf = scope.audience === 'private' ? scope.onlyFactsOf : undefined
  const plan = planSearch(query, Math.min(MAX_RESULTS, limit * 3), scope.person)
  const planned = { ...plan, isUntraced, ...(onlyFactsOf && { onlyFactsOf }) }
  const combined = await searchAllWays(planned, scope, host)
  const evidence = [...selectEvidence(combined.found, limit)]
  if (combined.isPartial) return { evidence, partial: true, tookMs: took() }
  if (!combined.isWithoutVector) host.cache?.keep(scope, request, evidence)
  return { evidence, tookMs: took() }
}

interface CombinedResults {
  readonly found: readonly EvidenceItem[]
  readonly isPartial: boolean
  /** The vector search failed or was late. */
  readonly isWithoutVector: boolean
}

async function searchAllWays(
  request: SearchRequest,
  scope: RetrievalScope,
  host: RetrievalHost,
): Promise<CombinedResults> {
  const budgetMs = Math.max(host.budgetMs ?? BUDGET_MS, 0)
  const searchWords = (signal: AbortSignal) => search(host.retriever, request, scope, signal)
  const [byWords, byVector] = await Promise.all([
    withinDeadline(searchWords, budgetMs, host.wait, host.signal),
    searchByVector(request, scope, host, Math.min(VECTOR_MS, budgetMs)),
  ])
  const isWithoutVector = byVector === 'missed'
  const near = isWithoutVector ? [] : byVector
  if (byWords === 'too late') return { found: near, isPartial: true, isWithoutVector }
  const found = isWithoutVector ? byWords.evidence : fuseResults(byWords.evidence, near)
  return { found, isPartial: byWords.isPartial, isWithoutVector }
}

/** Finds chunks with similar vectors. Returns none if vectors are not in use. */
async function searchByVector(
  { query, limit, onlyFactsOf }: SearchRequest,
  scope: RetrievalScope,
  host: RetrievalHost,
  budgetMs: number,
): Promise<readonly EvidenceItem[] | 'missed'> {
  const { embedder, retriever, signal, onVectorFailure = () => {} } = host
  const { byVector } = retriever
  if (!embedder || !byVector) return []
  const embedAndSearch = async (within: AbortSignal) => {
    const [vector] = await embedder.embed([query], within)
    if (!vector) return []
    const request = { vector, model: embedder.model, limit, onlyFactsOf }
    return (await search(byVector, request, scope, within)).evidence
  }
  try {
    const found = await withinDeadline(embedAndSearch, budgetMs, host.wait, signal)
    if (found !== 'too late') return found
    onVectorFailure(found)
  } catch (failure) {
    if (signal?.aborted) throw signal.reason
    onVectorFailure(failure)
  }
  return 'missed'
}

function search<Request>(
  searcher: Searcher<Request>,
  request: Request,
  scope: RetrievalScope,
  signal: AbortSignal,
): Promise<SearchResults> {
  return scope.audience === 'public'
    ? searcher.searchPublic(scope.capability, request, signal)
    : searcher.searchPrivate(scope.reflectionId, scope.namespaces, request, signal, scope.capability)
}

/** The same constant as in the database. */
const RANK_BASE = 60

/** Adds vector results to word results. Each adds its similarity, divided by its rank, to the score of its chunk. */
export function fuseResults(
  byWords: readonly EvidenceItem[],
  byVector: readonly EvidenceItem[],
): readonly EvidenceItem[] {
  const near = new Map(rankByVector(byVector).map((item) => [toItemKey(item), item]))
  const known = new Set(byWords.map(toItemKey))
  const both = byWords.map((item) => ({
    ...item,
    score: item.score + (near.get(toItemKey(item))?.score ?? 0),
  }))
  const others = [...near].flatMap(([key, item]) => (known.has(key) ? [] : [item]))
  return [...both, ...others]
}

function rankByVector(byVector: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const nearest = byVector.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
  return nearest.map((item, index) => ({ ...item, score: item.score / (RANK_BASE + index + 1) }))
}

const toItemKey = ({ kind, source, place, text }: EvidenceItem): string =>
  JSON.stringify([kind, source.id, place.page, place.line, place.offset, text])

/** Selects the best results, without repetitions. Limits the share of one source and of its facts if others have results. */
export function selectEvidence(found: readonly EvidenceItem[], limit: number): readonly EvidenceItem[] {
  const distinct = removeRepeats(found.toSorted((a, b) => b.score - a.score))
  const mostPerGroup = Math.max(2, Math.ceil(limit / 2))
  const taken = new Map<string, number>()
  const first: EvidenceItem[] = []
  const rest: EvidenceItem[] = []
  for (const item of distinct) {
    const groups = item.kind === 'fact' ? [item.source.id, item.kind] : [item.source.id]
    const hasRoom = groups.every((group) => (taken.get(group) ?? 0) < mostPerGroup)
    if (hasRoom) for (const group of groups) taken.set(group, (taken.get(group) ?? 0) + 1)
    if (hasRoom) first.push(item)
    else rest.push(item)
  }
  return [...first, ...rest].slice(0, limit).toSorted((a, b) => b.score - a.score)
}

function removeRepeats(items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const kept: { readonly item: EvidenceItem; readonly words: ReadonlySet<string> }[] = []
  for (const item of items) {
    const words = toWordSet(item.text)
    // A fact and its chunk are different evidence.
    const isRepeat = kept.some((other) => other.item.kind === item.kind && areAlike(other.words, words))
    if (!isRepeat) kept.push({ item, words })
  }
  return kept.map(({ item }) => item)
}

const toWordSet = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [text],
  )

/** Share of common words that makes two texts alike. */
const MIN_SHARED = 0.9

function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (Math.min(a.size, b.size) < MIN_SHARED * Math.max(a.size, b.size)) return false
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared / (a.size + b.size - shared) >= MIN_SHARED
}
