import { createHash } from 'node:crypto'
import {
  type MediaHandle,
  type OpenTurn,
  type SessionId,
  type SessionMessage,
  type TurnId,
  readMediaHash,
} from '@parley/contracts'
import {
  type AgentSessionRecord,
  type EventColumns,
  type MessageColumns,
  type RepeatedTurn,
  type SessionColumns,
  type StoredEvent,
  packEvents,
  toSessionMessage,
  toSessionRecord,
  toStoredEvents,
} from '@parley/engine'

/** The columns that give the state of a session's open turn. */
export interface TurnRow {
  readonly id: SessionId
  readonly lease_epoch: number
  readonly lease_holder: string | null
  readonly lease_turn_id: TurnId | null
  readonly turn_waits: 0 | 1
}

type SessionJson = 'agent_snapshot' | 'context' | 'costs' | 'grants'

/** JSON columns hold text. */
export type SessionRow = TurnRow &
  Omit<SessionColumns, SessionJson | 'updated_at'> & {
    readonly [Column in SessionJson | 'updated_at']: string
  }

/** The columns needed to take a lease. */
export interface LeaseRow extends TurnRow {
  readonly status: SessionRow['status']
  readonly message_count: number
  readonly turn_count: number
  readonly turn_event: number | null
  readonly event_last: number
  readonly event_reserved: number
  readonly costs: string
  readonly grants: string
}

export interface MessageRow extends Omit<MessageColumns, 'content' | 'marker'> {
  readonly content: string
  readonly marker: string | null
}

/** A message with the events stored with it. */
export interface NewMessageRow extends MessageRow {
  /** Null without events. */
  readonly event_last: number | null
  readonly events: string | null
}

export interface RepeatedTurnRow extends MessageRow {
  readonly turn_id: TurnId
  readonly event_sequence: number
}

export interface EventsRow extends Omit<EventColumns, 'events'> {
  readonly events: string
}

/** Events stored without a message. */
export interface LoneEventsRow {
  readonly session_id: SessionId
  readonly event_last: number
  readonly events: string
}

export interface MediaRow {
  readonly media_type: string
  readonly bytes: Uint8Array
}

export const parseSessionRow = (row: SessionRow, openTurn: OpenTurn | undefined): AgentSessionRecord =>
  toSessionRecord(
    {
      ...row,
      agent_snapshot: JSON.parse(row.agent_snapshot),
      context: JSON.parse(row.context),
      costs: JSON.parse(row.costs),
      grants: JSON.parse(row.grants),
    },
    openTurn,
  )

export const parseMessageRow = (row: MessageRow): SessionMessage =>
  toSessionMessage({
    ...row,
    content: JSON.parse(row.content),
    marker: row.marker === null ? null : JSON.parse(row.marker),
  })

/** Of messages stored together, the last one has the events. */
export const toMessageRows = (
  messages: readonly SessionMessage[],
  events: readonly StoredEvent[],
): readonly NewMessageRow[] =>
  messages.map((message, index) => ({
    session_id: message.sessionId,
    sequence_number: message.sequenceNumber,
    id: message.id,
    role: message.role,
    content: JSON.stringify(message.content),
    turn_id: message.turnId ?? null,
    model_id: message.modelId ?? null,
    cut_short: message.cutShort ?? null,
    marker: message.marker ? JSON.stringify(message.marker) : null,
    timestamp: message.timestamp,
    event_last: events.at(-1)?.sequenceNumber ?? null,
    events: index === messages.length - 1 && events.length > 0 ? packEvents(events, message) : null,
  }))

export const parseRepeatedTurnRow = (row: RepeatedTurnRow): RepeatedTurn => ({
  turnId: row.turn_id,
  message: parseMessageRow(row),
  eventSequence: row.event_sequence,
})

export const parseEventRows = (rows: readonly EventsRow[], range: { after: number; limit: number }) =>
  toStoredEvents(
    rows.map((row) => ({ ...row, events: JSON.parse(row.events) })),
    range,
  )

export const hashMedia = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

export const parseMediaHandle = (handle: MediaHandle): Buffer => Buffer.from(readMediaHash(handle), 'hex')
