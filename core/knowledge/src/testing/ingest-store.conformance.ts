import { describe, expect, test } from 'vitest'
import type { SourceId } from '@parley/contracts'
import { toEntityKey } from '../facts/names.ts'
import { ingest } from '../phases/ingest.ts'
import type { Chunk, IngestHost, IngestRun, IngestStore, NewFact } from '../ports/ingest-store.ts'
import { type IngestStoreUnderTest, type StoredFact, dyingIngestStore } from './ingest-store-under-test.ts'

/** A fact with a quote from the first of `CHUNKS`. */
const newFact = (given: Partial<NewFact> = {}): NewFact => {
  const { subject = 'Ada Holm', object = 'Oslo' } = given
  return {
    subject,
    predicate: 'lives_in',
    object,
    statement: `${subject} lives in ${object}.`,
    confidence: 0.9,
    subjectKey: toEntityKey(subject),
    objectKey: toEntityKey(object),
    evidence: [{ quote: 'I live in Oslo.', place: { heading: 'Now', line: 3 }, chunk: 1 }],
    ...given,
  }
}

const CHUNKS: readonly Chunk[] = [
  { ordinal: 1, text: 'I live in Oslo. “Ünder” 🌊', place: { heading: 'Now', line: 3 } },
  { ordinal: 2, text: 'I like tea.', place: {} },
  { ordinal: 3, text: 'The sea is cold.', place: { page: 2, date: '2020-05-01' } },
]

const approved = { verdict: 'approve', findings: [], rejected: [], supersedes: [] } as const

const extractText: IngestHost['extractText'] = async ({ bytes, mediaType }) => ({
  mediaType,
  segments: [{ text: decodeUtf8(bytes), place: { line: 1 } }],
})

/** Decodes UTF-8. The core has no `TextDecoder`. */
const decodeUtf8 = (bytes: Uint8Array): string =>
  decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))

const never = new AbortController().signal

const openRun = async (store: IngestStore, sourceId: SourceId): Promise<IngestRun> => {
  const run = await store.openRun(sourceId)
  if (!run) throw new Error(`The source ${sourceId} has no run.`)
  return run
}

