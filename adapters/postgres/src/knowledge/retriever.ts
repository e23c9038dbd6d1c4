import type { Audience } from '@parley/contracts'
import { waitUnlessAborted } from '@parley/engine'
import type { Retriever, SearchRequest, SearchResults } from '@parley/knowledge'
import { getErrorCode } from '../login/database-error.ts'
import { computeSha256 } from '../hashes.ts'
import type { Run } from '../run-statements.ts'
import { type SqlStatement, statement } from '../statement.ts'
import {
  type ItemRow,
  type SearchHost,
  type SearchedContent,
  createScopedSearch,
  toEvidence,
  toQueryText,
} from './scoped-search.ts'

export interface RetrieverHost extends SearchHost {
  readonly run: Run
}

export function postgresRetriever({ run, ...host }: RetrieverHost): Retriever {
  const searchInScope = createScopedSearch(host)

  const search = async (
    scope: SearchedContent,
    request: SearchRequest,
    signal: AbortSignal,
  ): Promise<SearchResults> => {
    const start = performance.now()
    const { query, limit, isUntraced } = request
    signal.throwIfAborted()
    // An abort ends the wait; the statement ends by its own timeout.
    const found = await waitUnlessAborted(
      searchInScope<WordSearchRow>(scope, { statements: SEARCH, values: toSearchValues(request), query }),
      signal,
    ).catch(toPartialResults)
    const items = found.rows.filter((row) => row.kind !== 'partial')
    const best = items.toSorted((a, b) => b.score - a.score).slice(0, limit)
    const evidence = toEvidence(best, found.corrections, query)
    if (!isUntraced) {
      const owner = scope.audience === 'private' ? scope.reflectionId : computeSha256(scope.capability)
      const references = JSON.stringify(
        evidence.map(({ kind, source, score }) => ({ kind, source_id: source.id, score })),
      )
      const values = [owner, toQueryText(query), references, performance.now() - start]
      // A failed trace does not fail the search.
      void run(TRACE[scope.audience], values).catch(() => {})
    }
    return { evidence, isPartial: items.length < found.rows.length }
  }

  return {
    searchPrivate: (reflectionId, namespaces, request, signal, capability) =>
      search(
        { audience: 'private', reflectionId, namespaces, capability, onlyFactsOf: request.onlyFactsOf },
        request,
        signal,
      ),

    searchPublic: (capability, request, signal) =>
      search({ audience: 'public', capability }, request, signal),
  }
}

type WordSearchRow = ItemRow | typeof OUT_OF_TIME_ROW

/** Replaces the results that there was no time for. */
const OUT_OF_TIME_ROW = { kind: 'partial' } as const

const STATEMENT_CANCELLED = '57014'

function toPartialResults(error: unknown): { rows: readonly WordSearchRow[]; corrections: readonly [] } {
  const cause = error instanceof Error ? error.cause : undefined
  if (getErrorCode(cause) === STATEMENT_CANCELLED) return { rows: [OUT_OF_TIME_ROW], corrections: [] }
  throw error
}

const toSearchValues = ({ query, otherWords = [], entityKeys, limit }: SearchRequest) =>
  [toQueryText([query, ...otherWords].join(' ')), entityKeys.map(toQueryText), limit] as const

const SEARCH: Readonly<Record<Audience, SqlStatement>> = {
  private: statement(`with scope as materialized (
    select coalesce(array_agg(n.id), '{}') as ids,
      coalesce(array_agg(n.id) filter (where n.name <> all($6::text[])), '{}') as quotable
    from namespaces n join reflections r on r.id = n.reflection_id
    where r.id = $4 and r.removed_at is null and ($5::text[] is null or n.name = any($5))
  )
  select found.* from scope, search_knowledge(scope.ids, scope.quotable, $1, $2::text[], $3) as found`),
  public: statement('select * from gate.search($1, $2::text[], $3)'),
}

const TRACE: Readonly<Record<Audience, SqlStatement>> = {
  private: statement(`insert into retrieval_traces (reflection_id, audience, query, found, took_ms)
  values ($1, 'private', $2, $3, $4)`),
  public: statement(`insert into retrieval_traces (reflection_id, audience, query, found, took_ms)
  select reflection_id, 'public', $2, $3, $4 from public_scopes where capability_hash = $1`),
}
