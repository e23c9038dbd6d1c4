import type {
  AgentSession,
  Channel,
  MediaHandle,
  OpenTurn,
  PersonId,
  ReflectionId,
  SessionCosts,
  SessionId,
  SessionMessage,
  SessionStatus,
  ToolGrant,
  TurnId,
  UnstampedEvent,
} from '@parley/contracts'

/**
 * An event as stored. A message's content is not stored twice: `messageRef` names the message, and the
 * part of it, that the event refers to.
 */
export interface StoredEvent {
  readonly sequenceNumber: number
  readonly fromSequence?: number
  readonly timestamp: string
  readonly body: StoredEventBody
  readonly messageRef?: { readonly message: number; readonly part: number }
}
export type StoredEventBody = { readonly type: UnstampedEvent['type'] } & Record<string, unknown>

/** A session with its state, for turns and readers. */
export interface AgentSessionRecord {
  readonly session: AgentSession
  readonly lastSequence: number
  readonly openTurn?: OpenTurn
}

/** A request to open a turn. The store assigns the event's number. */
export interface NewTurn {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly question: NewQuestion | StoredQuestion
  readonly event: Pick<StoredEvent, 'body' | 'timestamp'>
  /** How many event numbers to reserve after the opening event. */
  readonly reserve: number
}

export interface NewQuestion {
  readonly kind: 'new'
  readonly message: Pick<SessionMessage, 'id' | 'content' | 'timestamp'>
  /** The media of the message, stored in the same transaction. */
  readonly media?: readonly Media[]
  /** Becomes the session's title if it has none. */
  readonly title: string
  /** The client's idempotency key: a turn with the same key is not opened twice. */
  readonly idempotencyKey?: string
}

/** The question of a turn without an answer, to continue it. */
export interface StoredQuestion {
  readonly kind: 'stored'
  readonly sequenceNumber: number
  /** The expected number of messages; if it differs, the turn is not opened. */
  readonly messageCount: number
}

/** The right to write to one session, until it is released or taken over from a dead process. */
export interface Lease {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly epoch: number
  /** The number of the session's last message. */
  readonly lastMessageNumber: number
  /** The number of the lease's first event; `fromSequence` if reserved numbers before it were lost. */
  readonly eventSequence: number
  readonly fromSequence?: number
  /** The number of the event that opened the turn. */
  readonly openingEventNumber: number
  readonly reservedUpTo: number
  /** The turn's number in the session, from 1. */
  readonly turnNumber: number
  readonly costs: SessionCosts
  readonly grants: readonly ToolGrant[]
}

/** A turn that an earlier request with the same key opened. */
export interface RepeatedTurn {
  readonly turnId: TurnId
  readonly message: SessionMessage
  readonly eventSequence: number
}

export interface Batch {
  readonly messages: readonly SessionMessage[]
  readonly events: readonly StoredEvent[]
  readonly reservedUpTo: number
  /** Whether this batch keeps the lease, or releases it because the turn ended or waits for a person. */
  readonly lease: 'kept' | 'ended' | 'waiting'
  /** The session's total cost after this batch, if it changed. */
  readonly costs?: SessionCosts
  /** The session's tool grants after this batch, if they changed. */
  readonly grants?: readonly ToolGrant[]
  /** The media of the messages, stored in the same transaction. */
  readonly media?: readonly Media[]
}

/** A write between turns. */
export interface BetweenTurnsWrite {
  readonly sessionId: SessionId
  readonly event: Pick<StoredEvent, 'body' | 'timestamp'>
  /** Refused unless `sequenceNumber` is the session's next: otherwise another process wrote first. */
  readonly message?: SessionMessage
  readonly costs?: SessionCosts
}

export interface TakeOver {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly state: 'waiting' | 'interrupted'
  readonly reserve: number
  /** The last event that the caller read; if there is a newer one, the lease is refused. */
  readonly lastSequence?: number
}

