import type { SessionMessage } from '@parley/contracts'
import type { Batch, Lease, StoredEvent } from '@parley/engine'
import type { Statement } from '../queries.ts'

/** What a batch is written with. There is a statement for each number of messages and events: plain rows are quicker than arrays. */
export function appendOf(
  { sessionId, epoch, turnId }: Lease,
  { messages, events, reservedUpTo, lease }: Batch,
  holder: string,
): readonly [Statement, readonly unknown[]] {
  const values: unknown[] = [
    sessionId,
    epoch,
    turnId,
    messages[0] ? messages[0].sequenceNumber - 1 : null,
    lease,
    holder,
    events.at(-1)?.sequenceNumber ?? null,
    reservedUpTo,
  ]
  for (const message of messages) values.push(...valuesOfMessage(message))
  for (const event of events) values.push(...valuesOfEvent(event))
  return [statementFor(messages.length, events.length), values]
}

const statements = new Map<string, Statement>()

function statementFor(messages: number, events: number): Statement {
  const name = `append_${messages}_${events}`
  const known = statements.get(name) ?? { name, text: textFor(messages, events) }
  statements.set(name, known)
  return known
}

const SHARED_VALUES = 8

/** Names its holder anew, since the process may have had to change its key. */
function textFor(messages: number, events: number): string {
  const ofMessages = rows(MESSAGE_TYPES, messages, SHARED_VALUES)
  const ofEvents = rows(EVENT_TYPES, events, SHARED_VALUES + messages * MESSAGE_TYPES.length)
  return `with session as (
     update agent_sessions set
       lease_holder = case when $5::text = 'kept' then $6::bigint end,
       lease_turn_id = case when $5 <> 'ended' then lease_turn_id end,
       turn_waits = $5 = 'waiting',
       event_last = coalesce($7::integer, event_last),
       event_reserved = case when $5 = 'kept' then $8::integer else coalesce($7, event_last) end,
       message_count = message_count + ${messages}
     where id = $1 and lease_epoch = $2 and lease_turn_id = $3 and not turn_waits
       and message_count = coalesce($4, message_count)
     returning id
   ) ${
     messages === 0
       ? ''
       : `, message as (
     insert into session_messages
       (session_id, sequence_number, id, turn_id, role, content, model_id, cut_short, timestamp)
     select session.id, said.* from session, (values ${ofMessages}) as said
   )`
   } ${
     events === 0
       ? ''
       : `, event as (
     insert into session_events
       (session_id, sequence_number, from_sequence, body, message_sequence, message_part, timestamp)
     select session.id, told.* from session, (values ${ofEvents}) as told
   )`
   }
   select from session`
}

const MESSAGE_TYPES = ['integer', 'text', 'text', 'text', 'json', 'text', 'text', 'timestamptz']

const valuesOfMessage = (message: SessionMessage): readonly unknown[] => [
  message.sequenceNumber,
  message.id,
  message.turnId ?? null,
  message.role,
  JSON.stringify(message.content),
  message.modelId ?? null,
  message.cutShort ?? null,
  message.timestamp,
]

const EVENT_TYPES = ['integer', 'integer', 'json', 'integer', 'integer', 'timestamptz']

const valuesOfEvent = (event: StoredEvent): readonly unknown[] => [
  event.sequenceNumber,
  event.fromSequence ?? null,
  JSON.stringify(event.body),
  event.of?.message ?? null,
  event.of?.part ?? null,
  event.timestamp,
]

/** `count` rows of places for values of these types, after the first `taken` places. */
const rows = (types: readonly string[], count: number, taken: number) =>
  Array.from({ length: count }, (_, row) => {
    const places = types.map((type, column) => `$${taken + row * types.length + column + 1}::${type}`)
    return `(${places.join(', ')})`
  }).join(', ')
