import type { Finding, IngestOutcome, IngestPhase } from '@parley/contracts'
import { type SpokenChunk, splitChunks } from '../chunks/split-chunks.ts'
import { evaluatePatch } from '../facts/evaluate-patch.ts'
import { createRuleExtractor } from '../facts/extract-facts.ts'
import { ONE_AT_A_TIME } from '../facts/predicates.ts'
import type {
  CandidateFact,
  ExtractedText,
  IngestHost,
  IngestRun,
  IngestStore,
  NewFact,
  UnreadableFile,
} from '../ports/ingest-store.ts'

/**
 * Runs the remaining phases of an ingest. It can stop between any two writes: calling it again with the reopened run
 * continues and has the same outcome.
 */
export async function ingest(run: IngestRun, host: IngestHost): Promise<IngestOutcome> {
  for (const { name, perform } of PHASES) {
    if (run.done.includes(name)) continue
    if (host.signal.aborted) throw host.signal.reason
    const outcome = await perform(run, host)
    if (outcome !== undefined) return outcome
    await host.store.recordPhase(run, name, 'done')
  }
  return readOutcome(run, host.store)
}

interface Phase {
  readonly name: IngestPhase
  /** Returns the outcome if the phase ends the run. */
  readonly perform: (run: IngestRun, host: IngestHost) => Promise<IngestOutcome | undefined>
}

// Reading and extraction are one phase, because the original is not stored between them.
const PHASES: readonly Phase[] = [
  { name: 'extract', perform: readAndExtract },
  { name: 'split', perform: splitText },
  { name: 'facts', perform: findFacts },
  { name: 'evaluate', perform: evaluate },
  { name: 'apply', perform: applyPatch },
]

async function readAndExtract(run: IngestRun, { store, extractText, signal }: IngestHost) {
  await store.recordPhase(run, 'read', { done: 0, total: 1 })
  const original = await store.readOriginal(run)
  await store.recordPhase(run, 'read', 'done')
  await store.recordPhase(run, 'extract', { done: 0, total: 1 })
  const text = await extractText(original, signal)
  const problem = findProblem(text)
  if (problem !== undefined) {
    await store.fail(run, problem)
    return 'failed'
  }
  if ('segments' in text) await store.saveText(run, text)
  return undefined
}

function findProblem(text: ExtractedText | UnreadableFile): string | undefined {
  if (!('segments' in text)) return text.why
  return text.segments.every((segment) => segment.text.trim() === '')
    ? 'The file has no text. Check that it is the right file. Text in pictures cannot be read.'
    : undefined
}

async function splitText(run: IngestRun, { store }: IngestHost) {
  await store.recordPhase(run, 'split', { done: 0, total: 1 })
  const { segments } = await store.readText(run)
  // The store has no message spans. `collectFacts` splits the text again.
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
  await store.recordPhase(run, 'evaluate', { done: 0, total: patch.facts.length })
  const subjects = new Set(patch.facts.map(({ subjectKey }) => subjectKey))
  const { facts: active, corrected, revision } = await store.readActiveFacts(run, [...subjects])
  const chunks = await readQuotedChunks(run, store, patch.facts)
  const evaluation = evaluatePatch(patch.facts, { ...run, chunks, active, corrected })
  const findings = [...patch.notes, ...evaluation.findings]
  await store.saveEvaluation(run, { ...evaluation, findings, against: revision })
  return undefined
}

async function readQuotedChunks(run: IngestRun, store: IngestStore, facts: readonly CandidateFact[]) {
  const quoted = new Set(facts.flatMap(({ evidence }) => evidence.map(({ chunk }) => chunk)))
  const texts = new Map<number, string>()
  for (let after = 0; ;) {
    const page = await store.readChunks(run, after, CHUNKS_AT_ONCE)
    for (const { ordinal, text } of page) if (quoted.has(ordinal)) texts.set(ordinal, text)
    const last = page.at(-1)
    if (!last) return texts
    after = last.ordinal
  }
}

async function applyPatch(run: IngestRun, host: IngestHost) {
  for (;;) {
    if (host.signal.aborted) throw host.signal.reason
    const outcome = await readOutcome(run, host.store)
    if ((await host.store.apply(run, outcome)) === 'applied') return outcome
    // Other knowledge was applied since the evaluation.
    await evaluate(run, host)
  }
}

