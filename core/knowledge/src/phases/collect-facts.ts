import { mergeFacts } from '../facts/merge-facts.ts'
import { ruleExtractor } from '../facts/extract-facts.ts'
import type { FactExtractor } from '../ports/fact-extractor.ts'
import type { Chunk, IngestRun, NewFact } from '../ports/ingest-store.ts'
import { eachPage } from './each-chunk.ts'
import type { IngestHost } from './ingest-host.ts'

/** Of one source. */
const MOST_FACTS = 2_000

/** How much of the whole has to be done before it is told again. */
const TELL_EACH = 0.02

/** What the chunks of a run say as facts, each once. */
export async function collectFacts(run: IngestRun, host: IngestHost): Promise<readonly NewFact[]> {
  const total = await countChunks(run, host)
  const facts = mergeFacts(MOST_FACTS)
  let done = 0
  let told = -Infinity
  for await (const page of eachPage(run, host.store)) {
    if (host.signal.aborted) throw host.signal.reason
    if (facts.isFull()) break
    if (done - told >= total * TELL_EACH) {
      await host.store.notePhase(run, 'facts', { done, total })
      told = done
    }
    for (const fact of await extracted(page, run, host)) facts.add(fact)
    done += page.length
  }
  return facts.all()
}

async function countChunks(run: IngestRun, { store }: IngestHost): Promise<number> {
  let count = 0
  for await (const page of eachPage(run, store)) count += page.length
  return count
}

/** A model that cannot be had keeps no source out. */
async function extracted(page: readonly Chunk[], run: IngestRun, { extractFacts, signal }: IngestHost) {
  const byRules = () => ruleExtractor.extract(page, run, signal)
  if (!extractFacts) return byRules()
  return orElse(extractFacts.extract(page, run, signal), byRules, signal)
}

async function orElse(
  attempt: ReturnType<FactExtractor['extract']>,
  otherwise: () => ReturnType<FactExtractor['extract']>,
  signal: AbortSignal,
) {
  try {
    return await attempt
  } catch (failure) {
    if (signal.aborted) throw failure
    return otherwise()
  }
}