/** The conformance suite for all ingest stores. */
export function describeIngestStore(name: string, open: () => Promise<IngestStoreUnderTest>) {
  describe(`IngestStore: ${name}`, () => {
    const opened = open()

    let texts = 0
    const startRun = async (text?: string, namespace = 'general') => {
      texts += 1
      const under = await opened
      const sourceId = await under.addSource({ text: text ?? `Text number ${texts}`, namespace })
      return { ...under, sourceId, run: await openRun(under.store, sourceId) }
    }

    test('[K4] opens a run of a new source with its bytes and no completed phases', async () => {
      const { store, run, sourceId } = await startRun('Grüße 🌊')
      expect(run).toMatchObject({ sourceId, displayName: 'Ada Holm', approval: 'by_rule', done: [] })
      const { bytes, mediaType } = await store.readOriginal(run)
      expect(decodeUtf8(bytes)).toBe('Grüße 🌊')
      expect(mediaType).toMatch(/^text\/plain/)
    })

    test('[K4] reopening returns the same run with its completed phases', async () => {
      const { store, run, sourceId } = await startRun()
      await store.recordPhase(run, 'read', 'done')
      await store.recordPhase(run, 'extract', 'done')
      await store.recordPhase(run, 'extract', 'done')
      await store.recordPhase(run, 'facts', { done: 3, total: 10 })
      const again = await openRun(store, sourceId)
      expect(again.id).toBe(run.id)
      expect([...again.done].toSorted()).toEqual(['extract', 'read'])
    })

    test('[K4] reads back the text that was saved last', async () => {
      const { store, run } = await startRun()
      const text = {
        mediaType: 'text/markdown',
        title: 'A “title”',
        segments: [
          {
            text: 'One \\ "two"\n🌊',
            place: { page: 1, line: 2, heading: 'H', speaker: 'S', offset: '00:00:01' },
          },
          { text: 'Two', place: { date: '2020-01-01' } },
        ],
      }
      await store.saveText(run, { mediaType: 'text/plain', segments: [] })
      await store.saveText(run, text)
      expect(await store.readText(run)).toEqual(text)
    })

    test('[K4] reads chunks back in pages; they are not searchable before they are applied', async () => {
      const { store, run, sourceId, chunksOf } = await startRun()
      await store.saveChunks(run, CHUNKS.slice(0, 2))
      await store.saveChunks(run, CHUNKS)
      expect(await store.readChunks(run, 0, 2)).toEqual(CHUNKS.slice(0, 2))
      expect(await store.readChunks(run, 2, 2)).toEqual(CHUNKS.slice(2))
      expect(await store.readChunks(run, 3, 2)).toEqual([])
      expect(await chunksOf(sourceId)).toEqual([])
    })

    test('[K3] a run has one patch: saving again replaces it', async () => {
      const { store, run } = await startRun()
      await store.saveChunks(run, CHUNKS)
      expect(await store.readPatch(run)).toBeUndefined()
      await store.savePatch(run, [newFact({ object: 'Rome' }), newFact()])
      const note = { rule: 'extraction', severity: 'note', message: 'By rules.' } as const
      await store.savePatch(run, [newFact({ validFrom: '2010', validTo: '2015-05' })], [note])
      const patch = await store.readPatch(run)
      expect(patch?.notes).toEqual([note])
      expect(patch?.facts).toEqual([
        { ...newFact({ validFrom: '2010', validTo: '2015-05' }), id: expect.stringMatching(/^fct_/) },
      ])
      await store.savePatch(run, [])
      expect(await store.readPatch(run)).toBeUndefined()
    })

    test('[K3] reads back the evaluation that was saved last', async () => {
      const { store, run } = await startRun()
      await store.saveChunks(run, CHUNKS)
      await store.savePatch(run, [newFact(), newFact({ object: 'Rome' })])
      const [first, second] = (await store.readPatch(run))?.facts ?? []
      if (!first || !second) throw new Error('The patch must have two facts.')
      expect(await store.readEvaluation(run)).toBeUndefined()
      const evaluation = {
        verdict: 'ask',
        findings: [{ factId: first.id, rule: 'third_party', severity: 'ask', message: 'Whose is it?' }],
        rejected: [second.id],
        supersedes: [],
      } as const
      await store.saveEvaluation(run, approved)
      await store.saveEvaluation(run, evaluation)
      expect(await store.readEvaluation(run)).toEqual(evaluation)
    })

    const applyFacts = async (facts: readonly NewFact[], namespace: string) => {
      const started = await startRun(undefined, namespace)
      const { store, run } = started
      await store.saveText(run, { mediaType: 'text/plain', segments: [] })
      await store.saveChunks(run, CHUNKS)
      await store.savePatch(run, facts)
      await store.saveEvaluation(run, approved)
      await store.apply(run, 'completed')
      return started
    }

    test('[K3] an applied patch has searchable chunks, active facts and a completed run', async () => {
      const { store, run, sourceId, factsOf, chunksOf, endOf } = await applyFacts([newFact()], 'applied')
      await store.apply(run, 'completed')
      expect(await chunksOf(sourceId)).toEqual(CHUNKS.map(({ text }) => text))
      expect(await factsOf(sourceId)).toMatchObject([{ object: 'Oslo', state: 'active', isCurrent: true }])
      expect(await endOf(sourceId)).toMatchObject({ outcome: 'completed' })
      expect(await store.openRun(sourceId)).toBeUndefined()
    })

    test('[K3] excluded candidates become rejected, and replaced facts are no longer active', async () => {
      const before = await applyFacts([newFact({ object: 'Bergen' })], 'superseding')
      const { store, run, sourceId, factsOf } = await startRun(undefined, 'superseding')
      await store.saveChunks(run, CHUNKS)
      await store.savePatch(run, [newFact(), newFact({ object: 'Rome' })])
      const [oslo, rome] = (await store.readPatch(run))?.facts ?? []
      const [bergen] = (await store.readActiveFacts(run, ['ada holm', 'mara'])).facts
      if (!oslo || !rome || !bergen) throw new Error('A fact is missing.')
      expect(bergen).toMatchObject({ object: 'Bergen', predicate: 'lives_in', subjectKey: 'ada holm' })
      const supersedes = [{ factId: bergen.id, by: oslo.id }]
      await store.saveEvaluation(run, { ...approved, rejected: [rome.id], supersedes })
      await store.apply(run, 'completed')
      const states = (await factsOf(sourceId)).map(({ object, state }) => `${object} is ${state}`)
      expect(states.toSorted()).toEqual(['Oslo is active', 'Rome is rejected'])
      expect(await factsOf(before.sourceId)).toMatchObject([{ object: 'Bergen', isCurrent: false }])
      const later = await startRun(undefined, 'superseding')
      const { facts } = await store.readActiveFacts(later.run, ['ada holm'])
      expect(facts.map(({ object }) => object)).toEqual(['Oslo'])
    })

    test('[K3] a pending or rejected patch has no active facts, but its text is searchable', async () => {
      for (const [verdict, outcome, state] of [
        ['ask', 'completed', 'candidate'],
        ['reject', 'eval_rejected', 'rejected'],
      ] as const) {
        const { store, run, sourceId, factsOf, chunksOf, endOf } = await startRun(undefined, 'waiting')
        await store.saveChunks(run, CHUNKS)
        await store.savePatch(run, [newFact()])
        await store.saveEvaluation(run, { ...approved, verdict })
        await store.apply(run, outcome)
        expect(await factsOf(sourceId)).toMatchObject([{ state }])
        expect(await chunksOf(sourceId)).toHaveLength(CHUNKS.length)
        expect(await endOf(sourceId)).toMatchObject({ outcome })
        expect((await store.readActiveFacts(run, ['ada holm'])).facts).toEqual([])
      }
    })

    test('[P5] a fact of one namespace is unknown in another', async () => {
      await applyFacts([newFact({ subject: 'Quill', object: 'Tern' })], 'one')
      const { store, run } = await startRun(undefined, 'other')
      expect((await store.readActiveFacts(run, ['quill'])).facts).toEqual([])
    })

    test('[K4] an unreadable file ends its run with the reason', async () => {
      const { store, run, sourceId, endOf, chunksOf } = await startRun()
      const why = 'It is a picture. Save it as text.'
      const outcome = await ingest(run, {
        store,
        extractText: async () => ({ kind: 'unreadable', why }),
        signal: never,
      })
      expect(outcome).toBe('failed')
      expect(await endOf(sourceId)).toEqual({ outcome: 'failed', problem: why })
      expect(await chunksOf(sourceId)).toEqual([])
    })

    test('[K4] the same bytes are ingested once; changed bytes replace them', async () => {
      const { store, sourceId, run, addSource, chunksOf, factsOf } = await startRun(
        'I live in Oslo. I love old boats.',
        'versions',
      )
      const host = { store, extractText, signal: never }
      expect(await ingest(run, host)).toBe('completed')
      const first = await factsOf(sourceId)
      expect(first.map(({ object }) => object).toSorted()).toEqual(['Oslo', 'old boats'])

      await addSource({ text: 'I live in Oslo. I love old boats.', namespace: 'versions', sourceId })
      expect(await store.openRun(sourceId)).toBeUndefined()

      await addSource({ text: 'I live in Oslo. I love new boats.', namespace: 'versions', sourceId })
      expect(await ingest(await openRun(store, sourceId), host)).toBe('completed')
      expect(await chunksOf(sourceId)).toEqual(['I live in Oslo. I love new boats.'])
      const all = await factsOf(sourceId)
      expect(activeObjects(all)).toEqual(['Oslo', 'new boats'])
      expect(all).toHaveLength(4)
    })

    test('[K4] a namespace ingests the same bytes once, even while the first run is in progress', async () => {
      const { store, run, addSource, endOf } = await startRun('I love old boats.', 'twice')
      const again = await addSource({ text: 'I love old boats.', namespace: 'twice' })
      expect(await store.openRun(again)).toBeUndefined()
      await ingest(run, { store, extractText, signal: never })
      expect(await store.openRun(again)).toBeUndefined()
      expect(await endOf(again)).toMatchObject({ outcome: 'duplicate_skipped' })
      expect(await endOf(run.sourceId)).toEqual({ outcome: 'completed' })
      const elsewhere = await addSource({ text: 'I love old boats.', namespace: 'once' })
      expect(await store.openRun(elsewhere)).toBeDefined()
    })

    test('[K4] an earlier version that returns is ingested again, and the history stays', async () => {
      const [first, second] = ['I live in Oslo. I love old boats.', 'I live in Oslo. I love new boats.']
      const { store, sourceId, addSource, chunksOf, factsOf, endOf } = await startRun(first, 'back')
      const host = { store, extractText, signal: never }
      for (const text of [first, second, first, second]) {
        await addSource({ text, namespace: 'back', sourceId })
        expect(await ingest(await openRun(store, sourceId), host)).toBe('completed')
        expect(await endOf(sourceId)).toEqual({ outcome: 'completed' })
        expect(await store.openRun(sourceId)).toBeUndefined()
        expect(await chunksOf(sourceId)).toEqual([text])
      }
      const all = await factsOf(sourceId)
      expect(all).toHaveLength(8)
      expect(activeObjects(all)).toEqual(['Oslo', 'new boats'])
    })

    test.each(['before', 'after'] as const)(
      '[K4] [X4] a run killed %s any write of restored bytes resumes with the same outcome, without duplicates',
      async (when) => {
        const { store, addSource, factsOf, chunksOf, endOf } = await opened
        const [text, other] = ['I live in Oslo. I love old boats.', 'I live in Rome.']
        let isKilled = true
        for (let writes = 1; isKilled; writes += 1) {
          const namespace = `killed-${when}-${writes}`
          const sourceId = await addSource({ text, namespace })
          const host = { store, extractText, signal: never }
          await ingest(await openRun(store, sourceId), host)
          await addSource({ text: other, namespace, sourceId })
          await ingest(await openRun(store, sourceId), host)
          await addSource({ text, namespace, sourceId })
          const dying = { ...host, store: dyingIngestStore(store, writes, when) }
          isKilled = await ingest(await openRun(store, sourceId), dying).then(
            () => false,
            () => true,
          )
          const again = await store.openRun(sourceId)
          if (again) await ingest(again, host)
          expect(await endOf(sourceId)).toEqual({ outcome: 'completed' })
          expect(await chunksOf(sourceId)).toEqual([text])
          const facts = await factsOf(sourceId)
          expect(facts).toHaveLength(5)
          expect(activeObjects(facts)).toEqual(['Oslo', 'old boats'])
        }
      },
    )

    test.each([
      ['a fact of two sources', ['I live in Oslo.', 'I live in Oslo, I do.'], 'same', ['Oslo']],
      ['one of two contradicting facts', ['I live in Oslo.', 'I live in Rome.'], 'other', ['Oslo or Rome']],
    ])(
      '[K3] [X4] %s is active once after two simultaneous runs',
      async (_, contents, namespace, expected) => {
        const { addSource, store, factsOf } = await opened
        const sourceIds = []
        for (const text of contents) sourceIds.push(await addSource({ text, namespace }))
        const runs = await Promise.all(sourceIds.map((sourceId) => openRun(store, sourceId)))
        const host = { store: synchroniseEvaluations(store, 2), extractText, signal: never }
        const outcomes = await Promise.all(runs.map((run) => ingest(run, host)))
        expect(outcomes).toEqual(['completed', 'completed'])
        const all = (await Promise.all(sourceIds.map(factsOf))).flat()
        expect(all).toHaveLength(2)
        expect(
          activeObjects(all).map((object) => (expected.includes(object) ? object : 'Oslo or Rome')),
        ).toEqual(expected)
      },
    )

    test('[K3] an evaluation from before another applied patch is stale and changes nothing', async () => {
      const before = await startRun(undefined, 'stale')
      const { store, run } = before
      await store.saveChunks(run, CHUNKS)
      await store.savePatch(run, [newFact()])
      const { revision } = await store.readActiveFacts(run, [])
      await applyFacts([newFact({ object: 'Rome' })], 'stale')
      await store.saveEvaluation(run, { ...approved, against: revision })
      expect(await store.apply(run, 'completed')).toBe('stale')
      expect(await before.chunksOf(before.sourceId)).toEqual([])
      const { revision: since } = await store.readActiveFacts(run, [])
      await store.saveEvaluation(run, { ...approved, against: since })
      expect(await store.apply(run, 'completed')).toBe('applied')
      expect(await store.apply(run, 'completed')).toBe('applied')
    })

    test('[K2] a fact of two sources stays active when one source drops it', async () => {
      const first = await startRun('I love old boats. I love tea.', 'repeats')
      const host = { store: first.store, extractText, signal: never }
      await ingest(first.run, host)
      const second = await startRun('I love old boats, I do. I love rain.', 'repeats')
      await ingest(second.run, host)
      expect(activeObjects(await first.factsOf(first.sourceId))).toEqual(['old boats', 'tea'])
      expect(activeObjects(await first.factsOf(second.sourceId))).toEqual(['rain'])
      await first.addSource({ text: 'I love tea.', namespace: 'repeats', sourceId: first.sourceId })
      await ingest(await openRun(first.store, first.sourceId), host)
      expect(activeObjects(await first.factsOf(first.sourceId))).toEqual(['tea'])
      expect(activeObjects(await first.factsOf(second.sourceId))).toEqual(['old boats', 'rain'])
    })

    test('[K2] replacing a fact also replaces its repetitions in other sources', async () => {
      const first = await startRun('I have lived in Oslo since 2001.', 'moves')
      const host = { store: first.store, extractText, signal: never }
      await ingest(first.run, host)
      const second = await startRun('I have lived in Oslo since 2001, I have.', 'moves')
      await ingest(second.run, host)
      await first.addSource({
        text: 'I have lived in Rome since 2010.',
        namespace: 'moves',
        sourceId: first.sourceId,
      })
      await ingest(await openRun(first.store, first.sourceId), host)
      expect(activeObjects(await first.factsOf(first.sourceId))).toEqual(['Rome'])
      expect(activeObjects(await first.factsOf(second.sourceId))).toEqual([])
    })
  })
}

/** Delays each evaluation until all are saved, so none sees another's result. */
const synchroniseEvaluations = (store: IngestStore, count: number): IngestStore => {
  const { promise: all, resolve } = Promise.withResolvers<void>()
  let saved = 0
  return {
    ...store,
    async saveEvaluation(run, evaluation) {
      await store.saveEvaluation(run, evaluation)
      saved += 1
      if (saved >= count) resolve()
      await all
    },
  }
}

const activeObjects = (facts: readonly StoredFact[]): readonly string[] =>
  facts
    .filter(({ state, isCurrent }) => state === 'active' && isCurrent)
    .map(({ object }) => object)
    .toSorted()
