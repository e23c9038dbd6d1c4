import type { Finding } from '@parley/contracts'
import { type SpokenChunk, splitChunks } from '../chunks/split-chunks.ts'
import { createRuleExtractor } from '../facts/extract-facts.ts'
import { ONE_AT_A_TIME } from '../facts/predicates.ts'
import type { IngestHost, IngestRun, NewFact } from '../ports/ingest-store.ts'

/** Of one source. */
const MOST_FACTS = 2_000

/** A better extractor than the rules costs something: it gets no more chunks of one run than this. */
const MOST_CHUNKS = 512

const AT_ONCE = 64

/** The share of the work between two progress reports. */
const TELL_EACH = 0.02

interface Collected {
  readonly facts: readonly NewFact[]
  /** Notes on how they were found, for the run's log. */
  readonly notes: readonly Finding[]
}

/** What the chunks of a run say as facts, each once. */
export async function collectFacts(run: IngestRun, host: IngestHost): Promise<Collected> {
  // Split again as before: the stored text does not separate messages.
  const chunks = splitChunks((await host.store.readText(run)).segments)
  const total = chunks.length
  const facts = mergeFacts(MOST_FACTS)
  const extractor = extractorFor(run, host)
  let told = -Infinity
  for (let done = 0; done < total && !facts.isFull(); done += AT_ONCE) {
    if (host.signal.aborted) throw host.signal.reason
    if (done - told >= total * TELL_EACH) {
      await host.store.notePhase(run, 'facts', { done, total })
      told = done
    }
    for (const fact of await extractor.extract(chunks.slice(done, done + AT_ONCE), done)) facts.add(fact)
  }
  return { facts: facts.all(), notes: extractor.notes }
}

/** A model that cannot be had keeps no source out: from there on, the rules take its place. */
function extractorFor(run: IngestRun, { extractFacts, signal }: IngestHost) {
  const notes: Finding[] = []
  const rules = createRuleExtractor()
  let better = extractFacts
  const goOnByRules = (done: number, why: string) => {
    better = undefined
    const message = `From part ${done + 1} on, facts were found by rules and not by the model: ${why}`
    notes.push({ rule: 'extraction', severity: 'note', message })
  }
  return {
    notes,
    async extract(page: readonly SpokenChunk[], done: number): Promise<readonly NewFact[]> {
      if (better && done >= MOST_CHUNKS) goOnByRules(done, `it is given ${MOST_CHUNKS} parts of a source.`)
      if (better) {
        try {
          return await better.extract(page, run, signal)
        } catch (failure) {
          if (signal.aborted) throw failure
          goOnByRules(done, failure instanceof Error ? failure.message : String(failure))
        }
      }
      return rules.extract(page, run, signal)
    },
  }
}

/** Of one fact. */
const MOST_EVIDENCE = 5

/** Gathers facts, each once, with all that bears it out; no more than so many. */
function mergeFacts(most: number) {
  const gathered = new Map<string, NewFact>()
  return {
    add(fact: NewFact): void {
      const key = keyOf(fact)
      const earlier = gathered.get(key)
      if (earlier) gathered.set(key, merged(earlier, fact))
      else if (gathered.size < most) gathered.set(key, fact)
    },
    isFull: (): boolean => gathered.size >= most,
    all: (): readonly NewFact[] => [...gathered.values()],
  }
}

function keyOf({ subjectKey, predicate, objectKey, validFrom, validTo }: NewFact): string {
  const dates = ONE_AT_A_TIME.has(predicate) ? [] : [validFrom, validTo]
  return JSON.stringify([subjectKey, predicate, objectKey, ...dates])
}

/** What can change is as new as the last that was said of it. */
function merged(a: NewFact, b: NewFact): NewFact {
  const [older, newer] = (a.validFrom ?? '') <= (b.validFrom ?? '') ? [a, b] : [b, a]
  const evidence = [
    ...a.evidence,
    ...b.evidence.filter((one) => !a.evidence.some((other) => isSame(one, other))),
  ]
  return {
    ...older,
    ...newer,
    confidence: Math.max(a.confidence, b.confidence),
    evidence: evidence.slice(0, MOST_EVIDENCE),
  }
}

type Quote = NewFact['evidence'][number]

const isSame = (a: Quote, b: Quote): boolean => a.chunk === b.chunk && a.quote === b.quote
