import { expect, test } from 'vitest'
import type { SourceId } from '@parley/contracts'
import type { FactExtractor, IngestHost, IngestRun, IngestStore } from '../ports/ingest-store.ts'
import { type IngestStoreUnderTest, dyingIngestStore } from '../testing/ingest-store-under-test.ts'
import { memoryIngestStore } from '../testing/memory-ingest-store.ts'
import { ingest } from './ingest.ts'

const never = new AbortController().signal

const extractText: IngestHost['extractText'] = async ({ bytes, mediaType }) => ({
  mediaType,
  segments: [{ text: new TextDecoder().decode(bytes), place: { line: 1 } }],
})

const writeText = (boats: number) => `I live in Oslo. I love old boats. My sister Mara works as a nurse.

${Array.from({ length: boats }, (_, n) => `I have a boat number ${n}, and it is a plain one. The tide of day ${n} was low.`).join('\n\n')}`

/** A short text for repeated runs. */
const TEXT = writeText(12)

async function openRun(store: IngestStore, sourceId: SourceId): Promise<IngestRun> {
  const run = await store.openRun(sourceId)
  if (!run) throw new Error('The source has no run.')
  return run
}

const readState = async ({ factsOf, chunksOf, endOf }: IngestStoreUnderTest, sourceId: SourceId) => ({
  facts: (await factsOf(sourceId)).map((fact) => ({ ...fact, id: undefined })),
  chunks: await chunksOf(sourceId),
  end: await endOf(sourceId),
})

test('[K4] a completed ingest has searchable chunks and active facts', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: writeText(200) })
  const run = await openRun(under.store, sourceId)
  expect(await ingest(run, { store: under.store, extractText, signal: never })).toBe('completed')
  const { facts, chunks, end } = await readState(under, sourceId)
  expect(end).toEqual({ outcome: 'completed' })
  expect(chunks.length).toBeGreaterThan(10)
  expect(facts).toContainEqual(
    expect.objectContaining({ statement: 'Ada Holm lives in Oslo.', state: 'active', isCurrent: true }),
  )
  expect(await under.store.openRun(sourceId)).toBeUndefined()
})

/** A source with new bytes. */
async function newSource() {
  const under = memoryIngestStore()
  return { under, sourceId: await under.addSource({ text: TEXT }) }
}

/** A source with bytes that it had before. */
async function restoredSource() {
  const { under, sourceId } = await newSource()
  for (const text of [TEXT, 'I live in Rome.']) {
    await under.addSource({ text, sourceId })
    await ingest(await openRun(under.store, sourceId), { store: under.store, extractText, signal: never })
  }
  await under.addSource({ text: TEXT, sourceId })
  return { under, sourceId }
}

test.each([
  ['before', 'new', newSource],
  ['after', 'new', newSource],
  ['before', 'restored', restoredSource],
  ['after', 'restored', restoredSource],
] as const)(
  '[K4] [X4] a run killed %s any write of %s bytes resumes with the same outcome, without duplicates',
  async (when, _, begin) => {
    const { under: complete, sourceId: completeId } = await begin()
    await ingest(await openRun(complete.store, completeId), {
      store: complete.store,
      extractText,
      signal: never,
    })
    const expected = await readState(complete, completeId)

    let kills = 0
    for (let writes = 1; ; writes += 1) {
      const { under, sourceId } = await begin()
      const first = ingest(await openRun(under.store, sourceId), {
        store: dyingIngestStore(under.store, writes, when),
        extractText,
        signal: never,
      })
      const wasKilled = await first.then(
        () => false,
        () => true,
      )
      if (!wasKilled) break
      kills += 1
      const again = await under.store.openRun(sourceId)
      const outcome = again
        ? await ingest(again, { store: under.store, extractText, signal: never })
        : 'completed'
      expect(outcome).toBe('completed')
      expect(await readState(under, sourceId)).toEqual(expected)
    }
    expect(kills).toBeGreaterThan(10)
  },
)

test('[K4] a run that is killed repeatedly completes', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: TEXT })
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const run = await under.store.openRun(sourceId)
    if (!run) break
    const host = { store: dyingIngestStore(under.store, 12, 'after'), extractText, signal: never }
    await ingest(run, host).catch(() => undefined)
  }
  expect(await under.endOf(sourceId)).toEqual({ outcome: 'completed' })
})

const mustNotExtract: IngestHost['extractText'] = async () => {
  throw new Error('The text was extracted twice.')
}

test('[K4] completed phases are not repeated', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: TEXT })
  const run = await openRun(under.store, sourceId)
  await ingest(run, { store: dyingIngestStore(under.store, 8, 'after'), extractText, signal: never }).catch(
    () => undefined,
  )
  const again = await openRun(under.store, sourceId)
  expect(again.done).toContain('extract')
  expect(await ingest(again, { store: under.store, extractText: mustNotExtract, signal: never })).toBe(
    'completed',
  )
})

