import type { ReflectionId, SourceId } from '@parley/contracts'
import { array, assert, asyncProperty, constant, constantFrom, integer, oneof, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runSql, waitUntil } from '../server/testing/test-cluster.ts'
import { openTransaction } from '../testing/index.ts'
import { ADA, createFact, openIngestRun, ingestSource, useKnowledgeBase } from './testing/knowledge-base.ts'

const base = await useKnowledgeBase()

/** A reflection with two published namespaces, and a public search in it. */
async function createPublishedReflection() {
  const { reflections, publicScopes, retriever } = base.database
  const { id } = await reflections.create({ displayName: 'Ada', ownerId: ADA })
  for (const name of ['pub', 'letters']) await reflections.addNamespace(id, name, ADA)
  await reflections.publish(id, ['pub', 'letters'], ADA)
  const capability = await publicScopes.create({ sessionId: `ses_${id}`, reflectionId: id })
  const search = { query: 'quokka keeps', entityKeys: ['ada'], limit: 20 }
  const { signal } = new AbortController()
  const seen = async (found: ReturnType<typeof retriever.searchPublic>) =>
    (await found).evidence.map(({ kind, namespace }) => `${kind} in ${namespace}`).toSorted()
  return {
    id,
    inPublic: () => seen(retriever.searchPublic(capability, search, signal)),
    inPrivate: () => seen(retriever.searchPrivate(id, undefined, search, signal)),
  }
}

const SAID = { chunks: ['The quokka sings.'], facts: [createFact('Ada', 'keeps', 'a quokka')] }

const ask = (id: ReflectionId, namespace: string, sourceId?: SourceId, text = SAID.chunks.join('\n')) =>
  base.database.reflections.addSource(
    id,
    { title: 'Notes', namespace, bytes: new TextEncoder().encode(text), mediaType: 'text/plain' },
    ADA,
    sourceId,
  )

/** The word counts that differ from a fresh count. */
const MISCOUNTED = `with counted as (
    select namespace_id, word, count(*)::int as chunks
    from chunks, unnest(tsvector_to_array(words) || ''::text) as word where is_current group by 1, 2
  ) select * from counted full join terms using (namespace_id, word)
  where counted.chunks is distinct from terms.chunks`

describe('[P6] once its removal or move is requested, a source is not found, even before any job has run', () => {
  test('in its former namespace after a move', async () => {
    const { id, inPublic, inPrivate } = await createPublishedReflection()
    const sourceId = await ingestSource(base, id, { ...SAID, namespace: 'pub' })
    expect(await inPublic()).toEqual(['chunk in pub', 'fact in pub'])
    await ask(id, 'general', sourceId)
    expect(await inPublic()).toEqual([])
    const words = await runSql(
      base.databaseUrl,
      `select word from terms join namespaces n on n.id = namespace_id where n.reflection_id = '${id}'`,
    )
    expect(words).toEqual([])
    await ingestSource(base, id, { ...SAID, namespace: 'general', sourceId })
    expect(await inPublic()).toEqual([])
    expect(await inPrivate()).toEqual(['chunk in general', 'fact in general'])
  })

  test('by the public or by members after its removal', async () => {
    const { id, inPublic, inPrivate } = await createPublishedReflection()
    const sourceId = await ingestSource(base, id, { ...SAID, namespace: 'pub' })
    await base.database.reflections.removeSource(id, sourceId, ADA)
    expect(await inPublic()).toEqual([])
    expect(await inPrivate()).toEqual([])
    await ask(id, 'pub', sourceId)
    expect(await inPublic()).toEqual([])
    await base.learning.learning.eraseSource(sourceId)
    const left = await runSql(
      base.databaseUrl,
      `select from withheld_sources where source_id = '${sourceId}'`,
    )
    expect(left).toEqual([])
  })

  test('in a run that a worker completes after the move', async () => {
    const { id, inPublic } = await createPublishedReflection()
    const { id: sourceId } = await ask(id, 'pub')
    const { ingest } = base.learning
    const run = await openIngestRun(base.learning, sourceId)
    await ingest.saveChunks(run, [{ ordinal: 1, text: 'The quokka sings.', place: { line: 1 } }])
    await ingest.savePatch(run, SAID.facts)
    await ingest.saveEvaluation(run, { verdict: 'approve', findings: [], rejected: [], supersedes: [] })
    await ask(id, 'general', sourceId)
    await ingest.apply(run, 'completed')
    expect(await inPublic()).toEqual([])
    expect(await runSql(base.databaseUrl, MISCOUNTED)).toEqual([])
    // Moved back before any job ran.
    await ask(id, 'pub', sourceId)
    await ingestSource(base, id, { ...SAID, namespace: 'pub', sourceId })
    expect(await inPublic()).toEqual(['chunk in pub', 'fact in pub'])
  })

  test('among its former facts while the facts of its new namespace wait for a person', async () => {
    const { id, inPublic } = await createPublishedReflection()
    const sourceId = await ingestSource(base, id, { ...SAID, namespace: 'pub' })
    await ingestSource(base, id, { ...SAID, namespace: 'general', sourceId, verdict: 'ask' })
    expect(await inPublic()).toEqual([])
  })

  test('of two concurrent moves the later one counts', async () => {
    const { id, inPublic } = await createPublishedReflection()
    const sourceId = await ingestSource(base, id, { ...SAID, namespace: 'pub' })
    await Promise.all(
      ['general', 'letters', 'pub', 'general'].map((namespace) => ask(id, namespace, sourceId)),
    )
    const [last] = await runSql(
      base.databaseUrl,
      `select n.name from intake i join namespaces n on n.id = i.namespace_id
       where source_id = '${sourceId}' order by i.id desc limit 1`,
    )
    const withheld = await runSql(
      base.databaseUrl,
      `select n.name from withheld_sources w join namespaces n on n.id = w.namespace_id
       where source_id = '${sourceId}' order by 1`,
    )
    const others = ['general', 'letters', 'pub'].filter((name) => name !== last?.name)
    expect(withheld.map(({ name }) => name)).toEqual(others)
    expect(await inPublic()).not.toContain('chunk in letters')
  })
})

