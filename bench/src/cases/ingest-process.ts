/** A process that imports pages: it gets a job, and sends its duration and memory. */
import type { IngestRunId, ReflectionId, SourceId } from '@parley/contracts'
import { extractText } from '@parley/documents'
import { ingest, type IngestRun, type IngestStore } from '@parley/knowledge'
import { collectGarbage } from '../collect-garbage.ts'
import { type OpenKnowledge, openKnowledge } from '../knowledge/open-knowledge.ts'
import { createPages } from '../knowledge/pages.ts'
import { PERSON } from '../knowledge/person.ts'
import { type Vocabulary, vocabulary } from '../knowledge/vocabulary.ts'
import { measureTime } from '../medians.ts'

const PAGES = 1_000
const PAGES_EACH = 10
const EARLY = 250

export interface IngestJob {
  readonly databaseUrl: string
  readonly system: 'ours' | 'floor'
}

export interface Ingested {
  readonly pagesPerSecond: number
  /** In megabytes, after the first 250 pages and after all. */
  readonly early: number
  readonly late: number
}

process.once('disconnect', () => process.exit())
process.once('message', (job: IngestJob) => void carryOut(job))

async function carryOut({ databaseUrl, system }: IngestJob): Promise<void> {
  const knowledge = await openKnowledge(databaseUrl)
  const words = vocabulary()
  const ingestSource = system === 'ours' ? ingestPages : splitPages
  let early = 0
  let took = 0
  for (let done = PAGES_EACH; done <= PAGES; done += PAGES_EACH) {
    took += await ingestSource(knowledge, words, done)
    if (done === EARLY) early = megabytes()
  }
  const ingested: Ingested = { pagesPerSecond: (PAGES * 1_000) / took, early, late: megabytes() }
  process.send?.(ingested)
}

function megabytes(): number {
  collectGarbage()
  return process.memoryUsage().rss / 1e6
}

/** Runs all phases with rules and the store. Returns milliseconds. */
async function ingestPages(knowledge: OpenKnowledge, words: Vocabulary, seed: number): Promise<number> {
  const { database, learning, reflectionId } = knowledge
  const bytes = createPages(words, PAGES_EACH, seed)
  const given = { title: `Pages to ${seed}`, namespace: 'general', bytes, mediaType: 'text/plain' }
  const { id } = await database.reflections.addSource(reflectionId, given, PERSON)
  return measureTime(async () => {
    const run = await learning.ingest.openRun(id)
    const outcome = run && (await ingest(run, { store: learning.ingest, extractText, signal }))
    if (outcome !== 'completed') throw new Error(`The pages to ${seed} came to ${outcome}.`)
  })
}

const { signal } = new AbortController()

/** Runs the first two phases without storing anything. */
function splitPages({ learning }: OpenKnowledge, words: Vocabulary, seed: number): Promise<number> {
  const bytes = createPages(words, PAGES_EACH, seed)
  let read: Parameters<IngestStore['saveText']>[1] = { mediaType: 'text/plain', segments: [] }
  const store: IngestStore = {
    ...learning.ingest,
    recordPhase: async () => {},
    readOriginal: async () => ({ bytes, mediaType: 'text/plain' }),
    saveText: async (_, text) => void (read = text),
    readText: async () => read,
    saveChunks: async () => {},
    readEvaluation: async () => undefined,
  }
  return measureTime(() => ingest(READ_AND_SPLIT, { store, extractText, signal }))
}

const READ_AND_SPLIT: IngestRun = {
  id: 'ing_bench' as IngestRunId,
  reflectionId: 'rfl_bench' as ReflectionId,
  sourceId: 'src_bench' as SourceId,
  title: 'Pages',
  displayName: 'Ada Holm',
  approval: 'by_rule',
  done: ['facts', 'evaluate', 'apply'],
}
