import type { FactState, IngestOutcome, SourceId } from '@parley/contracts'
import type { CandidateFact, IngestStore } from '../ports/ingest-store.ts'

export interface AddedSource {
  readonly text: string
  readonly title?: string
  /** One of the reflection's, `general` where absent; it is made if it is not there. */
  readonly namespace?: string
  /** The source that this replaces. */
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

/** A store whose process dies right before, or right after, its n-th write. */
export function dyingIngestStore(store: IngestStore, writes: number, when: 'before' | 'after'): IngestStore {
  let left = writes
  const write = async <Written>(carryOut: () => Promise<Written>): Promise<Written> => {
    left -= 1
    if (left < 0 || (left === 0 && when === 'before')) throw new Error('killed')
    const written = await carryOut()
    if (left === 0) throw new Error('killed')
    return written
  }
  return {
    ...store,
    saveText: (...given) => write(() => store.saveText(...given)),
    saveChunks: (...given) => write(() => store.saveChunks(...given)),
    savePatch: (...given) => write(() => store.savePatch(...given)),
    saveEvaluation: (...given) => write(() => store.saveEvaluation(...given)),
    apply: (...given) => write(() => store.apply(...given)),
    fail: (...given) => write(() => store.fail(...given)),
    notePhase: (...given) => write(() => store.notePhase(...given)),
  }
}
