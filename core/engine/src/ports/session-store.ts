import type {
  AgentSession,
  PersonId,
  SessionId,
  SessionMessage,
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
export type StoredEventBody = { readonly type: UnstampedEvent['type'] } & Readonly<Record<string, unknown>>

/** A session with what a turn or a reader needs to know of it. */
export interface SessionRecord {
  readonly session: AgentSession
  readonly lastSequence: number
  readonly runningTurnId?: TurnId
}

/** What opens a turn; its numbers are given by the store, since only the holder of the lease knows them. */
export interface TurnOpening {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly message: Pick<SessionMessage, 'id' | 'content' | 'timestamp'>
  readonly event: Pick<StoredEvent, 'body' | 'timestamp'>
  /** Taken as the session's title if it has none. */
  readonly title: string
  /** The client's own name for the message: a turn that was opened under it is not opened again. */
  readonly idempotencyKey?: string
  /** How many event numbers to reserve beyond the opening event's. */
  readonly reserve: number
}

/** The right to write to one session until it is released or another takes it over from a dead holder. */
export interface Lease {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly epoch: number
  /** The number of the message that opened the turn. */
  readonly messageSequence: number
  /** The number of the event that opened the turn; `fromSequence` where numbers before it were reserved and lost. */
  readonly eventSequence: number
  readonly fromSequence?: number
  readonly reservedUpTo: number
  /** Which turn of the session this is, from 1. */
  readonly turnNumber: number
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
  readonly at: string
  /** Ends the lease with this batch. */
  readonly release: boolean
}

export interface SessionQuery {
  readonly ownerId?: PersonId
  readonly limit: number
  readonly cursor?: string
}

/** Keeps sessions. Every write is one transaction: all of it is there afterwards, or none. */
export interface SessionStore {
  create(session: AgentSession, started: StoredEvent): Promise<void>
  find(sessionId: SessionId): Promise<SessionRecord | undefined>
  /** Latest first. */
  list(query: SessionQuery): Promise<{ items: readonly SessionRecord[]; nextCursor?: string }>
  /** Takes the lease and stores the person's message. Throws `session_busy`, `session_not_found`, `session_ended`. */
  begin(opening: TurnOpening): Promise<Lease>
  /** The turn that was opened under this key, if any. */
  findOpening(sessionId: SessionId, idempotencyKey: string): Promise<OpenedTurn | undefined>
  /** Throws `session_busy` once the lease has gone to another, or where a number is taken. */
  append(lease: Lease, batch: Batch): Promise<void>
  readMessages(
    sessionId: SessionId,
    range: { after: number; limit: number },
  ): Promise<readonly SessionMessage[]>
  /** The last `limit` messages, in order. */
  readTail(sessionId: SessionId, limit: number): Promise<readonly SessionMessage[]>
  readEvents(sessionId: SessionId, range: { after: number; limit: number }): Promise<readonly StoredEvent[]>
}
