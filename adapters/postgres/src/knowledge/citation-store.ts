import type { Audience, Citation, EvidenceItem } from '@parley/contracts'
import { type CitationReader, type CitationStore, replaceCorrected } from '@parley/knowledge'
import { computeSha256Hex } from '../hashes.ts'
import { type SqlStatement, statement } from '../statement.ts'
import type { RetrieverHost } from './retriever.ts'
import { type ItemRow, createScopedSearch, toQueryText } from './scoped-search.ts'

/** The searches of sessions, stored with the other retrieval traces. */
export function postgresCitationStore({ run, ...host }: RetrieverHost): CitationStore {
  const searchInScope = createScopedSearch(host)

  const findEvidence = async (
    references: readonly Reference[],
    reader: CitationReader,
  ): Promise<readonly EvidenceRow[]> => {
    if (references.length === 0) return []
    const values = [
      references.map(({ kind }) => kind),
      references.map(({ source_id }) => source_id),
      references.map(({ hash }) => hash),
    ] as const
    const { rows, corrections } = await searchInScope<EvidenceRow>(reader, { statements: CITE, values })
    const mark = reader.audience === 'public' ? OMITTED : undefined
    return rows.map((row) => {
      const { kind, text, source_id: id, title } = row
      return { ...row, text: replaceCorrected({ kind, text, source: { id, title } }, corrections, mark) }
    })
  }

  return {
    record({ sessionId, reflectionId, audience, query, evidence, tookMs }) {
      const references = JSON.stringify(evidence.map(toReference))
      const values = [reflectionId, audience, toQueryText(query), references, tookMs, sessionId]
      void run(RECORD_LOOKUP, values).catch(() => {})
    },

    async read(sessionId, { after, limit }, reader) {
      const searches = await run<SearchRow>(READ, [sessionId, after, limit])
      const rows = await findEvidence(
        searches.flatMap(({ found }) => found),
        reader,
      )
      const byPlace = new Map(rows.map((row) => [row.place_in_list, row]))
      let place = 0
      return searches.map(({ number, query, at, found }): Citation => {
        const visible = found.flatMap(() => byPlace.get((place += 1)) ?? [])
        const gone = found.length - visible.length
        return { number, query, at: at.toISOString(), evidence: visible.map(toCitedEvidence), gone }
      })
    },
  }
}

/** Visitors see that text was left out, but not why. */
const OMITTED = '[…]'

/** A reference that finds evidence again without containing its text. */
const toReference = ({ kind, source, score, text, sha256 }: EvidenceItem) => ({
  kind,
  source_id: source.id,
  score,
  hash: sha256 ?? computeSha256Hex(text),
})

type Reference = ReturnType<typeof toReference>

interface SearchRow {
  readonly number: number
  readonly query: string
  readonly at: Date
  readonly found: readonly Reference[]
}

interface EvidenceRow extends Omit<ItemRow, 'score'> {
  readonly place_in_list: number
  readonly quote: string | null
}

const toCitedEvidence = ({ kind, text, quote, namespace, source_id, title, place }: EvidenceRow) => ({
  kind,
  text,
  ...(quote !== null && { quote }),
  namespace,
  source: { id: source_id, title },
  place,
})

const RECORD_LOOKUP = statement(`
  insert into retrieval_traces (reflection_id, audience, query, found, took_ms, session_id)
  values ($1, $2, $3, $4, $5, $6)`)

const READ = statement(`select numbered.* from (
    select row_number() over (order by id)::integer as number, query, at, found
    from retrieval_traces where session_id = $1
  ) as numbered
  where number > $2 order by number limit $3`)

const CITE: Readonly<Record<Audience, SqlStatement>> = {
  private: statement(`with scope as materialized (
    select coalesce(array_agg(n.id), '{}') as ids,
      coalesce(array_agg(n.id) filter (where n.name <> all($6::text[])), '{}') as quotable
    from namespaces n join reflections r on r.id = n.reflection_id
    where r.id = $4 and r.removed_at is null and n.name = any($5::text[])
  )
  select found.* from scope, find_evidence(scope.ids, scope.quotable, $1, $2, $3) as found`),
  public: statement('select * from gate.cite($1, $2, $3)'),
}
