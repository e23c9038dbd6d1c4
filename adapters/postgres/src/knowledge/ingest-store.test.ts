import { type FactState, IngestOutcome, type ReflectionId, type SourceId } from '@parley/contracts'
import { describeIngestStore, type IngestStoreUnderTest } from '@parley/knowledge/testing'
import { afterAll } from 'vitest'
import { runSql } from '../server/testing/test-cluster.ts'
import { ADA, type KnowledgeBase, openKnowledgeBase } from './testing/knowledge-base.ts'

let base: KnowledgeBase | undefined

afterAll(() => base?.close())

describeIngestStore('postgres', async () => {
  base = await openKnowledgeBase()
  const { id } = await base.database.reflections.create({ displayName: 'Ada Holm', ownerId: ADA })
  return toTestedStore(base, id)
})

function toTestedStore(
  { database: { reflections }, learning, databaseUrl }: KnowledgeBase,
  reflectionId: ReflectionId,
): IngestStoreUnderTest {
  const readRows = (sourceId: SourceId, sql: string) =>
    runSql(databaseUrl, sql.replaceAll('$source', `'${sourceId}'`))
  return {
    store: learning.ingest,

    async addSource({ text, title = 'Notes', namespace = 'general', sourceId }) {
      const { namespaces = [] } = (await reflections.find(reflectionId)) ?? {}
      if (!namespaces.some(({ name }) => name === namespace)) {
        await reflections.addNamespace(reflectionId, namespace, ADA)
      }
      const bytes = new TextEncoder().encode(text)
      const source = { title, namespace, bytes, mediaType: 'text/plain' }
      return (await reflections.addSource(reflectionId, source, ADA, sourceId)).id
    },

    async factsOf(sourceId) {
      const rows = await readRows(
        sourceId,
        `select id, subject, predicate, object, statement, confidence, subject_key, object_key, valid_from, valid_to,
           state, superseded_at is null and state = 'active' as is_current
         from facts where source_id = $source order by created_at, ordinal`,
      )
      return rows.map((row) => ({
        id: String(row.id) as never,
        subject: String(row.subject),
        predicate: String(row.predicate),
        object: String(row.object),
        statement: String(row.statement),
        confidence: Number(row.confidence),
        subjectKey: String(row.subject_key),
        objectKey: String(row.object_key),
        state: row.state as FactState,
        isCurrent: row.is_current === true,
      }))
    },

    async chunksOf(sourceId) {
      const rows = await readRows(
        sourceId,
        'select text from chunks where source_id = $source and is_current order by ordinal',
      )
      return rows.map(({ text }) => String(text))
    },

    async endOf(sourceId) {
      const { state, problem } = (await reflections.findSource(reflectionId, sourceId)) ?? {}
      const { data: outcome } = IngestOutcome.safeParse(state)
      return { ...(outcome && { outcome }), ...(problem !== undefined && { problem }) }
    },
  }
}
