import type { AgentSession, OpenTurn, SessionId, SessionMessage, TurnId } from '@parley/contracts'
import type { OpenedTurn, SessionRecord, StoredEvent } from '@parley/engine'

/** What tells how a session's open turn stands. */
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
}

/** What who takes a lease must know of the session. */
export interface LeaseRow extends TurnRow {
  readonly status: SessionRow['status']
  readonly message_count: number
  readonly turn_count: number
  readonly turn_event: number | null
  readonly event_last: number
  readonly event_reserved: number
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
  readonly timestamp: string
}

export interface OpeningRow extends MessageRow {
  readonly turn_id: TurnId
  readonly event_sequence: number
}

export interface EventRow {
  readonly session_id: SessionId
  readonly sequence_number: number
  readonly from_sequence: number | null
  readonly body: string
  readonly message_sequence: number | null
  readonly message_part: number | null
  readonly timestamp: string
}

export interface MediaRow {
  readonly media_type: string
  readonly bytes: Uint8Array
}

export const toRecord = (row: SessionRow, openTurn: OpenTurn | undefined): SessionRecord => ({
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
  timestamp: row.timestamp,
})

export const toMessageRow = (message: SessionMessage): MessageRow => ({
  session_id: message.sessionId,
  sequence_number: message.sequenceNumber,
  id: message.id,
  role: message.role,
  content: JSON.stringify(message.content),
  turn_id: message.turnId ?? null,
  model_id: message.modelId ?? null,
  cut_short: message.cutShort ?? null,
  timestamp: message.timestamp,
})

export const toOpenedTurn = (row: OpeningRow): OpenedTurn => ({
  turnId: row.turn_id,
  message: toMessage(row),
  eventSequence: row.event_sequence,
})

export const toEvent = (row: EventRow): StoredEvent => ({
  sequenceNumber: row.sequence_number,
  ...(row.from_sequence !== null && { fromSequence: row.from_sequence }),
  timestamp: row.timestamp,
  body: JSON.parse(row.body),
  ...(row.message_sequence !== null &&
    row.message_part !== null && { of: { message: row.message_sequence, part: row.message_part } }),
})

export const toEventRow = (sessionId: SessionId, event: StoredEvent): EventRow => ({
  session_id: sessionId,
  sequence_number: event.sequenceNumber,
  from_sequence: event.fromSequence ?? null,
  body: JSON.stringify(event.body),
  message_sequence: event.of?.message ?? null,
  message_part: event.of?.part ?? null,
  timestamp: event.timestamp,
})
