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
 * An event as it is kept. What a message already holds is not kept twice: `of` names the message, and the part
 * of it, that the event tells of.
 */
export interface StoredEvent {
  readonly sequenceNumber: number
  readonly fromSequence?: number
  readonly timestamp: string
  readonly body: StoredEventBody
  readonly of?: { readonly message: number; readonly part: number }
}
export type StoredEventBody = { readonly type: UnstampedEvent['type'] } & Record<string, unknown>

/** A session with what a turn or a reader needs to know of it. */
export interface AgentSessionRecord {
  readonly session: AgentSession
  readonly lastSequence: number
  readonly openTurn?: OpenTurn
}

/** What opens a turn; its numbers are given by the store, since only the holder of the lease knows them. */
export interface TurnOpening {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly question: NewQuestion | StoredQuestion
  readonly event: Pick<StoredEvent, 'body' | 'timestamp'>
  /** How many event numbers to reserve beyond the opening event's. */
  readonly reserve: number
}

export interface NewQuestion {
  readonly kind: 'new'
  readonly message: Pick<SessionMessage, 'id' | 'content' | 'timestamp'>
  /** What the message names by handle: kept together with it, or not at all. */
  readonly media?: readonly Media[]
  /** Taken as the session's title if it has none. */
  readonly title: string
  /** The client's own name for the message: a turn that was opened under it is not opened again. */
  readonly idempotencyKey?: string
}

/** The question of a turn that came to no answer, to be gone on with. */
export interface StoredQuestion {
  readonly kind: 'stored'
  readonly sequenceNumber: number
  /** How many messages the session has; where it has others by now, the turn is not opened. */
  readonly messageCount: number
}

/** The right to write to one session until it is released or another takes it over from a dead holder. */
export interface Lease {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly epoch: number
  /** The number of the session's last message. */
  readonly lastMessage: number
  /** The number of the lease's first event; `fromSequence` where numbers before it were reserved and lost. */
  readonly eventSequence: number
  readonly fromSequence?: number
  /** The number of the event that opened the turn. */
  readonly openedAt: number
  readonly reservedUpTo: number
  /** Which turn of the session this is, from 1. */
  readonly turnNumber: number
  readonly costs: SessionCosts
  readonly grants: readonly ToolGrant[]
}

/** A turn that was opened before. */
export interface OpenedTurn {
  readonly turnId: TurnId
  readonly message: SessionMessage
  readonly eventSequence: number
}

export interface Batch {
  readonly messages: readonly SessionMessage[]
  readonly events: readonly StoredEvent[]
  readonly reservedUpTo: number
  /** What becomes of the lease with this batch: kept, or released since the turn ended or waits for a person. */
  readonly lease: 'kept' | 'ended' | 'waiting'
  /** What the session has cost with this batch, where it cost anything. */
  readonly costs?: SessionCosts
  /** What is allowed for the session with this batch, where that has changed. */
  readonly grants?: readonly ToolGrant[]
  /** What the messages name by handle: kept together with them, or not at all. */
  readonly media?: readonly Media[]
}

/** What is written of a session between its turns. */
export interface Note {
  readonly sessionId: SessionId
  readonly event: Pick<StoredEvent, 'body' | 'timestamp'>
  /** It is the session's next message only if `sequenceNumber` says so; else another has written meanwhile. */
  readonly message?: SessionMessage
  readonly costs?: SessionCosts
}

export interface TakeOver {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly state: 'waiting' | 'interrupted'
  readonly reserve: number
  /** The session's last event as the caller has read it: where another came since, the lease is not given. */
  readonly lastSequence?: number
}

/** All that is named has to hold. */
export interface SessionQuery {
  readonly ownerId?: PersonId
  /**
   * Who looks. They find their own sessions, those of reflections that they are an admin of, and as an admin of the server
   * all that are with no reflection; of one with a reflection, nothing once they are nobody there.
   */
  readonly reader?: PersonId
  readonly channel?: Channel
  readonly status?: SessionStatus
  /** Of the open turn. */
  readonly turn?: 'waiting'
  /** Whom they are with; none in a store without reflections. */
  readonly reflectionId?: ReflectionId
  /** Words that the title or a message holds, whatever their case. */
  readonly search?: string
  readonly limit: number
  readonly cursor?: string
}

export interface MessageRange {
  readonly after: number
  readonly limit: number
  /** Stops after the message with which this many bytes are reached: a page may be one message, but never none. */
  readonly maxBytes?: number
}

/** Keeps bytes under their hash, for the owner of a session; another owner's same bytes are another thing. */
export interface MediaStore {
  /** The handle of these bytes, kept or not. */
  handleOf(bytes: Uint8Array): MediaHandle
  /** Undefined where this session never named them. */
  getMedia(sessionId: SessionId, handle: MediaHandle): Promise<Media | undefined>
}

export interface Media {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/**
 * Keeps sessions. Every write is one transaction: all of it is there afterwards, or none. An abort of a signal cancels
 * the statement, where a store can.
 */
export interface SessionStore extends MediaStore {
  /** `past` is what a fork starts with. */
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
  /** Removes it with all that it holds. Throws `session_busy` while a turn is open. */
  remove(sessionId: SessionId): Promise<void>

  /**
   * Takes the lease and stores the person's message. Throws `session_busy` while a turn is open, whatever its
   * state, `session_not_found`, `session_ended`.
   */
  begin(opening: TurnOpening): Promise<Lease>
  /** The turn that was opened under this key, if any. */
  findOpening(sessionId: SessionId, idempotencyKey: string): Promise<OpenedTurn | undefined>
  /**
   * Throws `session_busy` once the lease has gone to another, or where a number is taken. A store that does not answer is
   * waited for, and what it had stored already is not stored again.
   */
  append(lease: Lease, batch: Batch): Promise<void>
  /** The lease of an open turn that no process holds; undefined where it is no longer in that state. */
  takeOver(turn: TakeOver): Promise<Lease | undefined>
  /** For a turn whose end could not be written: it counts as interrupted, now or as soon as that can be stored. */
  giveUp(lease: Lease): void
  /** Turns whose process died. */
  listInterrupted(limit: number): Promise<readonly Pick<Lease, 'sessionId' | 'turnId'>[]>

  /** Asks whoever runs this turn to cancel it. False where it runs no more. */
  askToCancel(turn: Pick<Lease, 'sessionId' | 'turnId'>): Promise<boolean>
  /** Calls `cancel` soon after somebody asked for it, in whatever process; the returned function stops watching. */
  watchCancel(lease: Lease, cancel: () => void): () => void

  /** Gives the event's number. Throws `session_busy` while a turn is open, or where another has written meanwhile. */
  note(note: Note): Promise<number>

  readMessages(sessionId: SessionId, range: MessageRange): Promise<readonly SessionMessage[]>
  /** The last `limit` messages, in order. */
  readTail(sessionId: SessionId, limit: number, signal?: AbortSignal): Promise<readonly SessionMessage[]>
  /** The number of the event that a turn of this question was opened with first, or one before it; 0 where that is not known. */
  findOpeningEvent(sessionId: SessionId, question: number): Promise<number>
  readEvents(sessionId: SessionId, range: { after: number; limit: number }): Promise<readonly StoredEvent[]>
}
