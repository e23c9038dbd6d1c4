import type {
  Approval,
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

/** A stretch of a source's text, with where it stands. */
export interface Segment {
  readonly text: string
  readonly place: Place
}

/** What a file says, whatever its format was. */
export interface ExtractedText {
  readonly mediaType: string
  readonly title?: string
  readonly segments: readonly Segment[]
}

/** Why a file cannot be read, as a sentence with the fix. */
export interface UnreadableFile {
  readonly kind: 'unreadable'
  readonly why: string
}

/** A part of a source that is searched and quoted as one. */
export interface Chunk {
  readonly ordinal: number
  readonly text: string
  readonly place: Place
}

/** A fact before it has its place in a patch. */
export type NewFact = Pick<
  Fact,
  'subject' | 'predicate' | 'object' | 'statement' | 'confidence' | 'validFrom' | 'validTo'
> & {
  /** The same subject or object, whatever its case, accents and articles. */
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
  /** Notes on how they were found, for the run's log. */
  readonly notes: readonly Finding[]
}

export interface ActiveFact extends Pick<
  Fact,
  'id' | 'subject' | 'predicate' | 'object' | 'statement' | 'validFrom'
> {
  readonly subjectKey: string
  readonly objectKey: string
  /** A person said so: no source takes its place by itself. */
  readonly isCorrection?: true
}

export interface KnownFacts {
  readonly facts: readonly ActiveFact[]
  /** What a person has corrected since, of any source. */
  readonly corrected: readonly ActiveFact[]
  /** Rises whenever a patch is applied or undone. */
  readonly revision: number
}

/** One run of exact bytes of a source. */
export interface IngestRun {
  readonly id: IngestRunId
  readonly reflectionId: ReflectionId
  readonly sourceId: SourceId
  readonly title: string
  /** Whose reflection it is: "I" in their own sources is them. */
  readonly displayName: string
  readonly creatorName?: string
  /** Somebody told it in a conversation: "I" in it is not the person, nor anybody whose name is known. */
  readonly isFromConversation?: boolean
  readonly approval: Approval
  /** The phases that are done. */
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
  /** Candidates that are not applied. */
  readonly rejected: readonly FactId[]
  /** Active facts that the candidates take the place of. */
  readonly supersedes: readonly { readonly factId: FactId; readonly by: FactId }[]
  /** The knowledge revision at its evaluation. */
  readonly against?: number
}

/**
 * Keeps what ingest brings about. Each call is one transaction, and may be made again with the same outcome: a run that
 * died is gone on with from its first phase that is not done.
 */
export interface IngestStore {
  /**
   * The run of the source's bytes; undefined where they are what the source shows already, and where another source of the
   * namespace has them or was asked to learn them before: that run ends as `duplicate_skipped`. Bytes that come back
   * after others have the same run as before, which starts again.
   */
  openRun(sourceId: SourceId): Promise<IngestRun | undefined>
  readOriginal(run: IngestRun): Promise<OriginalFile>
  saveText(run: IngestRun, text: ExtractedText): Promise<void>
  readText(run: IngestRun): Promise<ExtractedText>
  /** Not searched before they are applied. */
  saveChunks(run: IngestRun, chunks: readonly Chunk[]): Promise<void>
  /** In order, a page at a time: those with a higher ordinal than `after`. The first is 1. */
  readChunks(run: IngestRun, after: number, limit: number): Promise<readonly Chunk[]>
  /** A patch of candidates, the only one of its run; replaces one that was begun before. */
  savePatch(run: IngestRun, facts: readonly NewFact[], notes?: readonly Finding[]): Promise<void>
  /** The patch of the run, if it has facts. */
  readPatch(run: IngestRun): Promise<CandidatePatch | undefined>
  /**
   * Active facts of the same subjects in the source's namespace. Not those of the source itself: `apply` puts the run's in
   * their place.
   */
  activeFacts(run: IngestRun, subjectKeys: readonly string[]): Promise<KnownFacts>
  saveEvaluation(run: IngestRun, evaluation: Evaluation): Promise<void>
  readEvaluation(run: IngestRun): Promise<Evaluation | undefined>
  /**
   * Puts the run's chunks in the place of the source's earlier ones, whatever the outcome; applies the patch if its verdict
   * is approve, rejects it if that is reject, else lets it wait; and ends the run with its outcome: all of it, or nothing.
   * A fact that another source says already is kept beside it as more evidence, and becomes active when that one ends
   * with its source. Where more is known than the patch was evaluated against, it is stale, and nothing is done.
   */
  apply(
    run: IngestRun,
    outcome: Extract<IngestOutcome, 'completed' | 'eval_rejected'>,
  ): Promise<'applied' | 'stale'>
  fail(run: IngestRun, problem: string): Promise<void>
  /** That a phase is done, or how far it is. */
  notePhase(
    run: IngestRun,
    phase: IngestPhase,
    progress: { done: number; total: number } | 'done',
  ): Promise<void>
}

/** Whose reflection a source belongs to. */
export type About = Pick<IngestRun, 'displayName' | 'creatorName' | 'title' | 'isFromConversation'>

/** Finds facts in the chunks of a source. They are evaluated before anything uses them. */
export interface FactExtractor {
  extract(chunks: readonly Chunk[], about: About, signal: AbortSignal): Promise<readonly NewFact[]>
}

/** What ingest needs of the world. */
export interface IngestHost {
  readonly store: IngestStore
  /** What a file says, or why it cannot be read. */
  readonly extractText: (original: OriginalFile, signal: AbortSignal) => Promise<ExtractedText | UnreadableFile>
  /** A better extractor than the rules, which take its place where it fails. */
  readonly extractFacts?: FactExtractor
  readonly signal: AbortSignal
}
