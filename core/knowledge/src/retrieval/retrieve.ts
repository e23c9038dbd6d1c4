import type { EvidenceItem, Retrieved } from '@parley/contracts'
import type { Clock } from '@parley/engine'
import type { Retriever, Search } from '../ports/retriever.ts'
import { planSearch } from './plan-search.ts'
import type { Question, RetrievalScope } from './question.ts'
import type { RetrievalCache } from './retrieval-cache.ts'
import { selectEvidence } from './select-evidence.ts'

/** How long an answer may take before it is given with what there is. */
const BUDGET_MS = 700

const MOST_FOUND = 100

/** What a retriever found; marked by it where its time was up before all was looked through. */
type Found = readonly EvidenceItem[] & { readonly isPartial?: true }

export interface RetrievalHost {
  readonly retriever: Retriever
  readonly clock: Clock
  /** Resolves after so many milliseconds, or once the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly cache?: RetrievalCache
  /** Of who asks. */
  readonly signal?: AbortSignal
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

  const search = planSearch(question.query, Math.min(MOST_FOUND, question.limit * 3))
  const found = await withinBudget((signal) => searched(search, scope, host.retriever, signal), host)
  if (found === 'too late') return { evidence: [], partial: true, tookMs: took() }
  const evidence = [...selectEvidence(found, question.limit)]
  if (found.isPartial) return { evidence, partial: true, tookMs: took() }
  host.cache?.keep(scope, question, evidence)
  return { evidence, tookMs: took() }
}

function searched(search: Search, scope: RetrievalScope, retriever: Retriever, signal: AbortSignal) {
  return scope.audience === 'public'
    ? retriever.searchPublic(scope.capability, search, signal)
    : retriever.searchPrivate(scope.reflectionId, scope.namespaces, search, signal)
}

async function withinBudget(
  look: (signal: AbortSignal) => Promise<Found>,
  { wait, signal }: RetrievalHost,
): Promise<Found | 'too late'> {
  const looking = new AbortController()
  const waiting = new AbortController()
  const giveUp = () => {
    looking.abort(signal?.reason)
    waiting.abort()
  }
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted) giveUp()
  const lateness = wait(BUDGET_MS, waiting.signal).then(tooLate, tooLate)
  try {
    const found = await Promise.race([untilAborted(look(looking.signal), looking.signal), lateness])
    if (signal?.aborted) throw signal.reason
    return found
  } finally {
    // What is still looked for then is of no use to anybody.
    looking.abort('too late')
    waiting.abort()
    signal?.removeEventListener('abort', giveUp)
  }
}

const tooLate = () => 'too late' as const

/** A search that was given up may fail however it likes. */
async function untilAborted(found: Promise<Found>, signal: AbortSignal): Promise<Found | 'too late'> {
  try {
    return await found
  } catch (failure) {
    if (signal.aborted) return 'too late'
    throw failure
  }
}
