import { type Batch, type Lease, areConsecutive, areRising, isStored, packEvents } from '@parley/engine'
import { UNIQUE_VIOLATION, getErrorCode } from '../login/database-error.ts'
import { type Run, retryWhileUnavailable } from '../run-statements.ts'
import { type SqlStatement, listValues, numberParameters, statement } from '../statement.ts'
import { selectEvents } from './event-rows.ts'
import { createBusyError } from './explain-refusal.ts'
import { INSERT_MEDIA, toMediaValues } from './media-rows.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, toMessageValues } from './rows.ts'

/** Stores a batch: one statement, in one round trip. */
export async function appendBatch(
  { run, closing }: { readonly run: Run; readonly closing: AbortSignal },
  lease: Lease,
  batch: Batch,
): Promise<void> {
  const { sessionId, turnId } = lease
  if (!areConsecutive(batch.messages) || !areRising(batch.events)) throw createBusyError(sessionId, turnId)
  const store = { readEvents: selectEvents.bind(undefined, run) }
  await retryWhileUnavailable(closing, async (isRepeated) => {
    try {
      const [row] = await run(...buildAppend(lease, batch))
      if (row) return
    } catch (error) {
      if (getErrorCode(error) !== UNIQUE_VIOLATION) throw error
    }
    if (!isRepeated || !(await isStored(batch, sessionId, store))) throw createBusyError(sessionId, turnId)
  })
}

/**
 * The statement that writes a batch. There is one for each number of messages, since plain rows are faster than arrays,
 * and another with grants and media, which few batches have.
 */
function buildAppend(
  { sessionId, epoch, turnId }: Lease,
  { messages, events, reservedUpTo, lease, costs, grants, media = [] }: Batch,
): readonly [SqlStatement, readonly unknown[]] {
  const hasExtras = grants !== undefined || media.length > 0
  const { prepared, names } = getAppendStatement(messages.length, hasExtras)
  const values = listValues(names, {
    session_id: sessionId,
    epoch,
    turn_id: turnId,
    messages_before: messages[0] ? messages[0].sequenceNumber - 1 : null,
    lease,
    first_event: events[0]?.sequenceNumber,
    last_event: events.at(-1)?.sequenceNumber,
    reserved: reservedUpTo,
    costs: JSON.stringify(costs),
    events: events.length === 0 ? null : packEvents(events, messages.at(-1)),
    updated_at: events.at(-1)?.timestamp,
    ...(hasExtras && { grants: JSON.stringify(grants), ...toMediaValues(media) }),
  })
  return [prepared, [...values, ...messages.flatMap(toMessageValues)]]
}

interface AppendStatement {
  readonly prepared: SqlStatement
  /** The names of the parameters before those of the messages. */
  readonly names: readonly string[]
}

const statements = new Map<string, AppendStatement>()

function getAppendStatement(messages: number, hasExtras: boolean): AppendStatement {
  const key = `${messages} ${hasExtras}`
  const known = statements.get(key) ?? createAppendStatement(messages, hasExtras)
  statements.set(key, known)
  return known
}

function createAppendStatement(messages: number, hasExtras: boolean): AppendStatement {
  const { numbered, names } = numberParameters(buildAppendText(messages, hasExtras))
  const rows = toPlaceholders(MESSAGE_TYPES, messages, names.length)
  return { prepared: statement(numbered.replace(MESSAGE_ROWS, () => rows)), names }
}

/** Stands for the rows of messages, whose parameters are numbered last. */
const MESSAGE_ROWS = '<message rows>'

const buildAppendText = (messages: number, hasExtras: boolean): string => `with session as (
     update agent_sessions set
       lease_holder = case when :lease::text = 'kept' then lease_holder end,
       lease_turn_id = case when :lease <> 'ended' then lease_turn_id end,
       turn_waits = :lease = 'waiting',
       event_last = coalesce(:last_event::integer, event_last),
       event_reserved = case when :lease = 'kept' then greatest(event_reserved, :reserved::integer)
         else coalesce(:last_event, event_last) end,
       message_count = message_count + ${messages},
       costs = coalesce(:costs::json, costs),${hasExtras ? ' grants = coalesce(:grants::json, grants),' : ''}
       updated_at = coalesce(:updated_at::timestamptz, updated_at)
     where id = :session_id and lease_epoch = :epoch and lease_turn_id = :turn_id and not turn_waits
       and message_count = coalesce(:messages_before, message_count)
       and (:first_event::integer is null or event_last < :first_event)
     returning id, event_last, owner_id
   ), stored as (${messages === 0 ? INSERT_EVENTS : insertMessages(messages)})${hasExtras ? INSERT_MEDIA : ''}
   select from session`

const INSERT_EVENTS = `
     insert into session_events (session_id, event_last, events)
     select id, :last_event, :events::json from session where :last_event is not null`

/** Of messages stored together, the last one has the events. */
const insertMessages = (count: number) => `
     insert into session_messages (session_id, ${MESSAGE_COLUMNS}, event_last, events)
     select session.id, message.*, session.event_last,
       case when message.sequence_number = :messages_before + ${count} then :events::json end
     from session, (values ${MESSAGE_ROWS}) as message (${MESSAGE_COLUMNS})`

/** `count` rows of placeholders for these types, after the first `before` placeholders. */
const toPlaceholders = (types: readonly string[], count: number, before: number) =>
  Array.from({ length: count }, (_, row) => {
    const places = types.map((type, column) => `$${before + row * types.length + column + 1}::${type}`)
    return `(${places.join(', ')})`
  }).join(', ')
