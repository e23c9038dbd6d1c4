import type {
  Audience,
  Channel,
  PersonId,
  ReflectionId,
  Role,
  SessionId,
  SessionMode,
  Surface,
} from '@parley/contracts'
import type { VoiceStatus } from '../planning/decide-provider-bind-outcome.ts'

/** A session with a reflection, as it was settled at its start, and what became of its call. */
export interface ReflectionSession {
  readonly sessionId: SessionId
  readonly reflectionId: ReflectionId
  /** A visitor is somebody for this one session. */
  readonly personId: PersonId
  readonly shareLinkId?: string
  readonly channel: Channel
  readonly mode: SessionMode
  readonly sessionAudience: Audience
  readonly surface: Surface
  readonly role: Role
  readonly ingestion: 'ingest' | 'keep-only' | 'off-record'
  /** The exact allowlist of retrieval. */
  readonly namespaces: readonly string[]
  /** Its prompt was made for a member who does not reach everything. */
  readonly isNarrowed?: boolean
  readonly status: VoiceStatus
  readonly failure?: string
  readonly agentId?: string
  readonly providerConversationId?: string
  readonly transcript: 'none' | 'pending' | 'stored'
  /** Its own prompt holds what was unpublished since: it goes on as a call, not in writing. */
  readonly isOutdated?: boolean
  readonly createdAt: string
}

export interface FailedQuery {
  /** Whose they are. */
  readonly personId?: PersonId
  /** In place of that: whoever finds their own, and those of reflections that they are an admin of. */
  readonly reader?: PersonId
  readonly reflectionId?: ReflectionId
  readonly channel?: Channel
  readonly limit: number
  readonly cursor?: string
}

/**
 * Each call is one statement: what is decided of a session's status is decided where it is kept. An abort of a signal
 * cancels the statement.
 */
export interface ReflectionSessionStore {
  /** Takes a use of its share link with it. Throws `share_link_invalid` where the link has no use left, or is over. */
  open(
    session: Omit<
      ReflectionSession,
      'createdAt' | 'transcript' | 'isOutdated' | 'failure' | 'providerConversationId'
    >,
    visitorTokenHash?: Uint8Array,
    signal?: AbortSignal,
  ): Promise<void>
  find(sessionId: SessionId): Promise<ReflectionSession | undefined>
  /** Whom the sessions among these are with that are with a reflection. */
  reflectionsOf(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, ReflectionId>>
  /** Of a visitor whose link is neither revoked nor over, and whose session is on or was ended by an unpublish. */
  findByVisitor(tokenHash: Uint8Array): Promise<ReflectionSession | undefined>
  findByProvider(providerConversationId: string): Promise<ReflectionSession | undefined>
  /** Binds and activates a starting session, or binds an active one again; false where it is too late. */
  bind(
    sessionId: SessionId,
    bound: {
      readonly providerConversationId: string
      readonly agentId: string
      /** Where it is another than the session was opened with. */
      readonly surface?: Surface
    },
    signal?: AbortSignal,
  ): Promise<boolean>
  /** Of a typed session, which has nothing to bind: false where it is not starting any more. */
  activate(sessionId: SessionId, surface?: Surface, signal?: AbortSignal): Promise<boolean>
  /** Counts one more connection of a session that is on; false where it has had as many as it may. */
  takeReconnect(sessionId: SessionId, most: number): Promise<boolean>
  /** Only what has not ended fails. The use of its share link is given back, once, since the session did not start. */
  fail(sessionId: SessionId, code: string): Promise<void>
  /** Those whose start came to no end since their process died: they fail, once, and are told; the uses of links that they took are given back. */
  failOverdue(before: string): Promise<readonly ReflectionSession[]>
  /** Those that failed, latest first, but for what was off the record. */
  failed(query: FailedQuery): Promise<{
    readonly items: readonly ReflectionSession[]
    readonly nextCursor?: string
  }>
  end(sessionId: SessionId): Promise<void>
  /** The person's earlier private sessions with this reflection in which they said something, latest first; else their latest. */
  earlier(
    reflectionId: ReflectionId,
    personId: PersonId,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ReflectionSession[]>
  /** How many sessions of the public are starting or on. */
  visitors(reflectionId: ReflectionId): Promise<number>
  /** The provider's ids of the calls with a reflection, as far as they are known. */
  callsOf(reflectionId: ReflectionId): Promise<readonly string[]>
  /** Calls that ended some time ago and have no transcript. */
  unheard(before: string, limit: number): Promise<readonly ReflectionSession[]>
  /** Whether the event was noted as taken. */
  isEventTaken(eventKey: string): Promise<boolean>
  noteEvent(eventKey: string): Promise<void>
  /** From pending to stored, once. */
  markStored(sessionId: SessionId): Promise<boolean>
}
