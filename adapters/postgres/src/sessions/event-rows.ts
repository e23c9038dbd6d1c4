import type { SessionId } from '@parley/contracts'
import { type EventColumns, type StoredEvent, packEvent, toStoredEvents } from '@parley/engine'
import type { Run } from '../run-statements.ts'
import { statement } from '../statement.ts'

/** The events after a number, in order. */
export const selectEvents = async (
  run: Run,
  sessionId: SessionId,
  { after, limit }: { readonly after: number; readonly limit: number },
) => toStoredEvents(await run<EventColumns>(SELECT_EVENTS, [sessionId, after, limit]), { after, limit })

// Event numbers rise with message numbers, so a binary search finds the place.
const LAST_KNOWN_MESSAGE = `(
  with recursive place (low, high) as (
    select 0, message_count from agent_sessions where id = $1
    union all
    select case when event_last <= $2 then sequence_number else low end,
      case when event_last <= $2 then high else sequence_number - 1 end
    from place join session_messages on session_id = $1 and sequence_number = (low + high + 1) / 2
    where low < high
  )
  select low from place where low = high
)`

const SELECT_EVENTS = statement(`
  (select event_last, events, sequence_number, turn_id, model_id, timestamp from session_messages
    where session_id = $1 and sequence_number > ${LAST_KNOWN_MESSAGE} and events is not null
    order by sequence_number limit $3)
   union all
   (select event_last, events, null, null, null, null from session_events where session_id = $1 and event_last > $2
    order by event_last limit $3)
   order by event_last limit $3`)

/** The body and the other fields of an event without a number, each as JSON. `row` is the message stored with it. */
export function packEventValues(
  event: Omit<StoredEvent, 'sequenceNumber'>,
  row: Parameters<typeof packEvent>[2],
): { readonly body: string; readonly more: string } {
  const [, body, more] = packEvent(event, NOT_ASSIGNED, row)
  return { body: JSON.stringify(body), more: JSON.stringify(more) }
}

/** The number of an event or message that the database will assign. */
export const NOT_ASSIGNED = 0
