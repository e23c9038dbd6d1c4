import type {
  AddSource,
  ResolvedChange,
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
  PageQuery,
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

export interface ResultPage<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

/** Which confidential content a person may not see. */
export interface ConfidentialFilter {
  /** Excludes conversations, corrections, and facts from them that are pending or rejected. Approved facts stay. */
  readonly excludeConfidential?: boolean
  /** Keeps the patches of this person's own corrections. */
  readonly exceptOf?: PersonId
}

export interface FactFilter extends ConfidentialFilter {
  readonly state?: FactChoice
  readonly namespace?: string
  readonly sourceId?: SourceId
  readonly search?: string
}

/** A change that a person made to a reflection. */
export interface AuditEntry {
  readonly who: PersonId
  readonly what: string
  readonly target?: string
  readonly at: string
}

/** A person who is new to the server. */
export interface NewInvitation extends Omit<Member, 'namespaces'> {
  /** Default: only the published ones. */
  readonly namespaces?: MemberNamespaces | undefined
  /** Hash of the sign-in token, which is not stored. */
  readonly tokenHash: Uint8Array
  readonly expiresAt: string
}

/** A token for a new person, who becomes a member. */
export interface NewMemberToken extends NewInvitation {
  /** Its holder only sees the reflections that they are a member of, as its creator does. */
  readonly isInvited?: true
  /** The hash of a JWT subject, which stands for this person from now on. */
  readonly subjectHash?: Uint8Array
}

type RenewedInvitation = Pick<NewInvitation, 'personId' | 'tokenHash' | 'expiresAt'>

export interface Membership {
  readonly role: MemberRole
  /** Absent for members with access to everything. */
  readonly reach?: MemberReach
}

/** The namespaces of a member with limited access. */
export interface MemberReach {
  /** Namespaces granted to them. They can write only to these. */
  readonly chosen: readonly string[]
  /** Granted and published namespaces. They can read only these. */
  readonly namespaces: readonly string[]
  /** Opens only these namespaces in the database. */
  readonly capability: Uint8Array
}

/** Read access to a reflection's knowledge. */
export type KnowledgeReader = Pick<
  ReflectionStore,
  | 'countKnowledge'
  | 'findSource'
  | 'listSources'
  | 'readSourceText'
  | 'listFacts'
  | 'listFactSection'
  | 'readFactHistory'
  | 'listPatches'
  | 'findPatch'
>

/** The result of a change that withdraws content. */
export interface EndedSessions {
  /** Sessions that ended because their prompts contained withdrawn content. */
  readonly ended: readonly SessionId[]
}

export interface PublishChangeResult extends EndedSessions {
  readonly reflection: Reflection
}

interface StoredVersion extends Source {
  /** Set if published content was replaced. */
  readonly endedSessions?: EndedSessions
}

export interface NewSource extends Pick<AddSource, 'title' | 'namespace'> {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly fileName?: string
}

/**
 * Reflections as a server process uses them. It reads knowledge, and writes control tables and requests. Changes of
 * knowledge are queued as jobs in the same transaction.
 */
export interface ReflectionStore {
  create(reflection: CreateReflection & { readonly ownerId: PersonId }): Promise<Reflection>
  /** Aborting the signal cancels the query. */
  find(reflectionId: ReflectionId, signal?: AbortSignal): Promise<Reflection | undefined>
  /** Former names of the person, which facts may still use. Not for display. */
  readFormerNames(reflectionId: ReflectionId): Promise<readonly string[]>
  /** The reflections that the person is a member of, or all for the owner of the server. */
  list(page: PageQuery & { readonly personId?: PersonId }): Promise<ResultPage<Reflection>>
  /** Counts its sources, facts and pending patches. */
  countKnowledge(reflectionId: ReflectionId, seen: ConfidentialFilter): Promise<ReflectionSummary>
  change(reflectionId: ReflectionId, change: ResolvedChange, by: PersonId): Promise<Reflection>
  /** Records whether the provider has this voice, if it is still the chosen one. */
  recordVoiceListing(
    reflectionId: ReflectionId,
    voiceId: string,
    standing: 'listed' | 'unlisted',
  ): Promise<void>
  /** Hides the reflection at once. A job deletes its content. */
  remove(reflectionId: ReflectionId, by: PersonId): Promise<void>

  /** The person's membership, from the server's own records. */
  findMember(reflectionId: ReflectionId, personId: PersonId): Promise<Membership | undefined>
  /** The knowledge that a member with limited access can read. The database enforces the limits. */
  openMemberReader(capability: Uint8Array): KnowledgeReader
  /** Whether the person is an owner or admin of any reflection. */
  isAdminOfAny(personId: PersonId): Promise<boolean>
  listMembers(reflectionId: ReflectionId): Promise<readonly Member[]>
  /** Like `removeMember`, throws if the reflection would have no owner. */
  setMember(reflectionId: ReflectionId, member: SetMember, by: PersonId): Promise<void>
  /** Adds a new person as a member, with a token. Returns the token's id. */
  createMemberToken(reflectionId: ReflectionId, token: NewMemberToken, by: PersonId): Promise<string>
  /** Adds a new person as a member, with a token that is valid as long as they are a member of any reflection. */
  invite(reflectionId: ReflectionId, invitation: NewInvitation, by: PersonId): Promise<void>
  /**
   * Replaces the sign-in token of an invited person and returns their name. Throws if the person has other access to this
   * server, because the holder of the link would get that too.
   */
  inviteAgain(reflectionId: ReflectionId, invitation: RenewedInvitation, by: PersonId): Promise<string>
  removeMember(reflectionId: ReflectionId, personId: PersonId, by: PersonId): Promise<void>
  /** Audit entries, newest first. */
  listAuditEntries(reflectionId: ReflectionId, page: PageQuery): Promise<ResultPage<AuditEntry>>

  addNamespace(reflectionId: ReflectionId, name: string, by: PersonId): Promise<Namespace>
  /**
   * Publishes all of the namespaces or none. Throws if one does not exist or cannot be published, or with
   * `preview_outdated` if the preview would now have another hash.
   */
  publish(
    reflectionId: ReflectionId,
    names: readonly string[],
    by: PersonId,
    previewHash?: string,
  ): Promise<Reflection>
  /** Ends typed public sessions and marks calls as outdated if less is published than before. */
  unpublish(reflectionId: ReflectionId, names: readonly string[], by: PersonId): Promise<PublishChangeResult>

  /** Stores the bytes and queues their ingest. With `sourceId` they become a new version of that source. */
  addSource(
    reflectionId: ReflectionId,
    source: NewSource,
    by: PersonId,
    sourceId?: SourceId,
  ): Promise<StoredVersion>
  findSource(reflectionId: ReflectionId, sourceId: SourceId): Promise<Source | undefined>
  listSources(
    reflectionId: ReflectionId,
    page: PageQuery & ConfidentialFilter & { readonly namespace?: string },
  ): Promise<ResultPage<Source>>
  /** The current text, from a passage on, or from the first passage with these words. */
  readSourceText(
    reflectionId: ReflectionId,
    sourceId: SourceId,
    from: { readonly after: number; readonly limit: number; readonly words?: string },
  ): Promise<SourceText>
  removeSource(reflectionId: ReflectionId, sourceId: SourceId, by: PersonId): Promise<EndedSessions>

  /** Newest first. */
  listFacts(reflectionId: ReflectionId, page: PageQuery & FactFilter): Promise<ResultPage<Fact>>
  /** A section of the list, and the length of the whole list. */
  listFactSection(
    reflectionId: ReflectionId,
    part: FactFilter & { readonly after: number; readonly limit: number; readonly order?: FactOrder },
  ): Promise<{ readonly items: readonly Fact[]; readonly count: number }>
  /** The fact with its predecessors and successors, oldest first. */
  readFactHistory(reflectionId: ReflectionId, factId: FactId): Promise<readonly Fact[]>
  listPatches(
    reflectionId: ReflectionId,
    page: PageQuery & ConfidentialFilter & { readonly status?: Patch['status'] },
  ): Promise<ResultPage<Patch>>
  findPatch(
    reflectionId: ReflectionId,
    patchId: PatchId,
    seen?: ConfidentialFilter,
  ): Promise<Patch | undefined>
  /** Whether a correction is queued and its patch does not exist yet. */
  isPreparing(reflectionId: ReflectionId, patchId: PatchId, seen?: ConfidentialFilter): Promise<boolean>
  /** Queues a decision about a patch. Throws `patch_not_pending` if the patch no longer allows it. */
  review(reflectionId: ReflectionId, patchId: PatchId, decision: ReviewPatch, by: PersonId): Promise<void>
  /** Queues a correction and returns the id that its patch will have. */
  proposeCorrection(
    reflectionId: ReflectionId,
    correction: ProposeCorrection,
    by: PersonId,
  ): Promise<{ readonly patchId: PatchId }>
}

/** A queued correction, as a job reads it. */
export interface CorrectionRequest extends Pick<IngestRun, 'reflectionId' | 'displayName' | 'creatorName'> {
  readonly patchId: PatchId
  /** The fact in the person's words, and its correction. */
  readonly proposal: ProposeCorrection
  /** Time of the request. */
  readonly date: string
  /** The best matching active fact, if any. */
  readonly known?: ActiveFact
}

/** The result of a correction: a candidate that replaces a fact, or none if no fact matches. */
export interface Correction {
  readonly fact?: CandidateFact
  readonly evaluation: Evaluation
}

/** Operations of background jobs besides ingest. */
export interface LearningStore {
  applyReview(patchId: PatchId, decision: ReviewPatch, by: PersonId): Promise<void>
  /** Returns undefined if the patch already exists or the reflection was removed. */
  readCorrection(patchId: PatchId): Promise<CorrectionRequest | undefined>
  /** Creates the patch once: pending, or rejected if there is nothing to correct. */
  saveCorrection(request: CorrectionRequest, correction: Correction): Promise<void>
  eraseSource(sourceId: SourceId): Promise<void>
  eraseReflection(reflectionId: ReflectionId): Promise<void>
}
