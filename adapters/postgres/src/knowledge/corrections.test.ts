import type { PatchId, ReflectionId } from '@parley/contracts'
import { ingest, proposeCorrection, retrieve } from '@parley/knowledge'
import { describe, expect, test } from 'vitest'
import { runSql } from '../server/testing/test-cluster.ts'
import {
  ADA,
  BEN,
  createFact,
  openIngestRun,
  ingestSource,
  useKnowledgeBase,
} from './testing/knowledge-base.ts'

const base = await useKnowledgeBase()

const oslo = createFact('Ada Holm', 'lives_in', 'Oslo')
const facts = [
  oslo,
  createFact('Ada Holm', 'likes', 'tea'),
  createFact('Mara', 'lives_in', 'Oslo'),
  createFact('Ada Holm', 'married_to', 'Tomas Berg'),
]

async function createLearnedReflection(): Promise<ReflectionId> {
  const { id } = await base.database.reflections.create({ displayName: 'Ada Holm', ownerId: ADA })
  await ingestSource(base, id, { chunks: ['I live in Oslo and like tea. So does Mara.'], facts })
  return id
}

const listActiveFacts = async (id: ReflectionId) => {
  const { items } = await base.database.reflections.listFacts(id, { limit: 50, state: 'active' })
  return items.map(({ statement }) => statement).toSorted()
}

const propose = async (id: ReflectionId, meant: string, correction: string) => {
  const { patchId } = await base.database.reflections.proposeCorrection(id, { fact: meant, correction }, BEN)
  await proposeCorrection(patchId, base.learning.learning)
  return (
    (await base.database.reflections.findPatch(id, patchId)) ?? { id: patchId, status: 'missing', facts: [] }
  )
}

const learn = async (id: ReflectionId, text: string) => {
  const source = { title: text, namespace: 'general', bytes: Buffer.from(text), mediaType: 'text/plain' }
  const { id: sourceId } = await base.database.reflections.addSource(id, source, ADA)
  const run = await openIngestRun(base.learning, sourceId)
  await ingest(run, {
    store: base.learning.ingest,
    extractText: async ({ mediaType }) => ({ mediaType, segments: [{ text, place: {} }] }),
    signal: new AbortController().signal,
  })
  const { items } = await base.database.reflections.listPatches(id, { limit: 9 })
  return items.find((patch) => patch.sourceId === sourceId)
}

