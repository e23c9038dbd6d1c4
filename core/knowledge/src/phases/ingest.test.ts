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

const textOf = (boats: number) => `I live in Oslo. I love old boats. My sister Mara works as a nurse.

${Array.from({ length: boats }, (_, n) => `I have a boat number ${n}, and it is a plain one. The tide of day ${n} was low.`).join('\n\n')}`

/** For what is gone through again and again. */
const TEXT = textOf(12)

async function runOf(store: IngestStore, sourceId: SourceId): Promise<IngestRun> {
  const run = await store.openRun(sourceId)
  if (!run) throw new Error('there is no run')
  return run
}

const lookOf = async ({ factsOf, chunksOf, endOf }: IngestStoreUnderTest, sourceId: SourceId) => ({
  facts: (await factsOf(sourceId)).map((fact) => ({ ...fact, id: undefined })),
  chunks: await chunksOf(sourceId),
  end: await endOf(sourceId),
})

test('[K4] a source goes through all phases and is searched and known then', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: textOf(200) })
  const run = await runOf(under.store, sourceId)
  expect(await ingest(run, { store: under.store, extractText, signal: never })).toBe('completed')
  const { facts, chunks, end } = await lookOf(under, sourceId)
  expect(end).toEqual({ outcome: 'completed' })
  expect(chunks.length).toBeGreaterThan(10)
  expect(facts).toContainEqual(
    expect.objectContaining({ statement: 'Ada Holm lives in Oslo.', state: 'active', isCurrent: true }),
  )
  expect(await under.store.openRun(sourceId)).toBeUndefined()
})

/** A source whose text is to be learned for the first time. */
async function fresh() {
  const under = memoryIngestStore()
  return { under, sourceId: await under.addSource({ text: TEXT }) }
}

/** One whose text comes back after another. */
async function back() {
  const { under, sourceId } = await fresh()
  for (const text of [TEXT, 'I live in Rome.']) {
    await under.addSource({ text, sourceId })
    await ingest(await runOf(under.store, sourceId), { store: under.store, extractText, signal: never })
  }
  await under.addSource({ text: TEXT, sourceId })
  return { under, sourceId }
}

test.each([
  ['before', 'new', fresh],
  ['after', 'new', fresh],
  ['before', 'come back', back],
  ['after', 'come back', back],
] as const)(
  '[K4] [X4] killed %s any write of bytes that are %s, and run again: the same outcome, nothing doubled',
  async (when, _, begin) => {
    const { under: whole, sourceId: wholeId } = await begin()
    await ingest(await runOf(whole.store, wholeId), { store: whole.store, extractText, signal: never })
    const expected = await lookOf(whole, wholeId)

    let kills = 0
    for (let writes = 1; ; writes += 1) {
      const { under, sourceId } = await begin()
      const first = ingest(await runOf(under.store, sourceId), {
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
      expect(await lookOf(under, sourceId)).toEqual(expected)
    }
    expect(kills).toBeGreaterThan(10)
  },
)

test('[K4] a run that dies again and again comes to its end', async () => {
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

const unread: IngestHost['extractText'] = async () => {
  throw new Error('it is read already')
}

test('[K4] phases that are done are not done again', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: TEXT })
  const run = await runOf(under.store, sourceId)
  await ingest(run, { store: dyingIngestStore(under.store, 8, 'after'), extractText, signal: never }).catch(
    () => undefined,
  )
  const again = await runOf(under.store, sourceId)
  expect(again.done).toContain('extract')
  expect(await ingest(again, { store: under.store, extractText: unread, signal: never })).toBe('completed')
})

test('[K4] progress rises, and is reported at most fifty times a phase', async () => {
  const under = memoryIngestStore()
  const text = Array.from({ length: 4_000 }, (_, n) => `Line ${n}: ${'the tide is low '.repeat(60)}.`).join(
    '\n\n',
  )
  const sourceId = await under.addSource({ text })
  const told: { phase: string; done: number; total: number }[] = []
  const store: IngestStore = {
    ...under.store,
    async notePhase(run, phase, progress) {
      if (progress !== 'done') told.push({ phase, ...progress })
      await under.store.notePhase(run, phase, progress)
    },
  }
  await ingest(await runOf(store, sourceId), { store, extractText, signal: never })
  const facts = told.filter(({ phase }) => phase === 'facts')
  expect(facts.length).toBeGreaterThan(20)
  expect(facts.length).toBeLessThanOrEqual(51)
  expect(facts.map(({ done }) => done)).toEqual(facts.map(({ done }) => done).toSorted((a, b) => a - b))
  expect([...new Set(told.map(({ phase }) => phase))]).toEqual(['read', 'extract', 'split', 'facts'])
})

test('[K4] a file without text fails and says why', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: ' \n ' })
  const run = await runOf(under.store, sourceId)
  expect(await ingest(run, { store: under.store, extractText, signal: never })).toBe('failed')
  expect((await under.endOf(sourceId)).problem).toMatch(/no text/)
})

test('[K4] a source without facts is searched all the same', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: 'The tide was low.' })
  const run = await runOf(under.store, sourceId)
  expect(await ingest(run, { store: under.store, extractText, signal: never })).toBe('completed')
  expect(await under.chunksOf(sourceId)).toEqual(['The tide was low.'])
})

test('[K4] a run that is stopped tells why, and is not failed by it', async () => {
  const under = memoryIngestStore()
  const sourceId = await under.addSource({ text: TEXT })
  const stopped = AbortSignal.abort(new Error('shutting down'))
  const run = await runOf(under.store, sourceId)
  await expect(ingest(run, { store: under.store, extractText, signal: stopped })).rejects.toThrow(
    'shutting down',
  )
  expect(await under.endOf(sourceId)).toEqual({})
})

test('[K3] where a person approves, the patch waits', async () => {
  const under = memoryIngestStore({ approval: 'by_person' })
  const sourceId = await under.addSource({ text: TEXT })
  await ingest(await runOf(under.store, sourceId), { store: under.store, extractText, signal: never })
  expect(new Set((await under.factsOf(sourceId)).map(({ state }) => state))).toEqual(new Set(['candidate']))
})

test('[K3] what a better extractor finds is evaluated too, and the rules stand in where it fails', async () => {
  const claims: FactExtractor = {
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
    [claims, 'eval_rejected', 'rejected'],
    [fails, 'completed', 'active'],
  ] as const) {
    const under = memoryIngestStore()
    const sourceId = await under.addSource({ text: 'I live in Oslo.' })
    const run = await runOf(under.store, sourceId)
    expect(await ingest(run, { store: under.store, extractText, extractFacts, signal: never })).toBe(outcome)
    expect(await under.factsOf(sourceId)).toMatchObject([{ state }])
  }
})

const LONG = Array.from(
  { length: 560 },
  (_, n) => `I love boat ${n}. ${'The tide is low. '.repeat(60)}`,
).join('\n\n')

test.each([
  ['fails', 1, 'From part 1 on, facts were found by rules and not by the model: It is down.'],
  ['fails later', 3, 'From part 129 on, facts were found by rules and not by the model: It is down.'],
  [
    'works',
    Infinity,
    'From part 513 on, facts were found by rules and not by the model: it is given 512 parts',
  ],
])(
  '[K3] a model that %s gets a bounded part of a source, and the patch says so',
  async (_, failsAt, said) => {
    const under = memoryIngestStore()
    const sourceId = await under.addSource({ text: LONG })
    const run = await runOf(under.store, sourceId)
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
      message: expect.stringContaining(said),
    })
    expect((await under.factsOf(sourceId)).length).toBeGreaterThan(0)
  },
)
