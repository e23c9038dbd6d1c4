import { createHash } from 'node:crypto'
import type {
  AgentSession,
  MediaHandle,
  OpenTurn,
  SessionId,
  SessionMessage,
  TurnId,
} from '@parley/contracts'
import {
  type AgentSessionRecord,
  type EventRow,
  type OpenedTurn,
  type PackedEvent,
  type StoredEvent,
  packEvents,
  unpackEvent,
} from '@parley/engine'

/** The columns that give the state of a session's open turn. */
export interface TurnRow {
  readonly id: SessionId
  readonly lease_epoch: number
  readonly lease_holder: string | null
  readonly lease_turn_id: TurnId | null
  readonly turn_waits: 0 | 1
}

export interface SessionRow extends TurnRow {
  readonly owner_id: AgentSession['ownerId']
  readonly channel: AgentSession['channel']
  readonly status: AgentSession['status']
  readonly title: string | null
  readonly agent_slug: string
  readonly agent_snapshot: string
  readonly context: string
  readonly created_at: string
  readonly updated_at: string
  readonly message_count: number
  readonly event_last: number
  readonly costs: string
  readonly grants: string
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

export interface MessageRow {
  readonly session_id: SessionId
  readonly sequence_number: number
  readonly id: SessionMessage['id']
  readonly role: SessionMessage['role']
  readonly content: string
  readonly turn_id: TurnId | null
  readonly model_id: string | null
  readonly cut_short: SessionMessage['cutShort'] | null
  readonly marker: string | null
  readonly timestamp: string
}

/** A message with the events stored with it. */
export interface NewMessageRow extends MessageRow {
  /** Null without events. */
  readonly event_last: number | null
  readonly events: string | null
}

export interface OpeningRow extends MessageRow {
  readonly turn_id: TurnId
  readonly event_sequence: number
}

/** Events stored together, with columns of the message beside them, if any. */
export interface EventsRow {
  readonly events: string
  readonly sequence_number: number | null
  readonly turn_id: TurnId | null
  readonly model_id: string | null
  readonly timestamp: string | null
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

export const toRecord = (row: SessionRow, openTurn: OpenTurn | undefined): AgentSessionRecord => ({
  session: {
    id: row.id,
    ownerId: row.owner_id,
    channel: row.channel,
    status: row.status,
    ...(row.title !== null && { title: row.title }),
    agentSlug: row.agent_slug,
    agentSnapshot: JSON.parse(row.agent_snapshot),
    context: JSON.parse(row.context),
    messageCount: row.message_count,
    costs: JSON.parse(row.costs),
    grants: JSON.parse(row.grants),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  },
  lastSequence: row.event_last,
  ...(openTurn && { openTurn }),
})

export const toMessage = (row: MessageRow): SessionMessage => ({
  id: row.id,
  sessionId: row.session_id,
  sequenceNumber: row.sequence_number,
  role: row.role,
  content: JSON.parse(row.content),
  ...(row.turn_id !== null && { turnId: row.turn_id }),
  ...(row.model_id !== null && { modelId: row.model_id }),
  ...(row.cut_short !== null && { cutShort: row.cut_short }),
  ...(row.marker !== null && { marker: JSON.parse(row.marker) }),
  timestamp: row.timestamp,
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

export const toOpenedTurn = (row: OpeningRow): OpenedTurn => ({
  turnId: row.turn_id,
  message: toMessage(row),
  eventSequence: row.event_sequence,
})

export function toEvents(row: EventsRow): readonly StoredEvent[] {
  const packed: readonly PackedEvent[] = JSON.parse(row.events)
  const message = messageBeside(row)
  return packed.map((event) => unpackEvent(event, message))
}

function messageBeside({ sequence_number, turn_id, model_id, timestamp }: EventsRow): EventRow | undefined {
  if (sequence_number === null || timestamp === null) return undefined
  return {
    sequenceNumber: sequence_number,
    timestamp,
    ...(turn_id !== null && { turnId: turn_id }),
    ...(model_id !== null && { modelId: model_id }),
  }
}

const PREFIX = 'media://sha256-'

export const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

export const handleOf = (hash: Buffer): MediaHandle => `${PREFIX}${hash.toString('hex')}`

export const hashIn = (handle: MediaHandle): Buffer => Buffer.from(handle.slice(PREFIX.length), 'hex')
