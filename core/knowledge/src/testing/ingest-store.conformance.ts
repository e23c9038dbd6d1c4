import { describe, expect, test } from 'vitest'
import type { SourceId } from '@parley/contracts'
import { entityKey } from '../facts/names.ts'
import { ingest } from '../phases/ingest.ts'
import type { Chunk, IngestHost, IngestRun, IngestStore, NewFact } from '../ports/ingest-store.ts'
import { type IngestStoreUnderTest, type KeptFact, dyingIngestStore } from './ingest-store-under-test.ts'

/** A fact that the first of `CHUNKS` bears out. */
const newFact = (given: Partial<NewFact> = {}): NewFact => {
  const { subject = 'Ada Holm', object = 'Oslo' } = given
  return {
    subject,
    predicate: 'lives_in',
    object,
    statement: `${subject} lives in ${object}.`,
    confidence: 0.9,
    subjectKey: entityKey(subject),
    objectKey: entityKey(object),
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

const textOf: IngestHost['extractText'] = async ({ bytes, mediaType }) => ({
  mediaType,
  segments: [{ text: decoded(bytes), place: { line: 1 } }],
})

/** From UTF-8. */
const decoded = (bytes: Uint8Array): string =>
  decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))

const never = new AbortController().signal

const runOf = async (store: IngestStore, sourceId: SourceId): Promise<IngestRun> => {
  const run = await store.openRun(sourceId)
  if (!run) throw new Error(`there is no run of ${sourceId}`)
  return run
}

