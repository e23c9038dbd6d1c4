import type { EvidenceItem, Place, ReflectionId, SourceId } from '@parley/contracts'
import { waitUntilAborted } from '@parley/engine'
import {
  type AppliedCorrection,
  type SearchResults,
  type Retriever,
  type SearchRequest,
  applyCorrections,
} from '@parley/knowledge'
import { getErrorCode } from '../login/database-error.ts'
import { computeSha256, computeSha256Hex } from '../hashes.ts'
import type { Run, Transact, TransactMember } from '../run-statements.ts'
import { type SqlStatement, statement } from '../statement.ts'
import { toStorable } from './ingest-rows.ts'

export interface RetrieverHost {
  /** As `parley_serving`. */
  readonly run: Run
  readonly transact: Transact
  /** As `parley_public`, which may only search. */
  readonly transactPublic: Transact
  /** As `parley_member`, which sees the namespaces of the capability's member. */
  readonly transactMember: TransactMember
}

const STATEMENT_CANCELLED = '57014'

export function postgresRetriever(host: RetrieverHost): Retriever {
  const scopes = createSearchScopes(host)

  const storeTrace = (
    insert: SqlStatement,
    owner: unknown,
    { query, isUntraced }: SearchRequest,
    { evidence }: SearchResults,
    start: number,
  ) => {
    if (isUntraced) return
    const references = JSON.stringify(
      evidence.map(({ kind, source, score }) => ({ kind, source_id: source.id, score })),
    )
    // A failed trace does not fail the search.
    void host.run(insert, [owner, toQueryText(query), references, performance.now() - start]).catch(() => {})
  }

  return {
    async searchPrivate(reflectionId, namespaces, request, signal, capability) {
      const start = performance.now()
      const scope = { reflectionId, namespaces, capability }
      const rows = await searchUnlessAborted(signal, () =>
        scopes.private(scope, async (execute, readCorrections) => {
          const values = [
            ...toSearchValues(request),
            reflectionId,
            namespaces,
            listFactOnlyNamespaces(request),
          ]
          return addCorrections(
            await execute<WordSearchRow>(SEARCH_PRIVATE, values),
            request.query,
            readCorrections,
          )
        }),
      )
      const results = toResults(rows, request)
      storeTrace(TRACE, reflectionId, request, results, start)
      return results
    },

    async searchPublic(capability, request, signal) {
      const start = performance.now()
      const rows = await searchUnlessAborted(signal, () =>
        scopes.public(capability, async (execute, readCorrections) =>
          addCorrections(
            await execute<WordSearchRow>(SEARCH_PUBLIC, toSearchValues(request)),
            request.query,
            readCorrections,
          ),
        ),
      )
      const results = toResults(rows, request)
      storeTrace(TRACE_PUBLIC, computeSha256(capability), request, results, start)
      return results
    },
  }
}

interface PrivateScope {
  readonly reflectionId: ReflectionId
  /** All namespaces if undefined. */
  readonly namespaces: readonly string[] | undefined
  /** Limits the search to the namespaces that this member may read. */
  readonly capability: Uint8Array | undefined
}

/** Reads the corrections of these sources, and those that the question asks for. */
type ReadCorrections = (query: string, sourceIds: readonly string[]) => Promise<readonly CorrectionRow[]>

type SearchWork<Outcome> = (execute: Run, readCorrections: ReadCorrections) => Promise<Outcome>

/** Runs searches in a transaction that sees only its audience's content, for a limited time. */
export const createSearchScopes = ({
  transact,
  transactPublic,
  transactMember,
}: Omit<RetrieverHost, 'run'>) => ({
  private: <Outcome>(scope: PrivateScope, work: SearchWork<Outcome>): Promise<Outcome> => {
    const { reflectionId, namespaces = null, capability } = scope
    const start = capability ? transactMember(capability) : transact
    return start(async (execute) => {
      await execute(SET_TIMEOUT, [TIMEOUT])
      return work(execute, (query, sourceIds) =>
        execute(CORRECTIONS_PRIVATE, [toQueryText(query), sourceIds, reflectionId, namespaces]),
      )
    })
  },

  public: <Outcome>(capability: Uint8Array, work: SearchWork<Outcome>): Promise<Outcome> =>
    transactPublic(async (execute) => {
      await execute(SET_SCOPE, [TIMEOUT, Buffer.from(capability).toString('hex')])
      return work(execute, (query, sourceIds) => execute(CORRECTIONS_PUBLIC, [toQueryText(query), sourceIds]))
    }),
})

/** Less than the caller's timeout, so that partial results still reach it. */
const TIMEOUT = '600ms'

