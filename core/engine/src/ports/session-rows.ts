import type { AgentSession, OpenTurn, SessionMessage, TurnId } from '@parley/contracts'
import { type EventRow, type PackedEvent, unpackEvent } from '../events/stored-event.ts'
import type { AgentSessionRecord, MessageRange, StoredEvent } from './session-store.ts'

/** SQLite gives text in ISO 8601, Postgres a date. */
type StoredTime = string | Date

const toIsoTime = (time: StoredTime): string => (typeof time === 'string' ? time : time.toISOString())

/** The columns of a session in an SQL store, with JSON parsed. */
export interface SessionColumns {
  readonly id: AgentSession['id']
  readonly owner_id: AgentSession['ownerId']
  readonly channel: AgentSession['channel']
  readonly status: AgentSession['status']
  readonly title: string | null
  readonly agent_slug: string
  readonly agent_snapshot: AgentSession['agentSnapshot']
  readonly context: AgentSession['context']
  readonly created_at: StoredTime
  readonly updated_at: StoredTime
  readonly message_count: number
  readonly event_last: number
  readonly costs: AgentSession['costs']
  readonly grants: AgentSession['grants']
}

export const toSessionRecord = (row: SessionColumns, openTurn: OpenTurn | undefined): AgentSessionRecord => ({
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
    createdAt: toIsoTime(row.created_at),
    updatedAt: toIsoTime(row.updated_at),
  },
  lastSequence: row.event_last,
  ...(openTurn && { openTurn }),
})

export interface MessageColumns {
  readonly id: SessionMessage['id']
  readonly session_id: SessionMessage['sessionId']
  readonly sequence_number: number
  readonly turn_id: TurnId | null
  readonly role: SessionMessage['role']
  readonly content: SessionMessage['content']
  readonly model_id: string | null
  readonly cut_short: SessionMessage['cutShort'] | null
  readonly marker: SessionMessage['marker'] | null
  readonly timestamp: StoredTime
}

export const toSessionMessage = (row: MessageColumns): SessionMessage => ({
  id: row.id,
  sessionId: row.session_id,
  sequenceNumber: row.sequence_number,
  role: row.role,
  content: row.content,
  ...(row.turn_id !== null && { turnId: row.turn_id }),
  ...(row.model_id !== null && { modelId: row.model_id }),
  ...(row.cut_short !== null && { cutShort: row.cut_short }),
  ...(row.marker !== null && { marker: row.marker }),
  timestamp: toIsoTime(row.timestamp),
})

/** Events stored together, with columns of the message beside them, if any. */
export interface EventColumns {
  readonly events: readonly PackedEvent[]
  readonly sequence_number: number | null
  readonly turn_id: TurnId | null
  readonly model_id: string | null
  readonly timestamp: StoredTime | null
}

/** The events after a number, up to the limit. A row may hold more events than that. */
export const toStoredEvents = (
  rows: readonly EventColumns[],
  { after, limit }: Pick<MessageRange, 'after' | 'limit'>,
): readonly StoredEvent[] =>
  rows
    .flatMap((row) => row.events.map((event) => unpackEvent(event, toEventRow(row))))
    .filter(({ sequenceNumber }) => sequenceNumber > after)
    .slice(0, limit)

function toEventRow({ sequence_number, turn_id, model_id, timestamp }: EventColumns): EventRow | undefined {
  if (sequence_number === null || timestamp === null) return undefined
  return {
    sequenceNumber: sequence_number,
    timestamp: toIsoTime(timestamp),
    ...(turn_id !== null && { turnId: turn_id }),
    ...(model_id !== null && { modelId: model_id }),
  }
}
