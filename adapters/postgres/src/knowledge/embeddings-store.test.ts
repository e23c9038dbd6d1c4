import { expect, test } from 'vitest'
import { query } from '../server/testing/test-cluster.ts'
import { knowledgeBase } from './testing/knowledge-base.ts'

// A server of one's own may have it.
test.skipIf(process.env.PARLEY_TEST_DATABASE_URL)(
  '[K5] where the server has no pgvector, there is no search by vector and nothing to embed',
  async () => {
    const base = await knowledgeBase()
    const { databaseUrl, database, learning } = base
    expect(await query(databaseUrl, `select to_regclass('public.chunk_embeddings') as found`)).toEqual([
      { found: null },
    ])
    expect(database.retriever.byVector).toBeUndefined()
    expect(await learning.embeddings.missing('local/any', undefined, 5)).toEqual([])
    await base.close()
  },
)
