import type { FactState, IngestOutcome, SourceId } from '@parley/contracts'
import type { CandidateFact, IngestStore } from '../ports/ingest-store.ts'

export interface AddedSource {
  readonly text: string
  readonly title?: string
  /** One of the reflection's, `general` where absent; it is made if it is not there. */
  readonly namespace?: string
  /** The source of which this is a new version. */
  readonly sourceId?: SourceId
}

export type KeptFact = Pick<
  CandidateFact,
  | 'id'
  | 'subject'
  | 'predicate'
  | 'object'
  | 'statement'
  | 'confidence'
  | 'subjectKey'
  | 'objectKey'
  | 'validFrom'
  | 'validTo'
> & {
  readonly state: FactState
  /** False once something took its place. */
  readonly isCurrent: boolean
}

/** A store with one reflection, of Ada Holm, whose facts are approved by rule; and what tests look at behind its back. */
export interface IngestStoreUnderTest {
  readonly store: IngestStore
  /** As plain text in UTF-8. */
  readonly addSource: (source: AddedSource) => Promise<SourceId>
  /** All that were ever made of it, the oldest first, whatever became of them. */
  readonly factsOf: (sourceId: SourceId) => Promise<readonly KeptFact[]>
  /** The texts that are searched now, in order. */
  readonly chunksOf: (sourceId: SourceId) => Promise<readonly string[]>
  /** How the run of its newest bytes ended, if it did. */
  readonly endOf: (
    sourceId: SourceId,
  ) => Promise<{ readonly outcome?: IngestOutcome | undefined; readonly problem?: string | undefined }>
}
