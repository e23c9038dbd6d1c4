import type { Chunk, IngestRun, NewFact } from './ingest-store.ts'

/** Whose reflection a source belongs to. */
export type About = Pick<IngestRun, 'displayName' | 'creatorName' | 'title' | 'isTold'>

/** Finds what chunks of a source say as facts. What it finds is evaluated before anything believes it. */
export interface FactExtractor {
  extract(chunks: readonly Chunk[], about: About, signal: AbortSignal): Promise<readonly NewFact[]>
}
