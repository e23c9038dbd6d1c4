import type {
  AddSource,
  ChangeReflection,
  CreateReflection,
  Fact,
  FactState,
  Member,
  MemberRole,
  Namespace,
  Patch,
  PatchId,
  PersonId,
  ProposeCorrection,
  Reflection,
  ReflectionId,
  ReviewPatch,
  Source,
  SourceId,
} from '@parley/contracts'
import type { ActiveFact, CandidateFact, Evaluation, IngestRun } from './ingest-store.ts'

export interface Page {
  readonly limit: number
  readonly cursor?: string
}

export interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

/** Something that a person did to a reflection. */
export interface AuditEntry {
  readonly who: PersonId
  readonly what: string
  readonly target?: string
  readonly at: string
}

export interface NewSource extends Pick<AddSource, 'title' | 'namespace'> {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly fileName?: string
}

/**
 * What serving does with reflections: it writes control tables and intake, and reads knowledge. What changes knowledge
 * goes to a job, in the same transaction.
 */
export interface ReflectionStore {
  create(reflection: CreateReflection & { readonly ownerId: PersonId }): Promise<Reflection>
  find(reflectionId: ReflectionId): Promise<Reflection | undefined>
  /** Those that the person is a member of; all for the owner of the server. */
  list(page: Page & { readonly personId?: PersonId }): Promise<PageOf<Reflection>>
  change(reflectionId: ReflectionId, change: ChangeReflection, by: PersonId): Promise<Reflection>
  /** Takes it away at once; a job removes all that it holds. */
  remove(reflectionId: ReflectionId, by: PersonId): Promise<void>

  /** The person's role, by the server's own records. */
  roleOf(reflectionId: ReflectionId, personId: PersonId): Promise<MemberRole | undefined>
  members(reflectionId: ReflectionId): Promise<readonly Member[]>
  /** Refuses, as does `removeMember`, what would leave the reflection without an owner. */
  setMember(
    reflectionId: ReflectionId,
    member: Pick<Member, 'personId' | 'role'>,
    by: PersonId,
  ): Promise<void>
  /** What was done to it, and by whom; latest first. */
  audit(reflectionId: ReflectionId, page: Page): Promise<PageOf<AuditEntry>>
  removeMember(reflectionId: ReflectionId, personId: PersonId, by: PersonId): Promise<void>

  addNamespace(reflectionId: ReflectionId, name: string, by: PersonId): Promise<Namespace>
  /** Refuses what cannot be published, and namespaces that are not there: all or none. */
  publish(reflectionId: ReflectionId, names: readonly string[], by: PersonId): Promise<Reflection>
  unpublish(reflectionId: ReflectionId, names: readonly string[], by: PersonId): Promise<Reflection>

  /** Keeps the bytes and enqueues their ingest. With `sourceId` they are a new version of that source. */
  addSource(reflectionId: ReflectionId, source: NewSource, by: PersonId, sourceId?: SourceId): Promise<Source>
  findSource(reflectionId: ReflectionId, sourceId: SourceId): Promise<Source | undefined>
  sources(reflectionId: ReflectionId, page: Page & { readonly namespace?: string }): Promise<PageOf<Source>>
  removeSource(reflectionId: ReflectionId, sourceId: SourceId, by: PersonId): Promise<void>

  facts(reflectionId: ReflectionId, page: Page & { readonly state?: FactState }): Promise<PageOf<Fact>>
  patches(
    reflectionId: ReflectionId,
    page: Page & { readonly status?: Patch['status'] },
  ): Promise<PageOf<Patch>>
  findPatch(reflectionId: ReflectionId, patchId: PatchId): Promise<Patch | undefined>
  /** Enqueues what a person said of a patch; throws `patch_not_pending` where that can no longer be done. */
  review(reflectionId: ReflectionId, patchId: PatchId, said: ReviewPatch, by: PersonId): Promise<void>
  /** Enqueues a correction, and says at once under which id its patch will wait for a person. */
  proposeCorrection(
    reflectionId: ReflectionId,
    correction: ProposeCorrection,
    by: PersonId,
  ): Promise<{ readonly patchId: PatchId }>
}

/** What a person wants corrected, as a job finds it. */
export interface AskedCorrection extends Pick<IngestRun, 'reflectionId' | 'displayName' | 'creatorName'> {
  readonly patchId: PatchId
  /** The fact, as they named it, and how it is instead. */
  readonly asked: ProposeCorrection
  /** When they asked. */
  readonly date: string
  /** The active fact that is meant; absent where none is like it. */
  readonly known?: ActiveFact
}

/** What a correction comes to: a candidate that takes the place of a fact; none where there is nothing to correct. */
export interface Correction {
  readonly fact?: CandidateFact
  readonly evaluation: Evaluation
}

/** What background jobs do beside ingest, with what serving asked for. */
export interface LearningStore {
  applyReview(patchId: PatchId, said: ReviewPatch, by: PersonId): Promise<void>
  /** Undefined where its patch was made already, or its reflection is gone. */
  readCorrection(patchId: PatchId): Promise<AskedCorrection | undefined>
  /** Makes its patch, once: it waits for a person, or is rejected where there is nothing to correct. */
  saveCorrection(asked: AskedCorrection, correction: Correction): Promise<void>
  eraseSource(sourceId: SourceId): Promise<void>
  eraseReflection(reflectionId: ReflectionId): Promise<void>
}
