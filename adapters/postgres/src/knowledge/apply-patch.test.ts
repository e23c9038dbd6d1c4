import type { ReflectionId } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { ADA, createFact, ingestSource, useKnowledgeBase } from './testing/knowledge-base.ts'

const base = await useKnowledgeBase()

const createReflection = () => base.database.reflections.create({ displayName: 'Ada Holm', ownerId: ADA })

const toHomeFact = (where: string) => [createFact('Ada', 'lives_in', where)]

const activeFacts = async (id: ReflectionId) =>
  (await base.database.reflections.listFacts(id, { limit: 50, state: 'active' })).items

/** Sources with the same statement, applied at the same time. */
const ingestChunks = (id: ReflectionId, chunks: readonly string[]) =>
  Promise.all(chunks.map((chunk) => ingestSource(base, id, { chunks: [chunk], facts: toHomeFact('Oslo') })))

describe('[K2] a statement of several sources', () => {
  test('is active once, with the evidence of all sources', async () => {
    const { id } = await createReflection()
    const sources = await ingestChunks(id, ['Ada lives in Oslo.', 'Oslo it is.', 'In Oslo, Ada.'])
    const [known, ...others] = await activeFacts(id)
    expect(others).toEqual([])
    expect(known?.evidence.map(({ sourceId }) => sourceId).toSorted()).toEqual(sources.toSorted())
    const { items } = await base.database.reflections.listFacts(id, { limit: 50 })
    expect(items.map(({ state, repeatsFactId }) => [state, repeatsFactId])).toEqual(
      items.map((item) => ['active', item.id === known?.id ? undefined : known?.id]),
    )
    const rejected = await base.database.reflections.listFacts(id, { limit: 50, state: 'rejected' })
    expect(rejected.items).toEqual([])
    for (const sourceId of sources) {
      expect(await base.database.reflections.findSource(id, sourceId)).toMatchObject({ facts: 1 })
    }
  })

  test('stays active until the last source is removed', async () => {
    const { id } = await createReflection()
    const left = [...(await ingestChunks(id, ['Ada lives in Oslo.', 'Oslo it is.', 'In Oslo, Ada.']))]
    while (left.length > 0) {
      const [known, ...others] = await activeFacts(id)
      expect(others).toEqual([])
      expect(known?.evidence.map(({ sourceId }) => sourceId).toSorted()).toEqual(left.toSorted())
      const [gone] = left.splice(0, 1)
      if (!gone) continue
      await base.database.reflections.removeSource(id, gone, ADA)
      await base.learning.learning.eraseSource(gone)
    }
    expect(await activeFacts(id)).toEqual([])
  })

  test('ends for one source when its patch is reverted, and for all when another fact replaces it', async () => {
    const { learning } = base.learning
    const { reflections } = base.database
    const { id } = await createReflection()
    await ingestChunks(id, ['Ada lives in Oslo.', 'Oslo it is.'])
    const { items } = await reflections.listPatches(id, { limit: 9 })
    const [first] = items
    if (!first) throw new Error('There is no patch')
    await learning.applyReview(first.id, 'revert', ADA)
    const [known] = await activeFacts(id)
    expect(known?.evidence).toHaveLength(1)
    expect(known?.patchId).not.toBe(first.id)
    expect((await reflections.findPatch(id, first.id))?.facts).toMatchObject([{ state: 'rejected' }])
  })

  test('is a different statement in another namespace', async () => {
    const { id } = await createReflection()
    await base.database.reflections.addNamespace(id, 'letters', ADA)
    await ingestSource(base, id, { chunks: ['Ada lives in Oslo.'], facts: toHomeFact('Oslo') })
    await ingestSource(base, id, { chunks: ['Oslo!'], namespace: 'letters', facts: toHomeFact('Oslo') })
    expect((await activeFacts(id)).map(({ namespace }) => namespace).toSorted()).toEqual([
      'general',
      'letters',
    ])
  })
})
