import type { PersonId, ReflectionId, SourceId } from '@parley/contracts'
import { afterAll } from 'vitest'
import type { IngestRun, NewFact } from '@parley/knowledge'
import { type Database, openDatabase } from '../../open-database.ts'
import { type Learning, openLearning } from '../../open-learning.ts'
import { runSql } from '../../server/testing/test-cluster.ts'
import { freshDatabase } from '../../testing/index.ts'

export const ADA = 'per_ada' as PersonId
export const BEN = 'per_ben' as PersonId

export interface KnowledgeBase {
  readonly databaseUrl: string
  readonly database: Database
  readonly learning: Learning
  close(): Promise<void>
}

/** A new database with two people, opened for the server and for jobs. */
export async function openKnowledgeBase(): Promise<KnowledgeBase> {
  const { databaseUrl, drop } = await freshDatabase()
  await runSql(databaseUrl, `insert into people (id, label) values ('${ADA}', 'Ada'), ('${BEN}', 'Ben')`)
  const database = await openDatabase({ databaseUrl })
  const learning = openLearning({ databaseUrl })
  return {
    databaseUrl,
    database,
    learning,
    async close() {
      await learning.close()
      await database.close()
      await drop()
    },
  }
}

export interface SourceContent {
  readonly namespace?: string
  readonly title?: string
  readonly sourceId?: SourceId
  readonly chunks: readonly string[]
  readonly facts?: readonly NewFact[]
  readonly verdict?: 'approve' | 'ask'
}

/** A knowledge base for all tests of a file. */
export async function useKnowledgeBase(): Promise<KnowledgeBase> {
  const base = await openKnowledgeBase()
  afterAll(() => base.close())
  return base
}

/** A fully ingested source of these chunks and facts. */
export async function ingestSource(
  { database, learning }: KnowledgeBase,
  reflectionId: ReflectionId,
  {
    namespace = 'general',
    title = 'Notes',
    sourceId,
    chunks,
    facts = [],
    verdict = 'approve',
  }: SourceContent,
): Promise<SourceId> {
  const bytes = new TextEncoder().encode(chunks.join('\n'))
  const newSource = { title, namespace, bytes, mediaType: 'text/plain' }
  const source = await database.reflections.addSource(reflectionId, newSource, ADA, sourceId)
  const run = await openIngestRun(learning, source.id)
  await learning.ingest.saveChunks(
    run,
    chunks.map((text, index) => ({ ordinal: index + 1, text, place: { line: index + 1 } })),
  )
  await learning.ingest.savePatch(run, facts)
  await learning.ingest.saveEvaluation(run, { verdict, findings: [], rejected: [], supersedes: [] })
  await learning.ingest.apply(run, 'completed')
  return source.id
}

export async function openIngestRun({ ingest }: Learning, sourceId: SourceId): Promise<IngestRun> {
  const run = await ingest.openRun(sourceId)
  if (!run) throw new Error(`There is no run of ${sourceId}`)
  return run
}

/** A fact about somebody, with its supporting quote. */
export const createFact = (subject: string, predicate: string, object: string): NewFact => ({
  subject,
  predicate,
  object,
  statement: `${subject} ${predicate.replaceAll('_', ' ')} ${object}.`,
  confidence: 0.9,
  subjectKey: subject.toLowerCase(),
  objectKey: object.toLowerCase(),
  evidence: [{ quote: `${subject} … ${object}`, place: { line: 1 }, chunk: 1 }],
})
