import type { OpenTurn, SessionMessage, TurnId } from '@parley/contracts'
import {
  type AgentSessionRecord,
  type Lease,
  type MessageColumns,
  type RepeatedTurn,
  type SessionColumns,
  toSessionMessage,
  toSessionRecord,
} from '@parley/engine'

export interface SessionRow extends SessionColumns {
  readonly updated_at: Date
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

export interface RepeatedTurnRow extends MessageColumns {
  readonly opened_turn_id: TurnId
  readonly event_sequence: number
}

export interface MediaRow {
  readonly media_type: string
  readonly bytes: Buffer
}

export const convertSessionRow = ({
  lease_turn_id: turnId,
  turn_state: state,
  ...row
}: SessionRow): AgentSessionRecord =>
  toSessionRecord(row, turnId !== null && state !== null ? { turnId, state } : undefined)

/** `eventSequence` is not in the row: an opened turn has stored its first event, a turn that was taken over has not. */
export const toLease = (
  { sessionId, turnId }: Pick<Lease, 'sessionId' | 'turnId'>,
  row: LeaseRow,
  eventSequence: number,
): Lease => ({
  sessionId,
  turnId,
  epoch: row.lease_epoch,
  lastMessageNumber: row.message_count,
  eventSequence,
  ...(row.lease_from_sequence !== null && { fromSequence: row.lease_from_sequence }),
  openingEventNumber: row.turn_event,
  reservedUpTo: row.event_reserved,
  turnNumber: row.turn_count,
  costs: row.costs,
  grants: row.grants,
})

export const convertRepeatedTurnRow = (row: RepeatedTurnRow): RepeatedTurn => ({
  turnId: row.opened_turn_id,
  message: toSessionMessage(row),
  eventSequence: row.event_sequence,
})

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

/** The placeholders of `MESSAGE_COLUMNS`, from this number on. */
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