test('[K4] progress increases, with at most 51 reports per phase', async () => {
  const under = memoryIngestStore()
  const text = Array.from({ length: 4_000 }, (_, n) => `Line ${n}: ${'the tide is low '.repeat(60)}.`).join(
    '\n\n',
  )
  const sourceId = await under.addSource({ text })
  const reports: { phase: string; done: number; total: number }[] = []
  const store: IngestStore = {
    ...under.store,
    async recordPhase(run, phase, progress) {
      if (progress !== 'done') reports.push({ phase, ...progress })
      await under.store.recordPhase(run, phase, progress)
    },
  }
  await ingest(await openRun(store, sourceId), { store, extractText, signal: never })
  const facts = reports.filter(({ phase }) => phase === 'facts')
  expect(facts.length).toBeGreaterThan(20)
  expect(facts.length).toBeLessThanOrEqual(51)
  expect(facts.map(({ done }) => done)).toEqual(facts.map(({ done }) => done).toSorted((a, b) => a - b))
  expect([...new Set(reports.map(({ phase }) => phase))]).toEqual(['read', 'extract', 'split', 'facts'])
})

test('[K4] a file without text fails with the reason', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: ' \n ' })
  const run = await openRun(under.store, sourceId)
  expect(await ingest(run, { store: under.store, extractText, signal: never })).toBe('failed')
  expect((await under.endOf(sourceId)).problem).toMatch(/no text/)
})

test('[K4] a source without facts is searchable', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: 'The tide was low.' })
  const run = await openRun(under.store, sourceId)
  expect(await ingest(run, { store: under.store, extractText, signal: never })).toBe('completed')
  expect(await under.chunksOf(sourceId)).toEqual(['The tide was low.'])
})

test('[K4] stopping a run throws the reason and does not fail the run', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: TEXT })
  const stopped = AbortSignal.abort(new Error('shutting down'))
  const run = await openRun(under.store, sourceId)
  await expect(ingest(run, { store: under.store, extractText, signal: stopped })).rejects.toThrow(
    'shutting down',
  )
  expect(await under.endOf(sourceId)).toEqual({})
})

test('[K3] the patch is pending if a person has to approve', async () => {
  const under = memoryIngestStore({ approval: 'by_person' })
  const sourceId = await under.addSource({ text: TEXT })
  await ingest(await openRun(under.store, sourceId), { store: under.store, extractText, signal: never })
  expect(new Set((await under.factsOf(sourceId)).map(({ state }) => state))).toEqual(new Set(['candidate']))
})

test('[K3] facts of another extractor are evaluated, and the rules replace it if it fails', async () => {
  const inventsFacts: FactExtractor = {
    extract: async () => [
      {
        subject: 'Ada Holm',
        predicate: 'lives_in',
        object: 'Atlantis',
        statement: 'Ada Holm lives in Atlantis.',
        confidence: 1,
        subjectKey: 'ada holm',
        objectKey: 'atlantis',
        evidence: [{ quote: 'I live in Atlantis.', place: {}, chunk: 1 }],
      },
    ],
  }
  const fails: FactExtractor = { extract: () => Promise.reject(new Error('no model')) }
  for (const [extractFacts, outcome, state] of [
    [inventsFacts, 'eval_rejected', 'rejected'],
    [fails, 'completed', 'active'],
  ] as const) {
    const under = memoryIngestStore()
    const sourceId = await under.addSource({ text: 'I live in Oslo.' })
    const run = await openRun(under.store, sourceId)
    expect(await ingest(run, { store: under.store, extractText, extractFacts, signal: never })).toBe(outcome)
    expect(await under.factsOf(sourceId)).toMatchObject([{ state }])
  }
})

const LONG = Array.from(
  { length: 560 },
  (_, n) => `I love boat ${n}. ${'The tide is low. '.repeat(60)}`,
).join('\n\n')

test.each([
  ['fails', 1, 'From part 1 on, rules extracted the facts instead of the model: It is down.'],
  ['fails later', 3, 'From part 129 on, rules extracted the facts instead of the model: It is down.'],
  [
    'works',
    Infinity,
    'From part 513 on, rules extracted the facts instead of the model: its limit is 512 parts',
  ],
])(
  '[K3] a model that %s gets a limited part of a source, and the patch notes it',
  async (_, failsAt, note) => {
    const under = memoryIngestStore()
    const sourceId = await under.addSource({ text: LONG })
    const run = await openRun(under.store, sourceId)
    let calls = 0
    let given = 0
    const extractFacts: FactExtractor = {
      async extract(chunks) {
        calls += 1
        if (calls >= failsAt) throw new Error('It is down.')
        given += chunks.length
        return []
      },
    }
    await ingest(run, { store: under.store, extractText, extractFacts, signal: never })
    expect(calls).toBe(Math.min(failsAt, 8))
    expect(given).toBe(Math.min(failsAt - 1, 8) * 64)
    expect((await under.store.readEvaluation(run))?.findings).toContainEqual({
      rule: 'extraction',
      severity: 'note',
      message: expect.stringContaining(note),
    })
    expect((await under.factsOf(sourceId)).length).toBeGreaterThan(0)
  },
)
