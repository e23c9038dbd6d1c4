import type { ReflectionId } from '@parley/contracts'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { runSql } from '../server/testing/test-cluster.ts'
import { ADA, createFact, ingestSource, useKnowledgeBase } from './testing/knowledge-base.ts'

const base = await useKnowledgeBase()

const listJobs = async (id: ReflectionId) =>
  (
    await runSql(
      base.databaseUrl,
      `select from pgboss.job where name = 'rebuild-voice' and data ->> 'reflectionId' = '${id}' and singleton_key = '${id}'`,
    )
  ).length

const listSurfaces = async (id: ReflectionId) =>
  Object.fromEntries(
    (
      await runSql(base.databaseUrl, `select surface, state from runtime_syncs where reflection_id = '${id}'`)
    ).map(({ surface, state }) => [surface, state === null ? 'stale' : 'synced']),
  )

async function newReflection(): Promise<ReflectionId> {
  const { id } = await base.database.reflections.create({ displayName: 'Ada', ownerId: ADA })
  await base.database.reflections.addNamespace(id, 'talks', ADA)
  await runSql(
    base.databaseUrl,
    `insert into runtime_syncs (reflection_id, surface, agent_id, state)
     select '${id}', surface, 'agent_1', '{}' from unnest('{standard,memory,public}'::text[]) as surface`,
  )
  await completeJobs(id)
  return id
}

/** Simulates that a worker has run the waiting jobs. */
const completeJobs = (id: ReflectionId) =>
  runSql(base.databaseUrl, `delete from pgboss.job where name = 'rebuild-voice' and singleton_key = '${id}'`)

const told = { chunks: ['I live in Oslo.'], facts: [createFact('Ada', 'lives_in', 'Oslo')] }

type Change = (id: ReflectionId) => Promise<unknown>
const CHANGES: Readonly<Record<string, Change>> = {
  'a source that was learned': (id) => ingestSource(base, id, told),
  'a patch that was approved': async (id) => {
    await ingestSource(base, id, { ...told, verdict: 'ask' })
    const { items } = await base.database.reflections.listPatches(id, { limit: 1 })
    const [patch] = items
    await completeJobs(id)
    if (patch) await base.learning.learning.applyReview(patch.id, 'approve', ADA)
  },
  'a source that was removed': async (id) => {
    const sourceId = await ingestSource(base, id, told)
    await base.database.reflections.removeSource(id, sourceId, ADA)
    await completeJobs(id)
    await base.learning.learning.eraseSource(sourceId)
  },
  'another name': (id) => base.database.reflections.change(id, { displayName: 'Ada W.' }, ADA),
}

test.each(Object.entries(CHANGES))(
  '[P1] %s requests a rebuild, and keeps the sync state',
  async (_, change) => {
    const id = await newReflection()
    await change(id)
    expect(await listJobs(id)).toBe(1)
    expect(await listSurfaces(id)).toEqual({ standard: 'synced', memory: 'synced', public: 'synced' })
  },
)

test('[P11] publish and unpublish make only the public surface stale, and request a rebuild', async () => {
  const { reflections } = base.database
  for (const change of ['publish', 'unpublish'] as const) {
    const id = await newReflection()
    await reflections[change](id, ['talks'], ADA)
    expect(await listJobs(id)).toBe(1)
    expect(await listSurfaces(id)).toEqual({ standard: 'synced', memory: 'synced', public: 'stale' })
  }
})

test('[P11] a source that leaves the published namespaces does the same', async () => {
  const id = await newReflection()
  await base.database.reflections.publish(id, ['talks'], ADA)
  const sourceId = await ingestSource(base, id, { ...told, namespace: 'talks' })
  await runSql(base.databaseUrl, `update runtime_syncs set state = '{}' where reflection_id = '${id}'`)
  await completeJobs(id)
  await base.database.reflections.addSource(
    id,
    { title: 'Notes', namespace: 'general', bytes: Buffer.from('I live in Oslo.'), mediaType: 'text/plain' },
    ADA,
    sourceId,
  )
  expect(await listJobs(id)).toBe(1)
  expect(await listSurfaces(id)).toEqual({ standard: 'synced', memory: 'synced', public: 'stale' })
})

test('[P11] a refused publish changes nothing', async () => {
  const id = await newReflection()
  await expect(base.database.reflections.publish(id, ['talks', 'nowhere'], ADA)).rejects.toThrow('nowhere')
  expect(await listJobs(id)).toBe(0)
  expect(await listSurfaces(id)).toMatchObject({ public: 'synced' })
})

test('[P1] a waiting rebuild is not queued twice; during a running one another is queued', async () => {
  const id = await newReflection()
  await base.database.reflections.change(id, { displayName: 'Ada One' }, ADA)
  await base.database.reflections.change(id, { displayName: 'Ada Two' }, ADA)
  expect(await listJobs(id)).toBe(1)
  await runSql(base.databaseUrl, `update pgboss.job set state = 'active' where singleton_key = '${id}'`)
  await base.database.reflections.change(id, { displayName: 'Ada Three' }, ADA)
  expect(await listJobs(id)).toBe(2)
})

test('[P11] a build reads only after the transactions that rely on it are done', async () => {
  const id = await newReflection()
  await base.database.reflections.change(id, { displayName: 'Ada One' }, ADA)
  const asker = new Client(base.databaseUrl)
  await asker.connect()
  onTestFinished(() => asker.end())
  await asker.query('begin')
  await asker.query(`update reflections set display_name = 'Ada Two' where id = '${id}'`)
  await asker.query(`select pg_advisory_xact_lock_shared(hashtextextended('${id}', 1))`)
  const build = base.learning.artifacts.begin(id)
  await expect
    .poll(() => runSql(base.databaseUrl, `select from pg_locks where locktype = 'advisory' and not granted`))
    .toHaveLength(1)
  await asker.query('commit')
  expect((await build)?.input.displayName).toBe('Ada Two')
})
