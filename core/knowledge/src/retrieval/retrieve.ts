import type { EvidenceItem, Retrieved } from '@parley/contracts'
import type { Clock } from '@parley/engine'
import type { Embedder } from '../ports/embedder.ts'
import type { Found, Retriever, Search, Searcher } from '../ports/retriever.ts'
import { fuseWays } from './fuse-ways.ts'
import { planSearch } from './plan-search.ts'
import type { Question, RetrievalScope } from './question.ts'
import type { RetrievalCache } from './retrieval-cache.ts'
import { selectEvidence } from './select-evidence.ts'
import { type Patience, withinBudget } from './within-budget.ts'

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
  readonly onMissed?: (why: unknown) => void
  readonly clock: Clock
  /** What is left of the time, where whoever asks has waited already. */
  readonly budgetMs?: number
  readonly cache?: RetrievalCache
}

/** The evidence for a question, the best first. */
export async function retrieve(
  question: Question,
  scope: RetrievalScope,
  host: RetrievalHost,
): Promise<Retrieved> {
  const began = host.clock.now()
  const took = () => host.clock.now() - began
  const kept = host.cache?.find(scope, question)
  if (kept) return { evidence: [...kept], tookMs: took() }

  const { query, limit, isUntraced = false } = question
  const onlyFactsOf = scope.audience === 'private' ? scope.onlyFactsOf : undefined
  const planned = planSearch(query, Math.min(MOST_FOUND, limit * 3), scope.whose)
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

async function lookAllWays(search: Search, scope: RetrievalScope, host: RetrievalHost): Promise<Looked> {
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
  { query, limit, onlyFactsOf }: Search,
  scope: RetrievalScope,
  host: RetrievalHost,
  budgetMs: number,
): Promise<readonly EvidenceItem[] | 'missed'> {
  const { embedder, retriever, signal, onMissed = () => {} } = host
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
    onMissed(found)
  } catch (failure) {
    if (signal?.aborted) throw signal.reason
    onMissed(failure)
  }
  return 'missed'
}

function lookThrough<Sought>(
  searcher: Searcher<Sought>,
  sought: Sought,
  scope: RetrievalScope,
  signal: AbortSignal,
): Promise<Found> {
  return scope.audience === 'public'
    ? searcher.searchPublic(scope.capability, sought, signal)
    : searcher.searchPrivate(scope.reflectionId, scope.namespaces, sought, signal, scope.capability)
}
