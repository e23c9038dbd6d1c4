import type {
  FactApproval,
  Fact,
  FactId,
  Finding,
  IngestOutcome,
  IngestPhase,
  IngestRunId,
  PatchId,
  Place,
  ReflectionId,
  SourceId,
} from '@parley/contracts'

/** A section of a source's text, with its position in the source. */
export interface Segment {
  readonly text: string
  readonly place: Place
}

/** The text of a file, independent of its format. */
export interface ExtractedText {
  readonly mediaType: string
  readonly title?: string
  readonly segments: readonly Segment[]
}

/** The reason why a file cannot be read, and how to fix it. */
export interface UnreadableFile {
  readonly kind: 'unreadable'
  readonly why: string
}

/** A part of a source that is searched and quoted as a unit. */
export interface Chunk {
  readonly ordinal: number
  readonly text: string
  readonly place: Place
}

/** A fact that is not part of a patch yet. */
export type NewFact = Pick<
  Fact,
  'subject' | 'predicate' | 'object' | 'statement' | 'confidence' | 'validFrom' | 'validTo'
> & {
  /** Normalised subject: case, accents and articles do not matter. */
  readonly subjectKey: string
  readonly objectKey: string
  readonly evidence: readonly { readonly quote: string; readonly place: Place; readonly chunk: number }[]
}

export interface CandidateFact extends NewFact {
  readonly id: FactId
}

export interface CandidatePatch {
  readonly id: PatchId
  readonly facts: readonly CandidateFact[]
  /** Notes about the extraction, for the run's log. */
  readonly notes: readonly Finding[]
}

export interface ActiveFact extends Pick<
  Fact,
  'id' | 'subject' | 'predicate' | 'object' | 'statement' | 'validFrom'
> {
  readonly subjectKey: string
  readonly objectKey: string
  /** Stated by a person: no source replaces it without a review. */
  readonly isCorrection?: true
}

interface KnownFacts {
  readonly facts: readonly ActiveFact[]
  /** Facts of all sources that a person has corrected. */
  readonly corrected: readonly ActiveFact[]
  /** Rises whenever a patch is applied or undone. */
  readonly revision: number
}

/** One ingest of the exact bytes of a source. */
export interface IngestRun {
  readonly id: IngestRunId
  readonly reflectionId: ReflectionId
  readonly sourceId: SourceId
  readonly title: string
  /** The reflection's person: "I" in their own sources means them. */
  readonly displayName: string
  readonly creatorName?: string
  /** From a conversation: "I" means an unknown speaker, not the person. */
  readonly isFromConversation?: boolean
  readonly approval: FactApproval
  /** Completed phases. */
  readonly done: readonly IngestPhase[]
}

export interface OriginalFile {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly fileName?: string
}

export interface Evaluation {
  readonly verdict: 'approve' | 'ask' | 'reject'
  readonly findings: readonly Finding[]
  /** Candidates that will not be applied. */
  readonly rejected: readonly FactId[]
  /** Active facts that candidates replace. */
  readonly supersedes: readonly { readonly factId: FactId; readonly by: FactId }[]
  /** The knowledge revision that the patch was compared with. */
  readonly against?: number
}

/**
 * Stores the results of an ingest. Each call is one idempotent transaction: a run whose process died continues with its
 * first unfinished phase.
 */
export interface IngestStore {
  /**
   * Returns the run of the source's current bytes, or undefined if they are already ingested. If another source of the
   * namespace has the same bytes or was queued with them earlier, ends the run as `duplicate_skipped`. An earlier version
   * that returns restarts its own run.
   */
  openRun(sourceId: SourceId): Promise<IngestRun | undefined>
  readOriginal(run: IngestRun): Promise<OriginalFile>
  saveText(run: IngestRun, text: ExtractedText): Promise<void>
  readText(run: IngestRun): Promise<ExtractedText>
  /** Saved chunks become searchable when they are applied. */
  saveChunks(run: IngestRun, chunks: readonly Chunk[]): Promise<void>
  /** Returns a page of the chunks after this ordinal, in order. The first ordinal is 1. */
  readChunks(run: IngestRun, after: number, limit: number): Promise<readonly Chunk[]>
  /** Saves the candidates as the run's only patch. Replaces an earlier one. */
  savePatch(run: IngestRun, facts: readonly NewFact[], notes?: readonly Finding[]): Promise<void>
  /** Returns the run's patch, if it has facts. */
  readPatch(run: IngestRun): Promise<CandidatePatch | undefined>
  /**
   * Returns the active facts about these subjects in the source's namespace, without the source's own facts: `apply`
   * replaces those.
   */
  readActiveFacts(run: IngestRun, subjectKeys: readonly string[]): Promise<KnownFacts>
  saveEvaluation(run: IngestRun, evaluation: Evaluation): Promise<void>
  readEvaluation(run: IngestRun): Promise<Evaluation | undefined>
  /**
   * Replaces the source's chunks, applies or rejects the patch by its verdict, or leaves it pending, and ends the run. All
   * in one transaction. A fact that another source already states is stored as further evidence; it becomes active if the
   * other fact ends with its source. Returns `stale` and changes nothing if the knowledge has changed since the evaluation.
   */
  apply(
    run: IngestRun,
    outcome: Extract<IngestOutcome, 'completed' | 'eval_rejected'>,
  ): Promise<'applied' | 'stale'>
  fail(run: IngestRun, problem: string): Promise<void>
  /** Records the progress of a phase, or its end. */
  recordPhase(
    run: IngestRun,
    phase: IngestPhase,
    progress: { done: number; total: number } | 'done',
  ): Promise<void>
}

/** The title of a source, and the person whose reflection it belongs to. */
export type SourceContext = Pick<IngestRun, 'displayName' | 'creatorName' | 'title' | 'isFromConversation'>

/** Finds facts in the chunks of a source. Facts are evaluated before they are used. */
export interface FactExtractor {
  extract(chunks: readonly Chunk[], context: SourceContext, signal: AbortSignal): Promise<readonly NewFact[]>
}

/** Services that an ingest needs. */
export interface IngestHost {
  readonly store: IngestStore
  readonly extractText: (
    original: OriginalFile,
    signal: AbortSignal,
  ) => Promise<ExtractedText | UnreadableFile>
  /** Replaces the rules. If it fails, the rules extract the rest. */
  readonly extractFacts?: FactExtractor
  readonly signal: AbortSignal
}
