import type { ReflectionId, SourceId } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { ADA, openIngestRun, ingestSource, useKnowledgeBase } from './testing/knowledge-base.ts'

const base = await useKnowledgeBase()

const SAID = 'I live in Oslo.'

const createReflection = async () =>
  (await base.database.reflections.create({ displayName: 'Ada Holm', ownerId: ADA })).id

const add = async (id: ReflectionId, given: { namespace?: string; sourceId?: SourceId } = {}) => {
  const { namespace = 'general', sourceId } = given
  const source = { title: 'Again', namespace, bytes: new TextEncoder().encode(SAID), mediaType: 'text/plain' }
  return (await base.database.reflections.addSource(id, source, ADA, sourceId)).id
}

const open = (sourceId: SourceId) => base.learning.ingest.openRun(sourceId)
const find = (id: ReflectionId, sourceId: SourceId) => base.database.reflections.findSource(id, sourceId)

describe('[K4] the same bytes under another source', () => {
  test('are skipped, and the problem names the other source and what to do', async () => {
    const id = await createReflection()
    const first = await ingestSource(base, id, { title: 'Letter', chunks: [SAID] })
    const second = await add(id)
    expect(await open(second)).toBeUndefined()
    expect(await open(second)).toBeUndefined()
    const { state, chunks, problem } = (await find(id, second)) ?? {}
    expect({ state, chunks }).toEqual({ state: 'duplicate_skipped', chunks: 0 })
    expect(problem).toContain(`“Letter” (${first})`)
    expect(problem).toContain('To replace it')
    expect(await find(id, first)).toMatchObject({ state: 'completed', chunks: 1 })
  })

  test('are learned in another namespace, and in another reflection', async () => {
    const [id, other] = [await createReflection(), await createReflection()]
    await base.database.reflections.addNamespace(id, 'letters', ADA)
    await ingestSource(base, id, { chunks: [SAID] })
    await expect(openIngestRun(base.learning, await add(id, { namespace: 'letters' }))).resolves.toBeDefined()
    await expect(openIngestRun(base.learning, await add(other))).resolves.toBeDefined()
  })

  test('are skipped while the first source is still being ingested, in either order', async () => {
    const id = await createReflection()
    const [first, second] = [await add(id), await add(id)]
    expect(await open(second)).toBeUndefined()
    const run = await openIngestRun(base.learning, first)
    expect(await open(second)).toBeUndefined()
    await base.learning.ingest.apply(run, 'completed')
    expect(await find(id, first)).toMatchObject({ state: 'completed' })
    expect(await find(id, second)).toMatchObject({ state: 'duplicate_skipped' })
  })

  test('are learned if the first source failed', async () => {
    const id = await createReflection()
    const first = await openIngestRun(base.learning, await add(id))
    await base.learning.ingest.fail(first, 'The disk was full.')
    const second = await openIngestRun(base.learning, await add(id))
    await base.learning.ingest.apply(second, 'completed')
    await add(id, { sourceId: first.sourceId })
    expect(await open(first.sourceId)).toBeUndefined()
    expect(await find(id, first.sourceId)).toMatchObject({ state: 'duplicate_skipped' })
  })

  test('are learned if they are added again after the first source was removed', async () => {
    const id = await createReflection()
    const first = await ingestSource(base, id, { chunks: [SAID] })
    const second = await add(id)
    expect(await open(second)).toBeUndefined()
    await base.database.reflections.removeSource(id, first, ADA)
    await base.learning.learning.eraseSource(first)
    expect(await find(id, second)).toMatchObject({ problem: expect.stringContaining('Add this one again') })
    await add(id, { sourceId: second })
    expect(await find(id, second)).toMatchObject({ state: 'queued' })
    await base.learning.ingest.apply(await openIngestRun(base.learning, second), 'completed')
    const learned = await find(id, second)
    expect(learned).toMatchObject({ state: 'completed' })
    expect(learned).not.toHaveProperty('problem')
  })
})