/** What every ingest store does, whatever it is made of. */
export function describeIngestStore(name: string, open: () => Promise<IngestStoreUnderTest>) {
  describe(`IngestStore: ${name}`, () => {
    const opened = open()

    let texts = 0
    const started = async (text?: string, namespace = 'general') => {
      texts += 1
      const under = await opened
      const sourceId = await under.addSource({ text: text ?? `Text number ${texts}`, namespace })
      return { ...under, sourceId, run: await runOf(under.store, sourceId) }
    }

    test('[K4] opens a run of a new source, with nothing done, and its bytes', async () => {
      const { store, run, sourceId } = await started('Grüße 🌊')
      expect(run).toMatchObject({ sourceId, displayName: 'Ada Holm', approval: 'by_rule', done: [] })
      const { bytes, mediaType } = await store.readOriginal(run)
      expect(decoded(bytes)).toBe('Grüße 🌊')
      expect(mediaType).toMatch(/^text\/plain/)
    })

    test('[K4] a run that is opened again is the same run, with the phases that are done', async () => {
      const { store, run, sourceId } = await started()
      await store.notePhase(run, 'read', 'done')
      await store.notePhase(run, 'extract', 'done')
      await store.notePhase(run, 'extract', 'done')
      await store.notePhase(run, 'facts', { done: 3, total: 10 })
      const again = await runOf(store, sourceId)
      expect(again.id).toBe(run.id)
      expect([...again.done].toSorted()).toEqual(['extract', 'read'])
    })

    test('[K4] text is read back as it was saved, and saved again without harm', async () => {
      const { store, run } = await started()
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

    test('[K4] chunks are read back in pages, and are not searched before they are applied', async () => {
      const { store, run, sourceId, chunksOf } = await started()
      await store.saveChunks(run, CHUNKS.slice(0, 2))
      await store.saveChunks(run, CHUNKS)
      expect(await store.readChunks(run, 0, 2)).toEqual(CHUNKS.slice(0, 2))
      expect(await store.readChunks(run, 2, 2)).toEqual(CHUNKS.slice(2))
      expect(await store.readChunks(run, 3, 2)).toEqual([])
      expect(await chunksOf(sourceId)).toEqual([])
    })

    test('[K3] a run has one patch: one that is saved again takes the place of the first', async () => {
      const { store, run } = await started()
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

    test('[K3] an evaluation is read back as it was saved last', async () => {
      const { store, run } = await started()
      await store.saveChunks(run, CHUNKS)
      await store.savePatch(run, [newFact(), newFact({ object: 'Rome' })])
      const [first, second] = (await store.readPatch(run))?.facts ?? []
      if (!first || !second) throw new Error('the patch has two facts')
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

    const applied = async (facts: readonly NewFact[], namespace: string) => {
      const there = await started(undefined, namespace)
      const { store, run } = there
      await store.saveText(run, { mediaType: 'text/plain', segments: [] })
      await store.saveChunks(run, CHUNKS)
      await store.savePatch(run, facts)
      await store.saveEvaluation(run, approved)
      await store.apply(run, 'completed')
      return there
    }

    test('[K3] an approved patch is applied: its chunks are searched, its facts active, its run ended', async () => {
      const { store, run, sourceId, factsOf, chunksOf, endOf } = await applied([newFact()], 'applied')
      await store.apply(run, 'completed')
      expect(await chunksOf(sourceId)).toEqual(CHUNKS.map(({ text }) => text))
      expect(await factsOf(sourceId)).toMatchObject([{ object: 'Oslo', state: 'active', isCurrent: true }])
      expect(await endOf(sourceId)).toMatchObject({ outcome: 'completed' })
      expect(await store.openRun(sourceId)).toBeUndefined()
    })

    test('[K3] excluded candidates become rejected, and replaced facts are no longer active', async () => {
      const before = await applied([newFact({ object: 'Bergen' })], 'superseding')
      const { store, run, sourceId, factsOf } = await started(undefined, 'superseding')
      await store.saveChunks(run, CHUNKS)
      await store.savePatch(run, [newFact(), newFact({ object: 'Rome' })])
      const [oslo, rome] = (await store.readPatch(run))?.facts ?? []
      const [bergen] = (await store.activeFacts(run, ['ada holm', 'mara'])).facts
      if (!oslo || !rome || !bergen) throw new Error('a fact is missing')
      expect(bergen).toMatchObject({ object: 'Bergen', predicate: 'lives_in', subjectKey: 'ada holm' })
      const supersedes = [{ factId: bergen.id, by: oslo.id }]
      await store.saveEvaluation(run, { ...approved, rejected: [rome.id], supersedes })
      await store.apply(run, 'completed')
      const states = (await factsOf(sourceId)).map(({ object, state }) => `${object} is ${state}`)
      expect(states.toSorted()).toEqual(['Oslo is active', 'Rome is rejected'])
      expect(await factsOf(before.sourceId)).toMatchObject([{ object: 'Bergen', isCurrent: false }])
      const later = await started(undefined, 'superseding')
      const { facts } = await store.activeFacts(later.run, ['ada holm'])
      expect(facts.map(({ object }) => object)).toEqual(['Oslo'])
    })

    test('[K3] a patch that waits, or is rejected, makes nothing active, but its text is searched', async () => {
      for (const [verdict, outcome, state] of [
        ['ask', 'completed', 'candidate'],
        ['reject', 'eval_rejected', 'rejected'],
      ] as const) {
        const { store, run, sourceId, factsOf, chunksOf, endOf } = await started(undefined, 'waiting')
        await store.saveChunks(run, CHUNKS)
        await store.savePatch(run, [newFact()])
        await store.saveEvaluation(run, { ...approved, verdict })
        await store.apply(run, outcome)
        expect(await factsOf(sourceId)).toMatchObject([{ state }])
        expect(await chunksOf(sourceId)).toHaveLength(CHUNKS.length)
        expect(await endOf(sourceId)).toMatchObject({ outcome })
        expect((await store.activeFacts(run, ['ada holm'])).facts).toEqual([])
      }
    })

    test('[P5] a fact of one namespace is not known in another', async () => {
      await applied([newFact({ subject: 'Quill', object: 'Tern' })], 'one')
      const { store, run } = await started(undefined, 'other')
      expect((await store.activeFacts(run, ['quill'])).facts).toEqual([])
    })

    test('[K4] a file that cannot be read ends its run with why', async () => {
      const { store, run, sourceId, endOf, chunksOf } = await started()
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

    test('[K4] the same bytes of a source are ingested once; changed ones take their place', async () => {
      const { store, sourceId, run, addSource, chunksOf, factsOf } = await started(
        'I live in Oslo. I love old boats.',
        'versions',
      )
      const host = { store, extractText: textOf, signal: never }
      expect(await ingest(run, host)).toBe('completed')
      const first = await factsOf(sourceId)
      expect(first.map(({ object }) => object).toSorted()).toEqual(['Oslo', 'old boats'])

      await addSource({ text: 'I live in Oslo. I love old boats.', namespace: 'versions', sourceId })
      expect(await store.openRun(sourceId)).toBeUndefined()

      await addSource({ text: 'I live in Oslo. I love new boats.', namespace: 'versions', sourceId })
      expect(await ingest(await runOf(store, sourceId), host)).toBe('completed')
      expect(await chunksOf(sourceId)).toEqual(['I live in Oslo. I love new boats.'])
      const all = await factsOf(sourceId)
      expect(currentIn(all)).toEqual(['Oslo', 'new boats'])
      expect(all).toHaveLength(4)
    })

    test('[K4] the same bytes are learned once in a namespace, though the first is still under way', async () => {
      const { store, run, addSource, endOf } = await started('I love old boats.', 'twice')
      const again = await addSource({ text: 'I love old boats.', namespace: 'twice' })
      expect(await store.openRun(again)).toBeUndefined()
      await ingest(run, { store, extractText: textOf, signal: never })
      expect(await store.openRun(again)).toBeUndefined()
      expect(await endOf(again)).toMatchObject({ outcome: 'duplicate_skipped' })
      expect(await endOf(run.sourceId)).toEqual({ outcome: 'completed' })
      const elsewhere = await addSource({ text: 'I love old boats.', namespace: 'once' })
      expect(await store.openRun(elsewhere)).toBeDefined()
    })

    test('[K4] an earlier version that returns is learned again, and the history stays', async () => {
      const [first, second] = ['I live in Oslo. I love old boats.', 'I live in Oslo. I love new boats.']
      const { store, sourceId, addSource, chunksOf, factsOf, endOf } = await started(first, 'back')
      const host = { store, extractText: textOf, signal: never }
      for (const text of [first, second, first, second]) {
        await addSource({ text, namespace: 'back', sourceId })
        expect(await ingest(await runOf(store, sourceId), host)).toBe('completed')
        expect(await endOf(sourceId)).toEqual({ outcome: 'completed' })
        expect(await store.openRun(sourceId)).toBeUndefined()
        expect(await chunksOf(sourceId)).toEqual([text])
      }
      const all = await factsOf(sourceId)
      expect(all).toHaveLength(8)
      expect(currentIn(all)).toEqual(['Oslo', 'new boats'])
    })

    test.each(['before', 'after'] as const)(
      '[K4] [X4] killed %s any write of bytes that come back, and run again: the same end, nothing doubled',
      async (when) => {
        const { store, addSource, factsOf, chunksOf, endOf } = await opened
        const [text, other] = ['I live in Oslo. I love old boats.', 'I live in Rome.']
        let isKilled = true
        for (let writes = 1; isKilled; writes += 1) {
          const namespace = `killed-${when}-${writes}`
          const sourceId = await addSource({ text, namespace })
          const host = { store, extractText: textOf, signal: never }
          await ingest(await runOf(store, sourceId), host)
          await addSource({ text: other, namespace, sourceId })
          await ingest(await runOf(store, sourceId), host)
          await addSource({ text, namespace, sourceId })
          const dying = { ...host, store: dyingIngestStore(store, writes, when) }
          isKilled = await ingest(await runOf(store, sourceId), dying).then(
            () => false,
            () => true,
          )
          const again = await store.openRun(sourceId)
          if (again) await ingest(again, host)
          expect(await endOf(sourceId)).toEqual({ outcome: 'completed' })
          expect(await chunksOf(sourceId)).toEqual([text])
          const facts = await factsOf(sourceId)
          expect(facts).toHaveLength(5)
          expect(currentIn(facts)).toEqual(['Oslo', 'old boats'])
        }
      },
    )

    test.each([
      ['what two sources say', ['I live in Oslo.', 'I live in Oslo, I do.'], 'same', ['Oslo']],
      ['what cannot both be true', ['I live in Oslo.', 'I live in Rome.'], 'other', ['Oslo or Rome']],
    ])(
      '[K3] [X4] %s is active once, though both were learned at once',
      async (_, said, namespace, expected) => {
        const { addSource, store, factsOf } = await opened
        const sourceIds = []
        for (const text of said) sourceIds.push(await addSource({ text, namespace }))
        const runs = await Promise.all(sourceIds.map((sourceId) => runOf(store, sourceId)))
        const host = { store: evaluatingTogether(store, 2), extractText: textOf, signal: never }
        const outcomes = await Promise.all(runs.map((run) => ingest(run, host)))
        expect(outcomes).toEqual(['completed', 'completed'])
        const all = (await Promise.all(sourceIds.map(factsOf))).flat()
        expect(all).toHaveLength(2)
        expect(currentIn(all).map((object) => (expected.includes(object) ? object : 'Oslo or Rome'))).toEqual(
          expected,
        )
      },
    )

    test('[K3] an evaluation older than another applied patch is stale, and changes nothing', async () => {
      const before = await started(undefined, 'stale')
      const { store, run } = before
      await store.saveChunks(run, CHUNKS)
      await store.savePatch(run, [newFact()])
      const { revision } = await store.activeFacts(run, [])
      await applied([newFact({ object: 'Rome' })], 'stale')
      await store.saveEvaluation(run, { ...approved, against: revision })
      expect(await store.apply(run, 'completed')).toBe('stale')
      expect(await before.chunksOf(before.sourceId)).toEqual([])
      const { revision: since } = await store.activeFacts(run, [])
      await store.saveEvaluation(run, { ...approved, against: since })
      expect(await store.apply(run, 'completed')).toBe('applied')
      expect(await store.apply(run, 'completed')).toBe('applied')
    })

    test('[K2] what another source says too stays known when the first says it no more', async () => {
      const first = await started('I love old boats. I love tea.', 'repeats')
      const host = { store: first.store, extractText: textOf, signal: never }
      await ingest(first.run, host)
      const second = await started('I love old boats, I do. I love rain.', 'repeats')
      await ingest(second.run, host)
      expect(currentIn(await first.factsOf(first.sourceId))).toEqual(['old boats', 'tea'])
      expect(currentIn(await first.factsOf(second.sourceId))).toEqual(['rain'])
      await first.addSource({ text: 'I love tea.', namespace: 'repeats', sourceId: first.sourceId })
      await ingest(await runOf(first.store, first.sourceId), host)
      expect(currentIn(await first.factsOf(first.sourceId))).toEqual(['tea'])
      expect(currentIn(await first.factsOf(second.sourceId))).toEqual(['old boats', 'rain'])
    })

    test('[K2] what takes the place of a fact takes that of all who say it, those that wait behind it too', async () => {
      const first = await started('I have lived in Oslo since 2001.', 'moves')
      const host = { store: first.store, extractText: textOf, signal: never }
      await ingest(first.run, host)
      const second = await started('I have lived in Oslo since 2001, I have.', 'moves')
      await ingest(second.run, host)
      await first.addSource({
        text: 'I have lived in Rome since 2010.',
        namespace: 'moves',
        sourceId: first.sourceId,
      })
      await ingest(await runOf(first.store, first.sourceId), host)
      expect(currentIn(await first.factsOf(first.sourceId))).toEqual(['Rome'])
      expect(currentIn(await first.factsOf(second.sourceId))).toEqual([])
    })
  })
}

/** A store whose evaluations wait until so many were made, so that none of them knows of another. */
const evaluatingTogether = (store: IngestStore, many: number): IngestStore => {
  const { promise: all, resolve } = Promise.withResolvers<void>()
  let made = 0
  return {
    ...store,
    async saveEvaluation(run, evaluation) {
      await store.saveEvaluation(run, evaluation)
      made += 1
      if (made >= many) resolve()
      await all
    },
  }
}

const currentIn = (facts: readonly KeptFact[]): readonly string[] =>
  facts
    .filter(({ state, isCurrent }) => state === 'active' && isCurrent)
    .map(({ object }) => object)
    .toSorted()
