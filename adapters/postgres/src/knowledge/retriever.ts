import { createHash } from 'node:crypto'
import type { EvidenceItem, Place, SourceId } from '@parley/contracts'
import {
  type AppliedCorrection,
  type SearchResults,
  type Retriever,
  type SearchRequest,
  applyCorrections,
} from '@parley/knowledge'
import { codeOf } from '../login/database-error.ts'
import type { Run, Transact, TransactMember } from '../run-statements.ts'
import { statement } from '../statement.ts'

export interface RetrieverHost {
  /** As `parley_serving`. */
  readonly run: Run
  readonly transact: Transact
  /** As `parley_public`, which may only search. */
  readonly transactPublic: Transact
  /** As `parley_member`, which sees the namespaces of the capability's member. */
  readonly transactMember: TransactMember
}

/** Less than the caller's timeout, so that partial results still reach it. */
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
    { query, isUntraced }: SearchRequest,
    { evidence }: SearchResults,
    start: number,
  ) => {
    if (isUntraced) return
    const found = JSON.stringify(
      evidence.map(({ kind, source, score }) => ({ kind, source_id: source.id, score })),
    )
    // A failed trace does not fail the search.
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
          const values = [...valuesOf(search), reflectionId, names, unquoted(search)]
          const found = await within<Row>(SEARCH_PRIVATE, values)
          return withCorrections(found, search.query, (...asked) =>
            within(CORRECTIONS_PRIVATE, [...asked, reflectionId, names]),
          )
        }),
      )
      const found = toFound(rows, search)
      trace(TRACE, reflectionId, search, found, start)
      return found
    },

    async searchPublic(capability, search, signal) {
      const start = performance.now()
      const rows = await unlessAborted(signal, () =>
        transactPublic(async (within) => {
          await within(SET_SCOPE, [BUDGET, Buffer.from(capability).toString('hex')])
          const found = await within<Row>(SEARCH_PUBLIC, valuesOf(search))
          return withCorrections(found, search.query, (...asked) => within(CORRECTIONS_PUBLIC, asked))
        }),
      )
      const found = toFound(rows, search)
      trace(TRACE_PUBLIC, createHash('sha256').update(capability).digest(), search, found, start)
      return found
    },
  }
}

type Row = ItemRow | CorrectionRow | typeof OUT_OF_TIME_ROW

export interface ItemRow {
  readonly kind: EvidenceItem['kind']
  readonly text: string
  readonly namespace: string
  readonly source_id: SourceId
  readonly title: string
  readonly place: Place
  readonly score: number
}

/** An approved correction of the results; if it was replaced, only the corrected quote is set. */
export interface CorrectionRow {
  readonly kind: 'correction'
  readonly text: string | null
  readonly namespace: string
  readonly source_id: SourceId
  readonly title: string
  readonly place: {
    readonly place: Place
    readonly subject: string
    readonly predicate: string
    readonly correctedSource: SourceId | null
    readonly quote: string | null
    readonly isAsked: boolean
  }
}

/** Replaces the results that there was no time for. */
const OUT_OF_TIME_ROW = { kind: 'partial' } as const

/** Adds the corrections of the results. Partial results have no passages to correct. */
export async function withCorrections<Some extends Row>(
  found: readonly Some[],
  query: string,
  ask: (query: string, sourceIds: readonly string[]) => Promise<readonly CorrectionRow[]>,
): Promise<readonly (Some | CorrectionRow)[]> {
  if (found.some(({ kind }) => kind === 'partial')) return found
  const sources = found.flatMap((row) => (row.kind === 'chunk' ? [row.source_id] : []))
  return [...found, ...(await ask(storable(query), [...new Set(sources)]))]
}

function toFound(rows: readonly Row[], { query, limit }: SearchRequest): SearchResults {
  const items = rows.filter((row) => row.kind !== 'partial' && row.kind !== 'correction')
  const best = items.toSorted((a, b) => b.score - a.score).slice(0, limit)
  return { evidence: corrected(best, rows, query), isPartial: rows.some(({ kind }) => kind === 'partial') }
}

/** The results, with the corrections among the rows applied. */
export function corrected(
  items: readonly ItemRow[],
  rows: readonly Row[],
  query: string,
): readonly EvidenceItem[] {
  const corrections = rows.filter((row) => row.kind === 'correction').map(toCorrection)
  return applyCorrections(items.map(toEvidence), corrections, query, hashOf)
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export function toCorrection({ text, place: about, ...row }: CorrectionRow): AppliedCorrection {
  const { place, subject, predicate, correctedSource, quote, isAsked } = about
  const { namespace, source_id: id, title } = row
  return {
    ...(text !== null && {
      fact: { kind: 'fact', text, namespace, source: { id, title }, place, subject, predicate },
    }),
    ...(correctedSource !== null && quote !== null && { struck: { sourceId: correctedSource, quote } }),
    isAsked,
  }
}

const toEvidence = ({ kind, text, namespace, source_id, title, place, score }: ItemRow): EvidenceItem => ({
  kind,
  text,
  namespace,
  source: { id: source_id, title },
  place,
  score,
})

export const storable = (text: string) => text.replaceAll('\0', ' ')

/** Namespaces whose chunks are not searched. */
export const unquoted = ({ onlyFactsOf = [] }: Pick<SearchRequest, 'onlyFactsOf'>) => [...onlyFactsOf]

const valuesOf = ({ query, otherWords = [], entityKeys, limit }: SearchRequest) => [
  storable([query, ...otherWords].join(' ')),
  entityKeys.map(storable),
  limit,
]

/** An abort ends the wait; the statement ends by its own timeout. */
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

export const SET_BUDGET = statement(`select set_config('statement_timeout', $1, true)`)

export const SET_SCOPE = statement(`
  select set_config('statement_timeout', $1, true), set_config('parley.scope', $2, true)`)

const SEARCH_PRIVATE = statement(`with scope as materialized (
    select coalesce(array_agg(n.id), '{}') as ids,
      coalesce(array_agg(n.id) filter (where n.name <> all($6::text[])), '{}') as quotable
    from namespaces n join reflections r on r.id = n.reflection_id
    where r.id = $4 and r.removed_at is null and ($5::text[] is null or n.name = any($5))
  )
  select found.* from scope, search_knowledge(scope.ids, scope.quotable, $1, $2::text[], $3) as found`)

const SEARCH_PUBLIC = statement('select * from gate.search($1, $2::text[], $3)')

export const CORRECTIONS_PRIVATE = statement(`select * from corrections_to(
    array(
      select n.id from namespaces n join reflections r on r.id = n.reflection_id
      where r.id = $3 and r.removed_at is null and ($4::text[] is null or n.name = any($4))
    ), $1, $2::text[]
  )`)

export const CORRECTIONS_PUBLIC = statement('select * from gate.corrections($1, $2::text[])')

const TRACE = statement(`insert into retrieval_traces (reflection_id, audience, query, found, took_ms)
  values ($1, 'private', $2, $3, $4)`)

const TRACE_PUBLIC = statement(`insert into retrieval_traces (reflection_id, audience, query, found, took_ms)
  select reflection_id, 'public', $2, $3, $4 from public_scopes where capability_hash = $1`)
