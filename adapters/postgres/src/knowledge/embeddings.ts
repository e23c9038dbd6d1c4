import type { Audience, IngestRunId } from '@parley/contracts'
import type { EmbeddingsStore, SearchResults, Searcher, VectorSearchRequest } from '@parley/knowledge'
import { runAlone } from '../run-statements.ts'
import {
  type ItemRow,
  type SearchHost,
  type SearchedContent,
  createScopedSearch,
  selectNamespaceIds,
  toEvidence,
} from './scoped-search.ts'
import { type SqlStatement, statement } from '../statement.ts'
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
export function postgresEmbeddingsRetriever(host: SearchHost): Searcher<VectorSearchRequest> {
  const searchInScope = createScopedSearch(host)

  const search = async (
    scope: SearchedContent,
    { vector, model, limit }: VectorSearchRequest,
    signal: AbortSignal,
  ): Promise<SearchResults> => {
    signal.throwIfAborted()
    const values = [toVectorText(vector), model, limit] as const
    // Only a search by words finds the corrections that a question asks for.
    const { rows, corrections } = await searchInScope<ItemRow>(scope, { statements: SEARCH, values })
    return { evidence: toEvidence(rows, corrections), isPartial: false }
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

const SEARCH: Readonly<Record<Audience, SqlStatement>> = {
  private: statement(`select found.* from search_vectors(
      array(${selectNamespaceIds('$4', '$5')} and n.name <> all($6::text[])), $1::real[], $2, $3
    ) as found`),
  public: statement('select * from gate.search_vectors($1::real[], $2, $3)'),
}

/** A vector as a Postgres array. */
const toVectorText = (vector: Float32Array): string => `{${vector.join(',')}}`
