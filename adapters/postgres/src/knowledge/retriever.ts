import { createHash } from 'node:crypto'
import type { EvidenceItem, Place, SourceId } from '@parley/contracts'
import type { Found, Retriever, Search } from '@parley/knowledge'
import type { Run } from '../queries.ts'
import { codeOf } from '../server/unavailable.ts'
import type { Transact, TransactMember } from './transact.ts'

export interface RetrieverHost {
  /** As `parley_serving`. */
  readonly run: Run
  readonly transact: Transact
  /** As `parley_public`, which has no right but to search. */
  readonly transactPublic: Transact
  /** As `parley_member`, which sees what the capability's member reaches. */
  readonly transactMember: TransactMember
}

/** Less than a caller waits, so that what was found by then still reaches them. */
export const BUDGET = '600ms'
const OUT_OF_TIME = '57014'

export function postgresRetriever({
  run,
  transact,
  transactPublic,
  transactMember,
}: RetrieverHost): Retriever {
  const trace = (
    statement: typeof TRACE,
    whose: unknown,
    { query, isUntraced }: Search,
    { evidence }: Found,
    start: number,
  ) => {
    if (isUntraced) return
    const found = JSON.stringify(
      evidence.map(({ kind, source, score }) => ({ kind, source_id: source.id, score })),
    )
    // Softly: an answer is no worse for a trace that could not be kept.
    void run(statement, [whose, storable(query), found, performance.now() - start]).catch(() => {})
  }

  return {
    async searchPrivate(reflectionId, namespaces, search, signal, capability) {
      const start = performance.now()
      const names = namespaces ? [...namespaces] : null
      const look = capability ? transactMember(capability) : transact
      const rows = await unlessAborted(signal, () =>
        look(async (within) => {
          await within(SET_BUDGET, [BUDGET])
          return within<Row>(SEARCH_PRIVATE, [...valuesOf(search), reflectionId, names, unquoted(search)])
        }),
      )
      const found = toFound(rows, search.limit)
      trace(TRACE, reflectionId, search, found, start)
      return found
    },

    async searchPublic(capability, search, signal) {
      const start = performance.now()
      const rows = await unlessAborted(signal, () =>
        transactPublic(async (within) => {
          await within(SET_SCOPE, [BUDGET, Buffer.from(capability).toString('hex')])
          return within<Row>(SEARCH_PUBLIC, valuesOf(search))
        }),
      )
      const found = toFound(rows, search.limit)
      trace(TRACE_PUBLIC, createHash('sha256').update(capability).digest(), search, found, start)
      return found
    },
  }
}

type Row = ItemRow | typeof OUT_OF_TIME_ROW

export interface ItemRow {
  readonly kind: EvidenceItem['kind']
  readonly text: string
  readonly namespace: string
  readonly source_id: SourceId
  readonly title: string
  readonly place: Place
  readonly score: number
}

/** Stands in the place of what there was no time for. */
const OUT_OF_TIME_ROW = { kind: 'partial' } as const

function toFound(rows: readonly Row[], limit: number): Found {
  const items = rows.filter((row) => row.kind !== 'partial')
  const best = items.toSorted((a, b) => b.score - a.score).slice(0, limit)
  return { evidence: best.map(toEvidence), isPartial: items.length < rows.length }
}

export const toEvidence = ({
  kind,
  text,
  namespace,
  source_id,
  title,
  place,
  score,
}: ItemRow): EvidenceItem => ({
  kind,
  text,
  namespace,
  source: { id: source_id, title },
  place,
  score,
})

export const storable = (text: string) => text.replaceAll('\0', ' ')

/** Namespaces of which only facts are found. */
export const unquoted = ({ onlyFactsOf = [] }: Pick<Search, 'onlyFactsOf'>) => [...onlyFactsOf]

const valuesOf = ({ query, otherWords = [], entityKeys, limit }: Search) => [
  storable([query, ...otherWords].join(' ')),
  entityKeys.map(storable),
  limit,
]

/** Who aborts waits no longer; the statement then ends by its own budget. */
async function unlessAborted(
  signal: AbortSignal,
  work: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work(), aborted])
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (codeOf(cause) === OUT_OF_TIME) return [OUT_OF_TIME_ROW]
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

export const SET_BUDGET = { name: 'set_budget', text: `select set_config('statement_timeout', $1, true)` }

export const SET_SCOPE = {
  name: 'set_scope',
  text: `select set_config('statement_timeout', $1, true), set_config('parley.scope', $2, true)`,
}

const SEARCH_PRIVATE = {
  name: 'search_private',
  text: `with scope as materialized (
      select coalesce(array_agg(n.id), '{}') as ids,
        coalesce(array_agg(n.id) filter (where n.name <> all($6::text[])), '{}') as quotable
      from namespaces n join reflections r on r.id = n.reflection_id
      where r.id = $4 and r.removed_at is null and ($5::text[] is null or n.name = any($5))
    )
    select found.* from scope, search_knowledge(scope.ids, scope.quotable, $1, $2::text[], $3) as found`,
}

const SEARCH_PUBLIC = { name: 'search_public', text: 'select * from gate.search($1, $2::text[], $3)' }

const TRACE = {
  name: 'trace_retrieval',
  text: `insert into retrieval_traces (reflection_id, audience, query, found, took_ms)
    values ($1, 'private', $2, $3, $4)`,
}

const TRACE_PUBLIC = {
  name: 'trace_public_retrieval',
  text: `insert into retrieval_traces (reflection_id, audience, query, found, took_ms)
    select reflection_id, 'public', $2, $3, $4 from public_scopes where capability_hash = $1`,
}
