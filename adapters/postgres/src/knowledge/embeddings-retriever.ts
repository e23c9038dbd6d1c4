import type { Searcher, VectorSearch } from '@parley/knowledge'
import {
  BUDGET,
  type ItemRow,
  type RetrieverHost,
  SET_BUDGET,
  SET_SCOPE,
  toEvidence,
  unquoted,
} from './retriever.ts'
import { vectorText } from './vector-text.ts'

/** Finds the chunks whose vectors lie nearest, on a database that keeps vectors. */
export function postgresEmbeddingsRetriever({
  transact,
  transactPublic,
  transactMember,
}: Omit<RetrieverHost, 'run'>): Searcher<VectorSearch> {
  return {
    async searchPrivate(reflectionId, namespaces, search, signal, capability) {
      signal.throwIfAborted()
      const names = namespaces ? [...namespaces] : null
      const look = capability ? transactMember(capability) : transact
      const rows = await look(async (within) => {
        await within(SET_BUDGET, [BUDGET])
        return within<ItemRow>(SEARCH_PRIVATE, [...valuesOf(search), reflectionId, names, unquoted(search)])
      })
      return { evidence: rows.map(toEvidence), isPartial: false }
    },

    async searchPublic(capability, search, signal) {
      signal.throwIfAborted()
      const rows = await transactPublic(async (within) => {
        await within(SET_SCOPE, [BUDGET, Buffer.from(capability).toString('hex')])
        return within<ItemRow>(SEARCH_PUBLIC, valuesOf(search))
      })
      return { evidence: rows.map(toEvidence), isPartial: false }
    },
  }
}

const valuesOf = ({ vector, model, limit }: VectorSearch) => [vectorText(vector), model, limit]

const SEARCH_PRIVATE = {
  name: 'search_vectors_private',
  text: `select found.* from search_vectors(
      array(
        select n.id from namespaces n join reflections r on r.id = n.reflection_id
        where r.id = $4 and r.removed_at is null and ($5::text[] is null or n.name = any($5))
          and n.name <> all($6::text[])
      ),
      $1::real[], $2, $3
    ) as found`,
}

const SEARCH_PUBLIC = {
  name: 'search_vectors_public',
  text: 'select * from gate.search_vectors($1::real[], $2, $3)',
}
