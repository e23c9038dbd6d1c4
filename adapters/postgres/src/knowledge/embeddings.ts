import type { IngestRunId } from '@parley/contracts'
import type { EmbeddingsStore, Searcher, VectorSearchRequest } from '@parley/knowledge'
import type { Run, Transact } from '../run-statements.ts'
import {
  BUDGET,
  CORRECTIONS_PRIVATE,
  CORRECTIONS_PUBLIC,
  type CorrectionRow,
  type ItemRow,
  type RetrieverHost,
  SET_BUDGET,
  SET_SCOPE,
  corrected,
  unquoted,
  withCorrections,
} from './retriever.ts'
import { statement } from '../statement.ts'

/** Vectors of chunks, through the login of `parley_learning`. */
export function postgresEmbeddingsStore(host: {
  readonly run: Run
  readonly transact: Transact
}): EmbeddingsStore {
  const { run, transact } = host
  return {
    // A transaction that only takes an advisory lock blocks nothing else, however long it is open.
    alone: (work) =>
      transact(async (within) => {
        const [claim] = await within<{ is_ours: boolean }>(CLAIM)
        if (!claim?.is_ours) return 'busy'
        await work()
        return 'done'
      }),

    async missing(model, after, limit) {
      const [kept] = await run<{ is_so: boolean }>(KEEPS_VECTORS)
      if (!kept?.is_so) return []
      const rows = await run<MissingRow>(MISSING, [model, after?.runId ?? '', after?.ordinal ?? 0, limit])
      return rows.map(({ run_id: runId, ordinal, text }) => ({ runId, ordinal, text }))
    },

    async save(model, embeddings) {
      const runIds = embeddings.map(({ runId }) => runId)
      const ordinals = embeddings.map(({ ordinal }) => ordinal)
      const vectors = embeddings.map(({ vector }) => vectorText(vector))
      await run(SAVE, [model, runIds, ordinals, vectors])
    },
  }
}

interface MissingRow {
  readonly run_id: IngestRunId
  readonly ordinal: number
  readonly text: string
}

/** Whether the migration found pgvector on the server. */
export const KEEPS_VECTORS = statement(`select to_regclass('public.chunk_embeddings') is not null as is_so`)

const CLAIM = statement(`select pg_try_advisory_xact_lock(hashtext('parley: embedding')) as is_ours`)

const MISSING = statement(`select c.run_id, c.ordinal, c.text from chunks c
  where c.is_current and (c.run_id, c.ordinal) > ($2, $3::integer) and not exists (
    select from chunk_embeddings e
    where e.run_id = c.run_id and e.ordinal = c.ordinal and e.model = $1
  )
  order by c.run_id, c.ordinal limit $4`)

const SAVE = statement(`insert into chunk_embeddings (run_id, ordinal, namespace_id, model, embedding)
  select c.run_id, c.ordinal, c.namespace_id, $1, made.numbers::real[]
  from unnest($2::text[], $3::integer[], $4::text[]) as made (run_id, ordinal, numbers)
  join chunks c on c.run_id = made.run_id and c.ordinal = made.ordinal
  on conflict (run_id, ordinal) do update set model = excluded.model, embedding = excluded.embedding`)

/** Finds the chunks with the nearest vectors, if the database stores vectors. */
export function postgresEmbeddingsRetriever({
  transact,
  transactPublic,
  transactMember,
}: Omit<RetrieverHost, 'run'>): Searcher<VectorSearchRequest> {
  return {
    async searchPrivate(reflectionId, namespaces, search, signal, capability) {
      signal.throwIfAborted()
      const names = namespaces ? [...namespaces] : null
      const look = capability ? transactMember(capability) : transact
      const rows = await look(async (within) => {
        await within(SET_BUDGET, [BUDGET])
        const values = [...valuesOf(search), reflectionId, names, unquoted(search)]
        const found = await within<Row>(SEARCH_PRIVATE, values)
        return withCorrections(found, NO_QUESTION, (...asked) =>
          within(CORRECTIONS_PRIVATE, [...asked, reflectionId, names]),
        )
      })
      return { evidence: told(rows), isPartial: false }
    },

    async searchPublic(capability, search, signal) {
      signal.throwIfAborted()
      const rows = await transactPublic(async (within) => {
        await within(SET_SCOPE, [BUDGET, Buffer.from(capability).toString('hex')])
        const found = await within<Row>(SEARCH_PUBLIC, valuesOf(search))
        return withCorrections(found, NO_QUESTION, (...asked) => within(CORRECTIONS_PUBLIC, asked))
      })
      return { evidence: told(rows), isPartial: false }
    },
  }
}

type Row = ItemRow | CorrectionRow

const told = (rows: readonly Row[]) =>
  corrected(
    rows.filter((row) => row.kind !== 'correction'),
    rows,
    NO_QUESTION,
  )

/** Only a search by words finds the corrections that a question asks for. */
const NO_QUESTION = ''

const valuesOf = ({ vector, model, limit }: VectorSearchRequest) => [vectorText(vector), model, limit]

const SEARCH_PRIVATE = statement(`select found.* from search_vectors(
    array(
      select n.id from namespaces n join reflections r on r.id = n.reflection_id
      where r.id = $4 and r.removed_at is null and ($5::text[] is null or n.name = any($5))
        and n.name <> all($6::text[])
    ),
    $1::real[], $2, $3
  ) as found`)

const SEARCH_PUBLIC = statement('select * from gate.search_vectors($1::real[], $2, $3)')

/** A vector as a Postgres array. */
const vectorText = (vector: Float32Array): string => `{${vector.join(',')}}`