test('a source that moved to a published namespace is found only there', async () => {
  const { id, inPublic } = await createPublishedReflection()
  const sourceId = await ingestSource(base, id, { ...SAID, namespace: 'pub' })
  await ingestSource(base, id, { ...SAID, namespace: 'letters', sourceId })
  expect(await inPublic()).toEqual(['chunk in letters', 'fact in letters'])
})

type Step = { readonly source: number } & (
  | { readonly kind: 'hold'; readonly namespace: string; readonly text: string; readonly isLearned: boolean }
  | { readonly kind: 'remove'; readonly isLearned: boolean }
)

const step = oneof(
  record({
    source: integer({ min: 0, max: 1 }),
    kind: constant('hold' as const),
    namespace: constantFrom('pub', 'general', 'letters'),
    text: constantFrom('The quokka sings.', 'A quokka keeps\nwhat the otter sings.'),
    isLearned: constantFrom(true, true, false),
  }),
  record({
    source: integer({ min: 0, max: 1 }),
    kind: constant('remove' as const),
    isLearned: constantFrom(true, false),
  }),
)

test('[X4] a removal waits for a worker that then inserts rows of the same reflection, without a deadlock', async () => {
  const { id } = await createPublishedReflection()
  const sourceId = await ingestSource(base, id, { ...SAID, namespace: 'pub' })
  const worker = await openTransaction(
    base.databaseUrl,
    `select pg_advisory_xact_lock(hashtextextended('${id}', 0))`,
  )
  const removal = base.database.reflections.removeSource(id, sourceId, ADA)
  const waiting = `select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`
  await waitUntil(async () => (await runSql(base.databaseUrl, waiting)).length === 1)
  // A row that refers to the reflection locks its key.
  await worker.query(`select from reflections where id = '${id}' for key share`)
  await worker.end()
  expect(await removal).toEqual({ ended: [] })
})

test('[P6] word counts stay correct after sources were moved, replaced and removed', async () => {
  const { reflections } = base.database
  await assert(
    asyncProperty(array(step, { minLength: 2, maxLength: 8 }), async (steps: readonly Step[]) => {
      const { id } = await createPublishedReflection()
      const sources: (SourceId | undefined)[] = []
      for (const { source, ...what } of steps) {
        const sourceId = sources[source]
        if (what.kind === 'hold') {
          sources[source] = (await ask(id, what.namespace, sourceId, what.text)).id
          if (what.isLearned) await learn(sources[source], what.text.split('\n'))
        } else if (sourceId) {
          await reflections.removeSource(id, sourceId, ADA)
          if (what.isLearned) await base.learning.learning.eraseSource(sourceId)
          sources[source] = undefined
        }
        expect(await runSql(base.databaseUrl, MISCOUNTED)).toEqual([])
      }
    }),
    { numRuns: 15 },
  )
})

async function learn(sourceId: SourceId, chunks: readonly string[]): Promise<void> {
  const { ingest } = base.learning
  const run = await ingest.openRun(sourceId)
  if (!run) return
  const placed = chunks.map((text, index) => ({ ordinal: index + 1, text, place: { line: index + 1 } }))
  await ingest.saveChunks(run, placed)
  await ingest.savePatch(run, [])
  await ingest.apply(run, 'completed')
}
