import type { FactState, IngestOutcome, SourceId } from '@parley/contracts'
import type { CandidateFact, IngestStore } from '../ports/ingest-store.ts'

export interface AddedSource {
  readonly text: string
  readonly title?: string
  /** Default: `general`. Created if missing. */
  readonly namespace?: string
  /** An existing source that gets this text as a new version. */
  readonly sourceId?: SourceId
}

export type StoredFact = Pick<
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
  /** False after it was replaced. */
  readonly isCurrent: boolean
}

/** A store with Ada Holm's reflection, which approves facts by rule. With access to its content for tests. */
export interface IngestStoreUnderTest {
  readonly store: IngestStore
  /** Adds the text as UTF-8. */
  readonly addSource: (source: AddedSource) => Promise<SourceId>
  /** All its facts in any state, oldest first. */
  readonly factsOf: (sourceId: SourceId) => Promise<readonly StoredFact[]>
  /** Its searchable texts, in order. */
  readonly chunksOf: (sourceId: SourceId) => Promise<readonly string[]>
  /** The outcome of its latest run. */
  readonly endOf: (
    sourceId: SourceId,
  ) => Promise<{ readonly outcome?: IngestOutcome | undefined; readonly problem?: string | undefined }>
}

/** Simulates a process that dies just before or after its n-th write. */
export function dyingIngestStore(store: IngestStore, writes: number, when: 'before' | 'after'): IngestStore {
  let left = writes
  const write = async <Result>(perform: () => Promise<Result>): Promise<Result> => {
    left -= 1
    if (left < 0 || (left === 0 && when === 'before')) throw new Error('killed')
    const result = await perform()
    if (left === 0) throw new Error('killed')
    return result
  }
  return {
    ...store,
    saveText: (...given) => write(() => store.saveText(...given)),
    saveChunks: (...given) => write(() => store.saveChunks(...given)),
    savePatch: (...given) => write(() => store.savePatch(...given)),
    saveEvaluation: (...given) => write(() => store.saveEvaluation(...given)),
    apply: (...given) => write(() => store.apply(...given)),
    fail: (...given) => write(() => store.fail(...given)),
    recordPhase: (...given) => write(() => store.recordPhase(...given)),
  }
}
