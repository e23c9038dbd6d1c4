import type { EvidenceItem } from '@parley/contracts'
import type { Clock } from '@parley/engine'
import type { RetrievalRequest, RetrievalScope } from './retrieval-scope.ts'

const MAX_ENTRIES = 1_000
const FRESH_MS = 90_000

/** Recent results. */
export interface RetrievalCache {
  find(scope: RetrievalScope, question: RetrievalRequest): readonly EvidenceItem[] | undefined
  keep(scope: RetrievalScope, question: RetrievalRequest, evidence: readonly EvidenceItem[]): void
}

/** Drops entries after 90 seconds, and the least recently used ones above the limit. */
export function createRetrievalCache(clock: Clock): RetrievalCache {
  const entries = new Map<string, { readonly evidence: readonly EvidenceItem[]; readonly until: number }>()
  return {
    find(scope, question) {
      const key = toCacheKey(scope, question)
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      if (entry.until <= clock.now()) return undefined
      entries.set(key, entry)
      return entry.evidence
    },
    keep(scope, question, evidence) {
      const key = toCacheKey(scope, question)
      entries.delete(key)
      entries.set(key, { evidence, until: clock.now() + FRESH_MS })
      const [oldest] = entries.keys()
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
    },
  }
}

/** Capabilities are part of the key, because each session or member may see different content. */
function toCacheKey(scope: RetrievalScope, { query, limit }: RetrievalRequest): string {
  const { reflectionId, audience, namespaces, publishRevision, knowledgeRevision } = scope
  return JSON.stringify([
    reflectionId,
    audience,
    scope.capability ? [...scope.capability] : null,
    namespaces?.toSorted() ?? null,
    scope.audience === 'private' ? (scope.onlyFactsOf?.toSorted() ?? null) : null,
    publishRevision,
    knowledgeRevision,
    query.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase(),
    limit,
  ])
}