async function readOutcome(run: IngestRun, store: IngestStore) {
  const evaluation = await store.readEvaluation(run)
  return evaluation?.verdict === 'reject' ? 'eval_rejected' : 'completed'
}

/** Limit per source. */
const MAX_FACTS = 2_000

/** Models cost money. After this many chunks of a run, the rules continue. */
const MAX_MODEL_CHUNKS = 512

const CHUNKS_AT_ONCE = 64

/** Share of the work between two progress reports. */
const REPORT_EVERY = 0.02

interface CollectedFacts {
  readonly facts: readonly NewFact[]
  /** Notes about the extraction, for the run's log. */
  readonly notes: readonly Finding[]
}

/** Extracts the distinct facts of a run. */
async function collectFacts(run: IngestRun, host: IngestHost): Promise<CollectedFacts> {
  // Stored chunks have no message spans, so split the text again.
  const chunks = splitChunks((await host.store.readText(run)).segments)
  const total = chunks.length
  const facts = createFactCollector(MAX_FACTS)
  const extractor = createExtractor(run, host)
  let reported = -Infinity
  for (let done = 0; done < total && !facts.isFull(); done += CHUNKS_AT_ONCE) {
    if (host.signal.aborted) throw host.signal.reason
    if (done - reported >= total * REPORT_EVERY) {
      await host.store.recordPhase(run, 'facts', { done, total })
      reported = done
    }
    for (const fact of await extractor.extract(chunks.slice(done, done + CHUNKS_AT_ONCE), done))
      facts.add(fact)
  }
  return { facts: facts.all(), notes: extractor.notes }
}

/** Uses the given extractor. If it fails or reaches its limit, the rules extract the rest. */
function createExtractor(run: IngestRun, { extractFacts, signal }: IngestHost) {
  const notes: Finding[] = []
  const rules = createRuleExtractor()
  let model = extractFacts
  const switchToRules = (done: number, reason: string) => {
    model = undefined
    const message = `From part ${done + 1} on, rules extracted the facts instead of the model: ${reason}`
    notes.push({ rule: 'extraction', severity: 'note', message })
  }
  return {
    notes,
    async extract(page: readonly SpokenChunk[], done: number): Promise<readonly NewFact[]> {
      if (model && done >= MAX_MODEL_CHUNKS)
        switchToRules(done, `its limit is ${MAX_MODEL_CHUNKS} parts of a source.`)
      if (model) {
        try {
          return await model.extract(page, run, signal)
        } catch (failure) {
          if (signal.aborted) throw failure
          switchToRules(done, failure instanceof Error ? failure.message : String(failure))
        }
      }
      return rules.extract(page, run, signal)
    },
  }
}

/** Limit per fact. */
const MAX_EVIDENCE = 5

/** Collects distinct facts up to a limit. Merges the evidence of equal facts. */
function createFactCollector(most: number) {
  const collected = new Map<string, NewFact>()
  return {
    add(fact: NewFact): void {
      const key = toFactKey(fact)
      const earlier = collected.get(key)
      if (earlier) collected.set(key, mergeFacts(earlier, fact))
      else if (collected.size < most) collected.set(key, fact)
    },
    isFull: (): boolean => collected.size >= most,
    all: (): readonly NewFact[] => [...collected.values()],
  }
}

function toFactKey({ subjectKey, predicate, objectKey, validFrom, validTo }: NewFact): string {
  const dates = ONE_AT_A_TIME.has(predicate) ? [] : [validFrom, validTo]
  return JSON.stringify([subjectKey, predicate, objectKey, ...dates])
}

/** Keeps the latest date, because the fact was still true then. */
function mergeFacts(a: NewFact, b: NewFact): NewFact {
  const [older, newer] = (a.validFrom ?? '') <= (b.validFrom ?? '') ? [a, b] : [b, a]
  const evidence = [
    ...a.evidence,
    ...b.evidence.filter(
      ({ chunk, quote }) => !a.evidence.some((known) => known.chunk === chunk && known.quote === quote),
    ),
  ]
  return {
    ...older,
    ...newer,
    confidence: Math.max(a.confidence, b.confidence),
    evidence: evidence.slice(0, MAX_EVIDENCE),
  }
}
