import type { Searcher, VectorSearch } from '@parley/knowledge'
import {
  BUDGET,
  corrected,
  CORRECTIONS_PRIVATE,
  CORRECTIONS_PUBLIC,
  type CorrectionRow,
  type ItemRow,
  type RetrieverHost,
  SET_BUDGET,
  SET_SCOPE,
  unquoted,
  withCorrections,
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

/** The corrections that a question asks for are found by its words. */
const NO_QUESTION = ''

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
