import type { AgentSession, OpenTurn, SessionMessage, TurnId } from '@parley/contracts'
import {
  type EventRow,
  type Lease,
  type OpenedTurn,
  type PackedEvent,
  type AgentSessionRecord,
  type StoredEvent,
  unpackEvent,
} from '@parley/engine'

export interface SessionRow {
  readonly id: AgentSession['id']
  readonly owner_id: AgentSession['ownerId']
  readonly channel: AgentSession['channel']
  readonly status: AgentSession['status']
  readonly title: string | null
  readonly agent_slug: string
  readonly agent_snapshot: AgentSession['agentSnapshot']
  readonly context: AgentSession['context']
  readonly created_at: Date
  readonly updated_at: Date
  readonly message_count: number
  readonly event_last: number
  readonly costs: AgentSession['costs']
  readonly grants: AgentSession['grants']
  readonly lease_turn_id: TurnId | null
  readonly turn_state: OpenTurn['state'] | null
}

export interface LeaseRow {
  readonly lease_epoch: number
  readonly lease_from_sequence: number | null
  readonly turn_event: number
  readonly event_last: number
  readonly event_reserved: number
  readonly message_count: number
  readonly turn_count: number
  readonly costs: Lease['costs']
  readonly grants: Lease['grants']
}

export interface MessageRow {
  readonly id: SessionMessage['id']
  readonly session_id: SessionMessage['sessionId']
  readonly sequence_number: number
  readonly turn_id: TurnId | null
  readonly role: SessionMessage['role']
  readonly content: SessionMessage['content']
  readonly model_id: string | null
  readonly cut_short: SessionMessage['cutShort'] | null
  readonly marker: SessionMessage['marker'] | null
  readonly timestamp: Date
}

export interface OpeningRow extends MessageRow {
  readonly opened_turn_id: TurnId
  readonly event_sequence: number
}

export interface MediaRow {
  readonly media_type: string
  readonly bytes: Buffer
}

/** Events stored together, with columns of the message beside them, if any. */
export interface EventsRow {
  readonly events: readonly PackedEvent[]
  readonly sequence_number: number | null
  readonly turn_id: TurnId | null
  readonly model_id: string | null
  readonly timestamp: Date | null
}

export const toRecord = (row: SessionRow): AgentSessionRecord => ({
  session: {
    id: row.id,
    ownerId: row.owner_id,
    channel: row.channel,
    status: row.status,
    ...(row.title !== null && { title: row.title }),
    agentSlug: row.agent_slug,
    agentSnapshot: row.agent_snapshot,
    context: row.context,
    messageCount: row.message_count,
    costs: row.costs,
    grants: row.grants,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  },
  lastSequence: row.event_last,
  ...(row.lease_turn_id !== null &&
    row.turn_state !== null && { openTurn: { turnId: row.lease_turn_id, state: row.turn_state } }),
})

/** `eventSequence` is not in the row: an opened turn has stored its first event, a turn that was taken over has not. */
export const toLease = (
  { sessionId, turnId }: Pick<Lease, 'sessionId' | 'turnId'>,
  row: LeaseRow,
  eventSequence: number,
): Lease => ({
  sessionId,
  turnId,
  epoch: row.lease_epoch,
  lastMessage: row.message_count,
  eventSequence,
  ...(row.lease_from_sequence !== null && { fromSequence: row.lease_from_sequence }),
  openedAt: row.turn_event,
  reservedUpTo: row.event_reserved,
  turnNumber: row.turn_count,
  costs: row.costs,
  grants: row.grants,
})

export const toMessage = (row: MessageRow): SessionMessage => ({
  id: row.id,
  sessionId: row.session_id,
  sequenceNumber: row.sequence_number,
  role: row.role,
  content: row.content,
  ...(row.turn_id !== null && { turnId: row.turn_id }),
  ...(row.model_id !== null && { modelId: row.model_id }),
  ...(row.cut_short !== null && { cutShort: row.cut_short }),
  ...(row.marker !== null && { marker: row.marker }),
  timestamp: row.timestamp.toISOString(),
})

export const toOpenedTurn = (row: OpeningRow): OpenedTurn => ({
  turnId: row.opened_turn_id,
  message: toMessage(row),
  eventSequence: row.event_sequence,
})

export function toEvents(row: EventsRow): readonly StoredEvent[] {
  const message = messageBeside(row)
  return row.events.map((event) => unpackEvent(event, message))
}

function messageBeside({ sequence_number, turn_id, model_id, timestamp }: EventsRow): EventRow | undefined {
  if (sequence_number === null || timestamp === null) return undefined
  return {
    sequenceNumber: sequence_number,
    timestamp: timestamp.toISOString(),
    ...(turn_id !== null && { turnId: turn_id }),
    ...(model_id !== null && { modelId: model_id }),
  }
}
