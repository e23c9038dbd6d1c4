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
import type { Ingestion } from '../access/session-access.ts'
import type { TranscriptSource } from './transcript-store.ts'

/** The status of a session with a reflection. */
export type ReflectionSessionStatus = 'starting' | 'active' | 'failed' | 'ended'

/** A session with a reflection: its plan and the state of its call. */
export interface ReflectionSession {
  readonly sessionId: SessionId
  readonly reflectionId: ReflectionId
  /** A visitor has an id for this session only. */
  readonly personId: PersonId
  readonly shareLinkId?: string
  readonly channel: Channel
  readonly mode: SessionMode
  readonly sessionAudience: Audience
  readonly surface: Surface
  readonly role: Role
  readonly ingestion: Ingestion
  /** The namespaces that its searches may use. */
  readonly namespaces: readonly string[]
  /** Its prompt was made for a member who does not reach everything. */
  readonly isNarrowed?: boolean
  readonly status: ReflectionSessionStatus
  readonly failure?: string
  readonly agentId?: string
  readonly providerConversationId?: string
  readonly transcript: 'none' | 'pending' | 'stored'
  /** Its prompt holds sources that were unpublished since. The agent ends a call at its next search; messages are refused. */
  readonly isOutdated?: boolean
  readonly createdAt: string
}

interface FailedStartsQuery {
  /** Only the sessions of this person. */
  readonly personId?: PersonId
  /** All sessions that this person may read: their own, and those of reflections that they administer. */
  readonly reader?: PersonId
  readonly reflectionId?: ReflectionId
  readonly channel?: Channel
  readonly limit: number
  readonly cursor?: string
}

/** A status changes by one statement, so that the database decides. An abort cancels the statement. */
export interface ReflectionSessionStore {
  /** Also takes a use of its share link. Throws `share_link_invalid` if the link is used up or expired. */
  open(
    session: Omit<
      ReflectionSession,
      'createdAt' | 'transcript' | 'isOutdated' | 'failure' | 'providerConversationId'
    >,
    visitorTokenHash?: Uint8Array,
    signal?: AbortSignal,
  ): Promise<void>
  find(sessionId: SessionId): Promise<ReflectionSession | undefined>
  /** The reflections of those of these sessions that have one. */
  findReflections(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, ReflectionId>>
  /** The session of a visitor whose link works, if it is active or was ended by an unpublish. */
  findByVisitor(tokenHash: Uint8Array): Promise<ReflectionSession | undefined>
  findByProvider(providerConversationId: string): Promise<ReflectionSession | undefined>
  /** Binds and activates a starting session, or rebinds an active one. False if it has ended. */
  activateSpoken(
    sessionId: SessionId,
    bound: {
      readonly providerConversationId: string
      readonly agentId: string
      /** Set if it changed since the session was opened. */
      readonly surface?: Surface
    },
    signal?: AbortSignal,
  ): Promise<boolean>
  /** Activates a typed session. False if it is no longer starting. */
  activateTyped(sessionId: SessionId, surface?: Surface, signal?: AbortSignal): Promise<boolean>
  /** Counts one more connection of an active session. False at the limit. */
  takeReconnect(sessionId: SessionId, most: number): Promise<boolean>
  /** Marks a session that has not ended as failed, and gives back the use of its share link once. */
  fail(sessionId: SessionId, code: string): Promise<void>
  /** Fails the sessions whose process died during the start, and gives back the uses of their links. Returns each once. */
  failOverdue(before: string): Promise<readonly ReflectionSession[]>
  /** Failed sessions that are on the record, latest first. */
  listFailed(query: FailedStartsQuery): Promise<{
    readonly items: readonly ReflectionSession[]
    readonly nextCursor?: string
  }>
  /** Ends the session and stores its typed messages as a source, if there is one. False if it had ended. */
  end(sessionId: SessionId, source?: TranscriptSource): Promise<boolean>
  /** The person's earlier private sessions with this reflection in which they said something, latest first; else their latest. */
  listEarlier(
    reflectionId: ReflectionId,
    personId: PersonId,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ReflectionSession[]>
  /** The number of starting and active public sessions. */
  countVisitors(reflectionId: ReflectionId): Promise<number>
  /** The provider's ids of the known calls with a reflection. */
  listCalls(reflectionId: ReflectionId): Promise<readonly string[]>
  /** Calls without a transcript that ended before this time. */
  listCallsWithoutTranscript(before: string, limit: number): Promise<readonly ReflectionSession[]>
  /** Whether a webhook event was recorded. */
  isEventTaken(eventKey: string): Promise<boolean>
  recordEvent(eventKey: string): Promise<void>
}
