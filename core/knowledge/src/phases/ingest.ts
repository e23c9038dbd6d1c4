import type { IngestOutcome, IngestPhase } from '@parley/contracts'
import { splitChunks } from '../chunks/split-chunks.ts'
import { evaluatePatch } from '../facts/evaluate-patch.ts'
import type {
  CandidateFact,
  Chunk,
  ExtractedText,
  IngestHost,
  IngestRun,
  IngestStore,
  UnreadableFile,
} from '../ports/ingest-store.ts'
import { collectFacts } from './collect-facts.ts'

const AT_ONCE = 64

/** The chunks of a run in order, read a page at a time. */
async function* eachChunk(run: IngestRun, store: IngestStore): AsyncGenerator<Chunk> {
  let after = 0
  for (;;) {
    const page = await store.readChunks(run, after, AT_ONCE)
    const last = page.at(-1)
    if (!last) return
    yield* page
    after = last.ordinal
  }
}

/**
 * Takes a run through the phases that are not done. It may be stopped between any two writes: the next call, with the run
 * as the store then opens it, goes on and comes to the same end.
 */
export async function ingest(run: IngestRun, host: IngestHost): Promise<IngestOutcome> {
  for (const { name, carryOut } of PHASES) {
    if (run.done.includes(name)) continue
    if (host.signal.aborted) throw host.signal.reason
    const outcome = await carryOut(run, host)
    if (outcome !== undefined) return outcome
    await host.store.notePhase(run, name, 'done')
  }
  return outcomeOf(run, host.store)
}

interface Phase {
  readonly name: IngestPhase
  /** The outcome, where it ends the run. */
  readonly carryOut: (run: IngestRun, host: IngestHost) => Promise<IngestOutcome | undefined>
}

// The text is not stored between phases, so reading and extracting are one.
const PHASES: readonly Phase[] = [
  { name: 'extract', carryOut: readAndExtract },
  { name: 'split', carryOut: split },
  { name: 'facts', carryOut: findFacts },
  { name: 'evaluate', carryOut: evaluate },
  { name: 'apply', carryOut: apply },
]

async function readAndExtract(run: IngestRun, { store, extractText, signal }: IngestHost) {
  await store.notePhase(run, 'read', { done: 0, total: 1 })
  const original = await store.readOriginal(run)
  await store.notePhase(run, 'read', 'done')
  await store.notePhase(run, 'extract', { done: 0, total: 1 })
  const text = await extractText(original, signal)
  const problem = problemOf(text)
  if (problem !== undefined) {
    await store.fail(run, problem)
    return 'failed'
  }
  if ('segments' in text) await store.saveText(run, text)
  return undefined
}

function problemOf(text: ExtractedText | UnreadableFile): string | undefined {
  if (!('segments' in text)) return text.why
  return text.segments.every((segment) => segment.text.trim() === '')
    ? 'There is no text in the file. Check that it is the right one; text in pictures cannot be read.'
    : undefined
}

async function split(run: IngestRun, { store }: IngestHost) {
  await store.notePhase(run, 'split', { done: 0, total: 1 })
  const { segments } = await store.readText(run)
  // Messages are told apart again where facts are looked for.
  await store.saveChunks(
    run,
    splitChunks(segments).map(({ ordinal, text, place }) => ({ ordinal, text, place })),
  )
  return undefined
}

async function findFacts(run: IngestRun, host: IngestHost) {
  const { facts, notes } = await collectFacts(run, host)
  await host.store.savePatch(run, facts, notes)
  return undefined
}

async function evaluate(run: IngestRun, { store }: IngestHost) {
  const patch = await store.readPatch(run)
  if (!patch || patch.facts.length === 0) return undefined
  await store.notePhase(run, 'evaluate', { done: 0, total: patch.facts.length })
  const subjects = new Set(patch.facts.map(({ subjectKey }) => subjectKey))
  const { facts: active, corrected, revision } = await store.activeFacts(run, [...subjects])
  const chunks = await quotedChunks(run, store, patch.facts)
  const evaluation = evaluatePatch(patch.facts, { ...run, chunks, active, corrected })
  const findings = [...patch.notes, ...evaluation.findings]
  await store.saveEvaluation(run, { ...evaluation, findings, against: revision })
  return undefined
}

async function quotedChunks(run: IngestRun, store: IngestStore, facts: readonly CandidateFact[]) {
  const quoted = new Set(facts.flatMap(({ evidence }) => evidence.map(({ chunk }) => chunk)))
  const texts = new Map<number, string>()
  for await (const { ordinal, text } of eachChunk(run, store))
    if (quoted.has(ordinal)) texts.set(ordinal, text)
  return texts
}

async function apply(run: IngestRun, host: IngestHost) {
  for (;;) {
    if (host.signal.aborted) throw host.signal.reason
    const outcome = await outcomeOf(run, host.store)
    if ((await host.store.apply(run, outcome)) === 'applied') return outcome
    // Another source was learned since: the patch is evaluated against it too.
    await evaluate(run, host)
  }
}

async function outcomeOf(run: IngestRun, store: IngestStore) {
  const evaluation = await store.readEvaluation(run)
  return evaluation?.verdict === 'reject' ? 'eval_rejected' : 'completed'
}
