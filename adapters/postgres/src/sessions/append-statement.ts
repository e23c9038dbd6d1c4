import { type Batch, type Lease, type Media, packEvents } from '@parley/engine'
import { sha256 } from '../hashes.ts'
import { type Statement, statement } from '../statement.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, messageValues } from './rows.ts'
import { insertMedia } from './statements.ts'

/**
 * The statement that writes a batch. There is one for each number of messages, since plain rows are faster than arrays,
 * and another with grants and media, which few batches have.
 */
export function appendStatement(
  { sessionId, epoch, turnId }: Lease,
  { messages, events, reservedUpTo, lease, costs, grants, media = [] }: Batch,
): readonly [Statement, readonly unknown[]] {
  const values: unknown[] = [
    sessionId,
    epoch,
    turnId,
    messages[0] ? messages[0].sequenceNumber - 1 : null,
    lease,
    events.at(-1)?.sequenceNumber,
    reservedUpTo,
    JSON.stringify(costs),
    events.length === 0 ? null : packEvents(events, messages.at(-1)),
    events[0]?.sequenceNumber,
    events.at(-1)?.timestamp,
  ]
  const isMore = grants !== undefined || media.length > 0
  if (isMore) values.push(JSON.stringify(grants), ...mediaColumns(media))
  for (const message of messages) values.push(...messageValues(message))
  return [statementFor(messages.length, isMore), values]
}

/** Their hashes, media types and bytes. */
export const mediaColumns = (media: readonly Media[]): readonly unknown[] => [
  media.map(({ bytes }) => sha256(bytes)),
  media.map(({ mediaType }) => mediaType),
  media.map(({ bytes }) => Buffer.from(bytes)),
]

const statements = new Map<string, Statement>()

function statementFor(messages: number, isMore: boolean): Statement {
  const key = `${messages} ${isMore}`
  const known = statements.get(key) ?? statement(textFor(messages, isMore))
  statements.set(key, known)
  return known
}

const SHARED_VALUES = 11
const VALUES_OF_MORE = 4

function textFor(messages: number, isMore: boolean): string {
  return `with session as (
     update agent_sessions set
       lease_holder = case when $5::text = 'kept' then lease_holder end,
       lease_turn_id = case when $5 <> 'ended' then lease_turn_id end,
       turn_waits = $5 = 'waiting',
       event_last = coalesce($6::integer, event_last),
       event_reserved = case when $5 = 'kept' then greatest(event_reserved, $7::integer) else coalesce($6, event_last) end,
       message_count = message_count + ${messages},
       costs = coalesce($8::json, costs),${isMore ? ' grants = coalesce($12::json, grants),' : ''}
       updated_at = coalesce($11::timestamptz, updated_at)
     where id = $1 and lease_epoch = $2 and lease_turn_id = $3 and not turn_waits
       and message_count = coalesce($4, message_count)
       and ($10::integer is null or event_last < $10)
     returning id, event_last, owner_id
   ), stored as (${messages === 0 ? INSERT_EVENTS : insertMessages(messages, isMore)})${isMore ? insertMedia('session', 13) : ''}
   select from session`
}

const INSERT_EVENTS = `
     insert into session_events (session_id, event_last, events)
     select id, $6, $9::json from session where $6 is not null`

/** Of messages stored together, the last one has the events. */
const insertMessages = (count: number, isMore: boolean) => `
     insert into session_messages (session_id, ${MESSAGE_COLUMNS}, event_last, events)
     select session.id, message.*, session.event_last,
       case when message.sequence_number = $4 + ${count} then $9::json end
     from session, (values ${rows(MESSAGE_TYPES, count, SHARED_VALUES + (isMore ? VALUES_OF_MORE : 0))})
       as message (${MESSAGE_COLUMNS})`

/** `count` rows of placeholders for these types, after the first `taken` placeholders. */
const rows = (types: readonly string[], count: number, taken: number) =>
  Array.from({ length: count }, (_, row) => {
    const places = types.map((type, column) => `$${taken + row * types.length + column + 1}::${type}`)
    return `(${places.join(', ')})`
  }).join(', ')