/** All given filters must match. */
export interface SessionQuery {
  readonly ownerId?: PersonId
  /**
   * The person who lists. They see their own sessions, those of reflections they administer, and as a server admin all
   * sessions without a reflection. They see no session of a reflection that they no longer belong to.
   */
  readonly reader?: PersonId
  readonly channel?: Channel
  readonly status?: SessionStatus
  /** The open turn's state. */
  readonly turn?: 'waiting'
  /** The session's reflection; a store without reflections finds none. */
  readonly reflectionId?: ReflectionId
  /** Words of the title or a message, in any case. */
  readonly search?: string
  readonly limit: number
  readonly cursor?: string
}

export interface MessageRange {
  readonly after: number
  readonly limit: number
  /** The page ends with the message that reaches this size, so it has at least one message. */
  readonly maxBytes?: number
}

/** Stores bytes under their hash, separately for each owner. */
export interface MediaStore {
  /** The handle of these bytes, stored or not. */
  toMediaHandle(bytes: Uint8Array): MediaHandle
  /** Undefined if no message of this session names them. */
  getMedia(sessionId: SessionId, handle: MediaHandle): Promise<Media | undefined>
}

export interface Media {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Stores turns. Every write is one transaction. */
export interface TurnStore {
  /**
   * Takes the lease and stores the person's message. Throws `session_busy` while a turn is open, whatever its
   * state, `session_not_found`, `session_ended`.
   */
  beginTurn(turn: NewTurn): Promise<Lease>
  /**
   * Throws `session_busy` if another process holds the lease, or a number is taken. Waits for a store that does not
   * respond, and does not store a batch twice.
   */
  append(lease: Lease, batch: Batch): Promise<void>
  /** The lease of an open turn that no process holds; undefined if that state has changed. */
  takeOver(turn: TakeOver): Promise<Lease | undefined>
  /** Marks a turn as interrupted whose end could not be written, now or as soon as the store responds. */
  giveUpLease(lease: Lease): void
}

/**
 * Stores sessions. Every write is one transaction. Aborting the signal cancels the statement, if the store can.
 */
export interface SessionStore extends TurnStore, MediaStore {
  /** `past` holds the first messages of a fork. */
  create(
    session: AgentSession,
    started: StoredEvent,
    past?: readonly SessionMessage[],
    signal?: AbortSignal,
  ): Promise<void>
  find(sessionId: SessionId, signal?: AbortSignal): Promise<AgentSessionRecord | undefined>
  /** Latest first. */
  list(query: SessionQuery): Promise<{ items: readonly AgentSessionRecord[]; nextCursor?: string }>
  rename(sessionId: SessionId, title: string): Promise<void>
  /** No more turns. Throws `session_busy` while a turn is open. */
  end(sessionId: SessionId, at: string): Promise<void>
  /** Deletes it with all its content. Throws `session_busy` while a turn is open. */
  remove(sessionId: SessionId): Promise<void>

  /** The turn opened with this key, if any. */
  findRepeatedTurn(sessionId: SessionId, idempotencyKey: string): Promise<RepeatedTurn | undefined>
  /** Turns whose process died. */
  listInterrupted(limit: number): Promise<readonly Pick<Lease, 'sessionId' | 'turnId'>[]>

  /** Asks the process that runs this turn to cancel it. False if it no longer runs. */
  requestCancel(turn: Pick<Lease, 'sessionId' | 'turnId'>): Promise<boolean>
  /** Calls `cancel` soon after any process requests it; the returned function stops watching. */
  watchCancel(lease: Lease, cancel: () => void): () => void

  /** Returns the event's number. Throws `session_busy` while a turn is open, or if another process wrote first. */
  writeBetweenTurns(write: BetweenTurnsWrite): Promise<number>

  readMessages(sessionId: SessionId, range: MessageRange): Promise<readonly SessionMessage[]>
  /** The last `limit` messages, in order. */
  readTail(sessionId: SessionId, limit: number, signal?: AbortSignal): Promise<readonly SessionMessage[]>
  /** The number of the event that first opened a turn of this question, or a lower one; 0 if unknown. */
  findOpeningEventNumber(sessionId: SessionId, question: number): Promise<number>
  readEvents(sessionId: SessionId, range: { after: number; limit: number }): Promise<readonly StoredEvent[]>
}