type WordSearchRow = ItemRow | CorrectionRow | typeof OUT_OF_TIME_ROW

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
export async function addCorrections<Some extends WordSearchRow>(
  rows: readonly Some[],
  query: string,
  readCorrections: ReadCorrections,
): Promise<readonly (Some | CorrectionRow)[]> {
  if (rows.some(({ kind }) => kind === 'partial')) return rows
  const sources = rows.flatMap((row) => (row.kind === 'chunk' ? [row.source_id] : []))
  return [...rows, ...(await readCorrections(query, [...new Set(sources)]))]
}

function toResults(rows: readonly WordSearchRow[], { query, limit }: SearchRequest): SearchResults {
  const items = rows.filter((row) => row.kind !== 'partial' && row.kind !== 'correction')
  const best = items.toSorted((a, b) => b.score - a.score).slice(0, limit)
  return { evidence: toEvidence(best, rows, query), isPartial: rows.some(({ kind }) => kind === 'partial') }
}

/** Applies the corrections among the rows to the results. */
export function toEvidence(
  items: readonly ItemRow[],
  rows: readonly WordSearchRow[],
  query: string,
): readonly EvidenceItem[] {
  const corrections = rows.filter((row) => row.kind === 'correction').map(toCorrection)
  return applyCorrections(items.map(toEvidenceItem), corrections, query, computeSha256Hex)
}

export function toCorrection({ text, place: details, ...row }: CorrectionRow): AppliedCorrection {
  const { place, subject, predicate, correctedSource, quote, isAsked } = details
  const { namespace, source_id: id, title } = row
  return {
    ...(text !== null && {
      fact: { kind: 'fact', text, namespace, source: { id, title }, place, subject, predicate },
    }),
    ...(correctedSource !== null && quote !== null && { corrected: { sourceId: correctedSource, quote } }),
    isAsked,
  }
}

const toEvidenceItem = ({
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

/** Replaces U+0000, which the database cannot store. */
export const toQueryText = (text: string) => toStorable(text, ' ')

/** Namespaces whose chunks are not searched. */
export const listFactOnlyNamespaces = ({ onlyFactsOf = [] }: Pick<SearchRequest, 'onlyFactsOf'>) => [
  ...onlyFactsOf,
]

const toSearchValues = ({ query, otherWords = [], entityKeys, limit }: SearchRequest) => [
  toQueryText([query, ...otherWords].join(' ')),
  entityKeys.map(toQueryText),
  limit,
]

/** An abort ends the wait; the statement ends by its own timeout. */
async function searchUnlessAborted(
  signal: AbortSignal,
  search: () => Promise<readonly WordSearchRow[]>,
): Promise<readonly WordSearchRow[]> {
  signal.throwIfAborted()
  try {
    return await waitUntilAborted(search(), signal)
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (getErrorCode(cause) === STATEMENT_CANCELLED) return [OUT_OF_TIME_ROW]
    throw error
  }
}

const SET_TIMEOUT = statement(`select set_config('statement_timeout', $1, true)`)

const SET_SCOPE = statement(`
  select set_config('statement_timeout', $1, true), set_config('parley.scope', $2, true)`)

const SEARCH_PRIVATE = statement(`with scope as materialized (
    select coalesce(array_agg(n.id), '{}') as ids,
      coalesce(array_agg(n.id) filter (where n.name <> all($6::text[])), '{}') as quotable
    from namespaces n join reflections r on r.id = n.reflection_id
    where r.id = $4 and r.removed_at is null and ($5::text[] is null or n.name = any($5))
  )
  select found.* from scope, search_knowledge(scope.ids, scope.quotable, $1, $2::text[], $3) as found`)

const SEARCH_PUBLIC = statement('select * from gate.search($1, $2::text[], $3)')

const CORRECTIONS_PRIVATE = statement(`select * from corrections_to(
    array(
      select n.id from namespaces n join reflections r on r.id = n.reflection_id
      where r.id = $3 and r.removed_at is null and ($4::text[] is null or n.name = any($4))
    ), $1, $2::text[]
  )`)

const CORRECTIONS_PUBLIC = statement('select * from gate.corrections($1, $2::text[])')

const TRACE = statement(`insert into retrieval_traces (reflection_id, audience, query, found, took_ms)
  values ($1, 'private', $2, $3, $4)`)

const TRACE_PUBLIC = statement(`insert into retrieval_traces (reflection_id, audience, query, found, took_ms)
  select reflection_id, 'public', $2, $3, $4 from public_scopes where capability_hash = $1`)
