import type { FactExtractor } from '../ports/fact-extractor.ts'
import type { ExtractedText, IngestStore, Original, UnreadableFile } from '../ports/ingest-store.ts'

/** What ingest needs of the world. */
export interface IngestHost {
  readonly store: IngestStore
  /** What a file says, or why it cannot be read. */
  readonly extractText: (original: Original, signal: AbortSignal) => Promise<ExtractedText | UnreadableFile>
  /** A better extractor than the rules, which take its place where it fails. */
  readonly extractFacts?: FactExtractor
  readonly signal: AbortSignal
}
