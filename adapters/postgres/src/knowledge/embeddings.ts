import type { IngestRunId } from '@parley/contracts'
import type { EmbeddingsStore, Searcher, VectorSearchRequest } from '@parley/knowledge'
import { runAlone } from '../run-statements.ts'
import {
  type CorrectionRow,
  type ItemRow,
  type RetrieverHost,
  addCorrections,
  createSearchScopes,
  listFactOnlyNamespaces,
  toEvidence,
} from './retriever.ts'
import { statement } from '../statement.ts'
import type { StoreHost } from './store-host.ts'

/** Vectors of chunks, through the login of `parley_learning`. */
export function postgresEmbeddingsStore({
  run,
  transact,
}: Pick<StoreHost, 'run' | 'transact'>): EmbeddingsStore {
  return {
    runExclusively: (work) => runAlone(transact, 'embedding', work),

    async listMissing(model, after, limit) {
      const [answer] = await run<{ is_so: boolean }>(KEEPS_VECTORS)
      if (!answer?.is_so) return []
      const rows = await run<MissingRow>(LIST_MISSING, [
        model,
        after?.runId ?? '',
        after?.ordinal ?? 0,
        limit,
      ])
      return rows.map(({ run_id: runId, ordinal, text }) => ({ runId, ordinal, text }))
    },

    async save(model, embeddings) {
      const runIds = embeddings.map(({ runId }) => runId)
      const ordinals = embeddings.map(({ ordinal }) => ordinal)
      const vectors = embeddings.map(({ vector }) => toVectorText(vector))
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

const LIST_MISSING = statement(`select c.run_id, c.ordinal, c.text from chunks c
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
export function postgresEmbeddingsRetriever(host: Omit<RetrieverHost, 'run'>): Searcher<VectorSearchRequest> {
  const scopes = createSearchScopes(host)
  return {
    async searchPrivate(reflectionId, namespaces, request, signal, capability) {
      signal.throwIfAborted()
      const values = [...toSearchValues(request), reflectionId, namespaces, listFactOnlyNamespaces(request)]
      const rows = await scopes.private(
        { reflectionId, namespaces, capability },
        async (execute, readCorrections) =>
          addCorrections(await execute<VectorSearchRow>(SEARCH_PRIVATE, values), NO_QUERY, readCorrections),
      )
      return toResults(rows)
    },

    async searchPublic(capability, request, signal) {
      signal.throwIfAborted()
      const rows = await scopes.public(capability, async (execute, readCorrections) =>
        addCorrections(
          await execute<VectorSearchRow>(SEARCH_PUBLIC, toSearchValues(request)),
          NO_QUERY,
          readCorrections,
        ),
      )
      return toResults(rows)
    },
  }
}

type VectorSearchRow = ItemRow | CorrectionRow

function toResults(rows: readonly VectorSearchRow[]) {
  const items = rows.filter((row) => row.kind !== 'correction')
  return { evidence: toEvidence(items, rows, NO_QUERY), isPartial: false }
}

/** Only a search by words finds the corrections that a question asks for. */
const NO_QUERY = ''

const toSearchValues = ({ vector, model, limit }: VectorSearchRequest) => [toVectorText(vector), model, limit]

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
const toVectorText = (vector: Float32Array): string => `{${vector.join(',')}}`
