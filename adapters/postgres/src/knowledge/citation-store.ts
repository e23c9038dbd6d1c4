import type { Citation, EvidenceItem } from '@parley/contracts'
import { type CitationReader, type CitationStore, withoutCorrected } from '@parley/knowledge'
import {
  BUDGET,
  type CorrectionRow,
  CORRECTIONS_PRIVATE,
  CORRECTIONS_PUBLIC,
  hashOf,
  type ItemRow,
  type RetrieverHost,
  SET_BUDGET,
  SET_SCOPE,
  storable,
  toCorrection,
  unquoted,
} from './retriever.ts'
import { statement } from '../statement.ts'

/** The searches of sessions, stored with the other retrieval traces. */
export function postgresCitationStore({
  run,
  transact,
  transactPublic,
  transactMember,
}: RetrieverHost): CitationStore {
  const findAgain = (named: NamedEvidence, cited: CitationReader): Promise<readonly FoundRow[]> => {
    if (named[0].length === 0) return Promise.resolve([])
    if (cited.audience === 'private') {
      const { reflectionId, namespaces, capability } = cited
      const look = capability ? transactMember(capability) : transact
      return look(async (within) => {
        await within(SET_BUDGET, [BUDGET])
        const names = [...namespaces]
        const found = await within<FoundRow>(CITE_PRIVATE, [...named, reflectionId, names, unquoted(cited)])
        return struck(found, (sources) =>
          within(CORRECTIONS_PRIVATE, [NO_QUESTION, sources, reflectionId, names]),
        )
      })
    }
    return transactPublic(async (within) => {
      await within(SET_SCOPE, [BUDGET, Buffer.from(cited.capability).toString('hex')])
      const found = await within<FoundRow>(CITE_PUBLIC, [...named])
      return struck(found, (sources) => within(CORRECTIONS_PUBLIC, [NO_QUESTION, sources]), LEFT_OUT)
    })
  }

  return {
    note({ sessionId, reflectionId, audience, query, evidence, tookMs }) {
      const found = JSON.stringify(evidence.map(referenceTo))
      void run(NOTE, [reflectionId, audience, storable(query), found, tookMs, sessionId]).catch(() => {})
    },

    async read(sessionId, { after, limit }, cited) {
      const rows = await run<LookupRow>(READ, [sessionId, after, limit])
      const named = rows.flatMap(({ found }) => found)
      const again = await findAgain(
        [
          named.map(({ kind }) => kind),
          named.map(({ source_id }) => source_id),
          named.map(({ hash }) => hash),
        ],
        cited,
      )
      const byPlace = new Map(again.map((row) => [row.place_in_list, row]))
      let place = 0
      return rows.map(({ number, query, at, found }): Citation => {
        const standing = found.flatMap(() => byPlace.get((place += 1)) ?? [])
        const gone = found.length - standing.length
        return { number, query, at: at.toISOString(), evidence: standing.map(toCited), gone }
      })
    },
  }
}

const NO_QUESTION = ''
/** Visitors see that text was left out, but not why. */
const LEFT_OUT = '[…]'

/** Passages without the corrected quotes. */
async function struck(
  rows: readonly FoundRow[],
  ask: (sourceIds: readonly string[]) => Promise<readonly CorrectionRow[]>,
  mark?: string,
): Promise<readonly FoundRow[]> {
  const sources = new Set(rows.flatMap((row) => (row.kind === 'chunk' ? [row.source_id] : [])))
  const corrections = sources.size === 0 ? [] : (await ask([...sources])).map(toCorrection)
  return rows.map((row) => {
    const { kind, text, source_id: id, title } = row
    return { ...row, text: withoutCorrected({ kind, text, source: { id, title } }, corrections, mark) }
  })
}

/** A reference that finds evidence again without containing its text. */
const referenceTo = ({ kind, source, score, text, sha256 }: EvidenceItem) => ({
  kind,
  source_id: source.id,
  score,
  hash: sha256 ?? hashOf(text),
})

type Reference = ReturnType<typeof referenceTo>

/** Kinds, sources and hashes: three lists of the same length. */
type NamedEvidence = readonly [readonly string[], readonly string[], readonly string[]]

interface LookupRow {
  readonly number: number
  readonly query: string
  readonly at: Date
  readonly found: readonly Reference[]
}

interface FoundRow extends Omit<ItemRow, 'score'> {
  readonly place_in_list: number
  readonly quote: string | null
}

const toCited = ({ kind, text, quote, namespace, source_id, title, place }: FoundRow) => ({
  kind,
  text,
  ...(quote !== null && { quote }),
  namespace,
  source: { id: source_id, title },
  place,
})

const NOTE = statement(`
  insert into retrieval_traces (reflection_id, audience, query, found, took_ms, session_id)
  values ($1, $2, $3, $4, $5, $6)`)

const READ = statement(`select numbered.* from (
    select row_number() over (order by id)::integer as number, query, at, found
    from retrieval_traces where session_id = $1
  ) as numbered
  where number > $2 order by number limit $3`)

const CITE_PRIVATE = statement(`with scope as materialized (
    select coalesce(array_agg(n.id), '{}') as ids,
      coalesce(array_agg(n.id) filter (where n.name <> all($6::text[])), '{}') as quotable
    from namespaces n join reflections r on r.id = n.reflection_id
    where r.id = $4 and r.removed_at is null and n.name = any($5::text[])
  )
  select found.* from scope, find_evidence(scope.ids, scope.quotable, $1, $2, $3) as found`)

const CITE_PUBLIC = statement('select * from gate.cite($1, $2, $3)')
