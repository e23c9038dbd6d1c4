import type {
  AddSource,
  SettledChange,
  CreateReflection,
  Fact,
  FactChoice,
  FactId,
  FactOrder,
  Member,
  MemberNamespaces,
  MemberRole,
  Namespace,
  Patch,
  PatchId,
  PersonId,
  ProposeCorrection,
  Reflection,
  ReflectionId,
  ReflectionSummary,
  ReviewPatch,
  SessionId,
  SetMember,
  Source,
  SourceId,
  SourceText,
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

/** How much of the confidential words a person may see. */
export interface ConfidentialFilter {
  /** Left out: what people said in sessions and corrections, and what waits or was rejected of it. Facts of it that were approved stay. */
  readonly excludeConfidential?: boolean
  /** Of the patches that are left out, those of this person's own corrections stay. */
  readonly exceptOf?: PersonId
}

/** Which facts. */
export interface FactFilter extends ConfidentialFilter {
  readonly state?: FactChoice
  readonly namespace?: string
  readonly sourceId?: SourceId
  readonly search?: string
}

/** Something that a person did to a reflection. */
export interface AuditEntry {
  readonly who: PersonId
  readonly what: string
  readonly target?: string
  readonly at: string
}

/** Somebody who is not known yet. */
export interface Invited extends Omit<Member, 'namespaces'> {
  /** The published ones only, where absent. */
  readonly namespaces?: MemberNamespaces | undefined
  /** Of what they come with; only this is kept. */
  readonly tokenHash: Uint8Array
  readonly expiresAt: string
}

export type InvitedAgain = Pick<Invited, 'personId' | 'tokenHash' | 'expiresAt'>

export interface Membership {
  readonly role: MemberRole
  /** Absent for who reaches everything. */
  readonly reach?: MemberReach
}

/** How much a member reaches who does not reach everything. */
export interface MemberReach {
  /** The namespaces that were chosen for them. They write in no others. */
  readonly chosen: readonly string[]
  /** Those and the published ones: what they read. */
  readonly namespaces: readonly string[]
  /** Opens just these at the database. */
  readonly capability: Uint8Array
}

/** Read access to a reflection's knowledge. */
export type KnowledgeReader = Pick<
  ReflectionStore,
  | 'summary'
  | 'findSource'
  | 'sources'
  | 'sourceText'
  | 'facts'
  | 'factsFrom'
  | 'factHistory'
  | 'patches'
  | 'findPatch'
>

/** That somebody may be told less than before. */
export interface EndedSessions {
  /** The sessions that ended, since what speaks in them was made from more. */
  readonly ended: readonly SessionId[]
}

export interface UnpublishResult extends EndedSessions {
  readonly reflection: Reflection
}

export interface KeptSource extends Source {
  /** The published state after it. */
  readonly endedSessions?: EndedSessions
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
  /** An abort cancels the look. */
  find(reflectionId: ReflectionId, signal?: AbortSignal): Promise<Reflection | undefined>
  /** What its person was called by before, which is nobody's to see: facts may still tell of them so. */
  formerNames(reflectionId: ReflectionId): Promise<readonly string[]>
  /** Those that the person is a member of; all for the owner of the server. */
  list(page: Page & { readonly personId?: PersonId }): Promise<PageOf<Reflection>>
  /** How much there is of it. */
  summary(reflectionId: ReflectionId, seen: ConfidentialFilter): Promise<ReflectionSummary>
  change(reflectionId: ReflectionId, change: SettledChange, by: PersonId): Promise<Reflection>
  /** Whether the provider has the voice, if it still is the one that is chosen. */
  noteVoice(reflectionId: ReflectionId, voiceId: string, standing: 'listed' | 'unlisted'): Promise<void>
  /** Takes it away at once; a job removes all that it holds. */
  remove(reflectionId: ReflectionId, by: PersonId): Promise<void>

  /** What the person is to the reflection, by the server's own records. */
  memberOf(reflectionId: ReflectionId, personId: PersonId): Promise<Membership | undefined>
  /** The same knowledge as a member sees it who does not reach everything; the database itself keeps to that. */
  readAs(capability: Uint8Array): KnowledgeReader
  /** Whether the person is the owner or an admin of any. */
  runsAny(personId: PersonId): Promise<boolean>
  members(reflectionId: ReflectionId): Promise<readonly Member[]>
  /** Refuses, as does `removeMember`, what would leave the reflection without an owner. */
  setMember(reflectionId: ReflectionId, member: SetMember, by: PersonId): Promise<void>
  /** Makes a new person a member, with a token that is worth what they are a member of, and goes with the last of that. */
  invite(reflectionId: ReflectionId, invited: Invited, by: PersonId): Promise<void>
  /**
   * Gives who was invited something new to sign in with, and takes what they had; returns their name. Refuses whoever is
   * more on this server than a member of this reflection, since who is given the link would be that too.
   */
  inviteAgain(reflectionId: ReflectionId, invited: InvitedAgain, by: PersonId): Promise<string>
  removeMember(reflectionId: ReflectionId, personId: PersonId, by: PersonId): Promise<void>
  /** Its audit entries, latest first. */
  audit(reflectionId: ReflectionId, page: Page): Promise<PageOf<AuditEntry>>

  addNamespace(reflectionId: ReflectionId, name: string, by: PersonId): Promise<Namespace>
  /**
   * Refuses what cannot be published, and namespaces that are not there: all or none. Throws `preview_outdated` where
   * the hash is not that of a preview made in the same transaction.
   */
  publish(
    reflectionId: ReflectionId,
    names: readonly string[],
    by: PersonId,
    previewHash?: string,
  ): Promise<Reflection>
  /** Where less is published than before, every session of the public ends with it. */
  unpublish(reflectionId: ReflectionId, names: readonly string[], by: PersonId): Promise<UnpublishResult>

  /** Keeps the bytes and enqueues their ingest. With `sourceId` they are a new version of that source. */
  addSource(
    reflectionId: ReflectionId,
    source: NewSource,
    by: PersonId,
    sourceId?: SourceId,
  ): Promise<KeptSource>
  findSource(reflectionId: ReflectionId, sourceId: SourceId): Promise<Source | undefined>
  sources(
    reflectionId: ReflectionId,
    page: Page & ConfidentialFilter & { readonly namespace?: string },
  ): Promise<PageOf<Source>>
  /** What the source says now, from a passage on; with words, from where they stand. */
  sourceText(
    reflectionId: ReflectionId,
    sourceId: SourceId,
    from: { readonly after: number; readonly limit: number; readonly words?: string },
  ): Promise<SourceText>
  removeSource(reflectionId: ReflectionId, sourceId: SourceId, by: PersonId): Promise<EndedSessions>

  /** As they were learned, latest first. */
  facts(reflectionId: ReflectionId, page: Page & FactFilter): Promise<PageOf<Fact>>
  /** A part from anywhere in the list, and how long that is. */
  factsFrom(
    reflectionId: ReflectionId,
    part: FactFilter & { readonly after: number; readonly limit: number; readonly order?: FactOrder },
  ): Promise<{ readonly items: readonly Fact[]; readonly count: number }>
  /** The fact with the facts before and after it, the earliest first. */
  factHistory(reflectionId: ReflectionId, factId: FactId): Promise<readonly Fact[]>
  patches(
    reflectionId: ReflectionId,
    page: Page & ConfidentialFilter & { readonly status?: Patch['status'] },
  ): Promise<PageOf<Patch>>
  findPatch(reflectionId: ReflectionId, patchId: PatchId, seen?: ConfidentialFilter): Promise<Patch | undefined>
  /** Whether a correction was asked for whose patch is not made yet. */
  isPreparing(reflectionId: ReflectionId, patchId: PatchId, seen?: ConfidentialFilter): Promise<boolean>
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
export interface CorrectionRequest extends Pick<IngestRun, 'reflectionId' | 'displayName' | 'creatorName'> {
  readonly patchId: PatchId
  /** The fact, as they named it, and how it is instead. */
  readonly asked: ProposeCorrection
  /** When they asked. */
  readonly date: string
  /** The active fact that is meant; absent where none is like it. */
  readonly known?: ActiveFact
}

/** The result of a correction: a candidate that replaces a fact, or none if no fact matches. */
export interface Correction {
  readonly fact?: CandidateFact
  readonly evaluation: Evaluation
}

/** What background jobs do beside ingest, with what serving asked for. */
export interface LearningStore {
  applyReview(patchId: PatchId, said: ReviewPatch, by: PersonId): Promise<void>
  /** Undefined where its patch was made already, or its reflection is gone. */
  readCorrection(patchId: PatchId): Promise<CorrectionRequest | undefined>
  /** Makes its patch, once: it waits for a person, or is rejected where there is nothing to correct. */
  saveCorrection(asked: CorrectionRequest, correction: Correction): Promise<void>
  eraseSource(sourceId: SourceId): Promise<void>
  eraseReflection(reflectionId: ReflectionId): Promise<void>
}
