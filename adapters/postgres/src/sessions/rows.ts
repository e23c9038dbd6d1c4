import type { OpenTurn, SessionMessage, TurnId } from '@parley/contracts'
import {
  type AgentSessionRecord,
  type EventColumns,
  type Lease,
  type MessageColumns,
  type OpenedTurn,
  type SessionColumns,
  toSessionMessage,
  toSessionRecord,
  toStoredEvents,
} from '@parley/engine'

type Timed<Row, Times extends keyof Row> = Omit<Row, Times> & { readonly [Time in Times]: Date }

export interface SessionRow extends Timed<SessionColumns, 'created_at' | 'updated_at'> {
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

export type MessageRow = Timed<MessageColumns, 'timestamp'>

export interface OpeningRow extends MessageRow {
  readonly opened_turn_id: TurnId
  readonly event_sequence: number
}

export interface MediaRow {
  readonly media_type: string
  readonly bytes: Buffer
}

export interface EventsRow extends Omit<EventColumns, 'timestamp'> {
  readonly timestamp: Date | null
}

export const convertSessionRow = ({
  lease_turn_id: turnId,
  turn_state: state,
  ...row
}: SessionRow): AgentSessionRecord =>
  toSessionRecord(
    { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() },
    turnId !== null && state !== null ? { turnId, state } : undefined,
  )

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

export const convertMessageRow = (row: MessageRow): SessionMessage =>
  toSessionMessage({ ...row, timestamp: row.timestamp.toISOString() })

export const convertOpeningRow = (row: OpeningRow): OpenedTurn => ({
  turnId: row.opened_turn_id,
  message: convertMessageRow(row),
  eventSequence: row.event_sequence,
})

export const convertEventRows = (rows: readonly EventsRow[], range: { after: number; limit: number }) =>
  toStoredEvents(
    rows.map((row) => ({ ...row, timestamp: row.timestamp?.toISOString() ?? null })),
    range,
  )

/** The columns of a new message. */
export const MESSAGE_COLUMNS =
  'sequence_number, id, turn_id, role, content, model_id, cut_short, marker, timestamp'
export const MESSAGE_TYPES = [
  'integer',
  'text',
  'text',
  'text',
  'json',
  'text',
  'text',
  'json',
  'timestamptz',
]

/** The placeholders of the `MESSAGE_COLUMNS`, from this number on. */
export const toMessagePlaceholders = (first: number): string =>
  MESSAGE_TYPES.map((type, column) => `$${first + column}::${type}[]`).join(', ')

/** The values of each column, in the order of `MESSAGE_TYPES`. */
export function toMessageColumns(messages: readonly SessionMessage[]): readonly (readonly unknown[])[] {
  const values = messages.map(toMessageValues)
  return MESSAGE_TYPES.map((_, column) => values.map((message) => message[column]))
}

export const toMessageValues = (message: SessionMessage): readonly unknown[] => [
  message.sequenceNumber,
  message.id,
  message.turnId,
  message.role,
  JSON.stringify(message.content),
  message.modelId,
  message.cutShort,
  JSON.stringify(message.marker),
  message.timestamp,
]