describe('[K3] propose-fact-correction', () => {
  test('creates a waiting patch, not a fact; once approved, it replaces the corrected fact', async () => {
    const { reflections } = base.database
    const id = await createLearnedReflection()
    const before = await listActiveFacts(id)
    const patch = await propose(id, 'Ada Holm lives in Oslo', 'I live in Bergen.')
    expect(patch).toMatchObject({
      origin: 'correction',
      status: 'proposed',
      facts: [
        {
          statement: 'Ada Holm lives in Bergen.',
          state: 'candidate',
          evidence: [{ quote: 'I live in Bergen.' }],
        },
      ],
    })
    expect(await listActiveFacts(id)).toEqual(before)

    await base.learning.learning.applyReview(patch.id, 'approve', ADA)
    expect(await listActiveFacts(id)).toEqual([
      'Ada Holm likes tea.',
      'Ada Holm lives in Bergen.',
      'Ada Holm married to Tomas Berg.',
      'Mara lives in Oslo.',
    ])
    const { evidence } = await retrieve(
      { query: 'Who lives in Bergen?', limit: 5 },
      { audience: 'private', reflectionId: id, publishRevision: 0, knowledgeRevision: 0 },
      { retriever: base.database.retriever, clock: Date, wait: () => new Promise(() => {}) },
    )
    expect(evidence.slice(0, 1)).toMatchObject([
      { kind: 'fact', text: 'Ada Holm lives in Bergen.', source: { title: 'Correction' } },
    ])
    await base.learning.learning.applyReview(patch.id, 'revert', ADA)
    expect(await listActiveFacts(id)).toEqual(before)
    expect(await reflections.findPatch(id, patch.id)).toMatchObject({ status: 'reverted' })
  })

  test.each([
    ['in words', 'that he lives in Oslo, Mara', 'Mara lives in Oslo.'],
    ['in words', 'Ada is married to Tomas Berg', 'Ada Holm married to Tomas Berg.'],
    ['without a name', 'that you live in Oslo', 'Ada Holm lives in Oslo.'],
    ['in a word', 'tea', 'Ada Holm likes tea.'],
    ['by its id', undefined, 'Ada Holm likes tea.'],
  ])('finds the intended fact %s', async (_, words, expected) => {
    const id = await createLearnedReflection()
    const { items } = await base.database.reflections.listFacts(id, { limit: 9 })
    const meant = items.find(({ statement }) => statement === expected)
    const patch = await propose(id, words ?? String(meant?.id), 'It was only ever a summer.')
    expect(patch).toMatchObject({
      status: 'proposed',
      supersedes: [{ id: meant?.id, statement: expected }],
      facts: [{ supersedesFactId: meant?.id }],
    })
  })

  test('a correction that matches no active fact is rejected at once, with a reason', async () => {
    const id = await createLearnedReflection()
    const other = await createLearnedReflection()
    const [foreign] = (await base.database.reflections.listFacts(other, { limit: 1 })).items
    for (const meant of [
      'the colour of the moon',
      String(foreign?.id),
      'Ada Holm',
      'Ada Holm eats glass.',
      'Ada Holm lives on glass.',
      'Mara likes glass.',
      'Tomas Berg smokes.',
      'Mara likes tea.',
    ]) {
      const patch = await propose(id, meant, 'It is green.')
      expect(patch).toMatchObject({
        status: 'rejected',
        facts: [],
        findings: [{ rule: 'correction', severity: 'reject' }],
      })
    }
  })

  test('[V15] a correction that states nothing is rejected, and leaves the fact unchanged', async () => {
    const id = await createLearnedReflection()
    const before = await listActiveFacts(id)
    expect(await propose(id, 'Ada Holm lives in Oslo', 'no.')).toMatchObject({
      status: 'rejected',
      facts: [],
      supersedes: [],
      findings: [{ severity: 'reject', message: expect.stringContaining('what is true instead') }],
    })
    expect(await listActiveFacts(id)).toEqual(before)
  })

  test('[X4] repeated or concurrent, creates one patch', async () => {
    const id = await createLearnedReflection()
    const { patchId } = await base.database.reflections.proposeCorrection(
      id,
      { fact: 'Ada Holm lives in Oslo', correction: 'I live in Bergen.\0' },
      BEN,
    )
    const { learning } = base.learning
    const asked = await learning.readCorrection(patchId)
    await Promise.all([proposeCorrection(patchId, learning), proposeCorrection(patchId, learning)])
    if (asked)
      await learning.saveCorrection(asked, {
        evaluation: { verdict: 'ask', findings: [], rejected: [], supersedes: [] },
      })
    await proposeCorrection(patchId, learning)
    const { items } = await base.database.reflections.listPatches(id, { limit: 9, status: 'proposed' })
    expect(items).toMatchObject([{ id: patchId, facts: [{ object: 'Bergen' }] }])
  })

  test('stays in force: a source cannot activate the corrected statement again, and other statements about it wait', async () => {
    const id = await createLearnedReflection()
    const patch = await propose(id, 'Ada Holm lives in Oslo', 'I live in Bergen.')
    await base.learning.learning.applyReview(patch.id, 'approve', ADA)
    expect(await learn(id, 'I live in Oslo. I love rain.')).toMatchObject({
      status: 'applied',
      facts: [
        { object: 'Oslo', state: 'rejected' },
        { object: 'rain', state: 'active' },
      ],
      findings: [{ rule: 'correction', severity: 'note' }],
    })
    expect(await learn(id, 'I live in Rome.')).toMatchObject({ status: 'proposed' })
    expect(await listActiveFacts(id)).toContain('Ada Holm lives in Bergen.')
  })

  test('[K1] writes a request under the server login, and no patch', async () => {
    const id = await createLearnedReflection()
    const { patchId } = await base.database.reflections.proposeCorrection(
      id,
      { fact: 'x', correction: 'y' },
      BEN,
    )
    expect(await base.database.reflections.findPatch(id, patchId)).toBeUndefined()
    expect(
      await runSql(
        base.databaseUrl,
        `select from pgboss.job where name = 'propose-correction' and data ->> 'patchId' = '${patchId}'`,
      ),
    ).toHaveLength(1)
    await expect(
      base.database.reflections.proposeCorrection(
        'rfl_none' as ReflectionId,
        { fact: 'x', correction: 'y' },
        BEN,
      ),
    ).rejects.toMatchObject({ code: 'reflection_not_found' })
    await expect(proposeCorrection('pat_none' as PatchId, base.learning.learning)).resolves.toBeUndefined()
  })
})
