import type { PatchId, ReflectionId } from '@parley/contracts'
import type { NewFact } from '@parley/knowledge'
import { describe, expect, test } from 'vitest'
import { ADA, createFact, ingestSource, useKnowledgeBase } from './knowledge/testing/knowledge-base.ts'

const base = await useKnowledgeBase()

let texts = 0

/** A source with these facts, applied at once or waiting for a person. */
async function ingestFacts(
  id: ReflectionId,
  facts: readonly NewFact[],
  verdict: 'approve' | 'ask',
): Promise<PatchId> {
  texts += 1
  await ingestSource(base, id, { chunks: [`Text ${texts}`], facts, verdict })
  const [patch] = (await base.database.reflections.listPatches(id, { limit: 1 })).items
  if (!patch) throw new Error('there is no patch')
  return patch.id
}

const approve = async (known: readonly NewFact[], said: readonly NewFact[]) => {
  const { id } = await base.database.reflections.create({ displayName: 'Ada Holm', ownerId: ADA })
  if (known.length > 0) await ingestFacts(id, known, 'approve')
  const patchId = await ingestFacts(id, said, 'ask')
  await base.learning.learning.applyReview(patchId, 'approve', ADA)
  return { id, patchId }
}

const listActiveFacts = async (id: ReflectionId) =>
  (await base.database.reflections.listFacts(id, { limit: 50, state: 'active' })).items
    .map(({ object }) => object)
    .toSorted()

const at = (predicate: string, object: string, given: Partial<NewFact> = {}) => ({
  ...createFact('Ada', predicate, object),
  ...given,
})

describe('[K3] an approved fact', () => {
  test.each(['born_in', 'lives_in', 'works_at', 'married_to'])(
    'takes the place of what cannot be true beside it: %s; reverting brings that back',
    async (predicate) => {
      const { id, patchId } = await approve([at(predicate, 'Oslo')], [at(predicate, 'Rome')])
      expect(await listActiveFacts(id)).toEqual(['Rome'])
      const patch = await base.database.reflections.findPatch(id, patchId)
      expect(patch).toMatchObject({ status: 'applied', supersedes: [{ object: 'Oslo' }] })
      expect(patch?.facts).toMatchObject([{ supersedesFactId: patch?.supersedes[0]?.id }])
      await base.learning.learning.applyReview(patchId, 'revert', ADA)
      expect(await listActiveFacts(id)).toEqual(['Oslo'])
    },
  )

  test.each<[string, NewFact[], NewFact[], string[]]>([
    ['what may well be true beside it stays', [at('likes', 'tea')], [at('likes', 'rain')], ['rain', 'tea']],
    [
      'the opposite ends',
      [at('likes', 'tea')],
      [{ ...at('dislikes', 'tea'), statement: 'Not tea.' }],
      ['tea'],
    ],
    [
      'a part of the same place is no other place',
      [at('lives_in', 'Oslo')],
      [at('lives_in', 'Old Oslo')],
      ['Old Oslo', 'Oslo'],
    ],
    [
      'of two in one patch the later counts',
      [],
      [at('lives_in', 'Rome', { validFrom: '2020' }), at('lives_in', 'Oslo', { validFrom: '2010' })],
      ['Rome'],
    ],
    [
      'of two without a date the surer counts',
      [],
      [at('born_in', 'Rome', { confidence: 0.95 }), at('born_in', 'Oslo', { confidence: 0.6 })],
      ['Rome'],
    ],
    ['else the one that is said later', [], [at('born_in', 'Oslo'), at('born_in', 'Rome')], ['Rome']],
    [
      'what something newer contradicts is left out',
      [at('lives_in', 'Rome', { validFrom: '2020' })],
      [at('lives_in', 'Oslo', { validFrom: '2010' }), at('likes', 'tea')],
      ['Rome', 'tea'],
    ],
    [
      'where somebody was born does not change with the years',
      [at('born_in', 'Rome', { validFrom: '2020' })],
      [at('born_in', 'Oslo', { validFrom: '2010' })],
      ['Oslo'],
    ],
  ])('%s', async (_, known, said, expected) => {
    expect(await listActiveFacts((await approve(known, said)).id)).toEqual(expected)
  })

  test('replaces all facts that contradict it', async () => {
    const { id } = await base.database.reflections.create({ displayName: 'Ada Holm', ownerId: ADA })
    await ingestFacts(id, [at('born_in', 'Oslo')], 'approve')
    await ingestFacts(id, [at('born_in', 'Oslo')], 'approve')
    const patchId = await ingestFacts(id, [at('born_in', 'Rome')], 'ask')
    await base.learning.learning.applyReview(patchId, 'approve', ADA)
    expect(await listActiveFacts(id)).toEqual(['Rome'])
    await base.learning.learning.applyReview(patchId, 'revert', ADA)
    expect(await listActiveFacts(id)).toEqual(['Oslo'])
  })
})

test('[K2] an ended fact ends when its successor begins', async () => {
  const { id } = await approve([at('lives_in', 'Oslo')], [at('lives_in', 'Rome', { validFrom: '2020' })])
  const { items } = await base.database.reflections.listFacts(id, { limit: 9 })
  expect(items.find(({ object }) => object === 'Oslo')).toMatchObject({ validTo: '2020' })
  const undated = await approve([at('lives_in', 'Oslo')], [at('lives_in', 'Rome')])
  const { items: others } = await base.database.reflections.listFacts(undated.id, { limit: 9 })
  const oslo = others.find(({ object }) => object === 'Oslo')
  expect(oslo).toMatchObject({ supersededAt: expect.any(String) })
  expect(oslo).not.toHaveProperty('validTo')
})
