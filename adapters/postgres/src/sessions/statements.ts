import type { Statement } from '../queries.ts'

const named = (name: string, text: string): Statement => ({ name, text })

// Only the lock of a dead holder can be had. It is had for the length of the statement, and by all who ask.
const HOLDER_IS_DEAD = 'pg_try_advisory_xact_lock_shared(lease_holder)'

const SESSION = `id, owner_id, channel, status, title, agent_slug, agent_snapshot, context, created_at, updated_at,
  message_count, event_last, case when not ${HOLDER_IS_DEAD} then lease_turn_id end as running_turn_id`

const MESSAGE = 'id, session_id, sequence_number, role, content, model_id, cut_short, timestamp'

const EVENT = 'sequence_number, from_sequence, body, message_sequence, message_part, timestamp'

export const CREATE = named(
  'create_session',
  `with session as (
     insert into agent_sessions (id, owner_id, channel, status, title, agent_slug, agent_snapshot, context,
       message_count, created_at, updated_at, event_last, event_reserved)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
   )
   insert into session_events (session_id, sequence_number, body, timestamp) values ($1, $12, $13, $14)`,
)

export const FIND = named('find_session', `select ${SESSION} from agent_sessions where id = $1`)

const PAGE = 'order by updated_at desc, id desc limit $1'

export const LIST = named(
  'list_sessions',
  `select ${SESSION} from agent_sessions where (updated_at, id) < ($2, $3) ${PAGE}`,
)

export const LIST_OF_OWNER = named(
  'list_sessions_of_owner',
  `select ${SESSION} from agent_sessions where owner_id = $4 and (updated_at, id) < ($2, $3) ${PAGE}`,
)

/** Of two that begin at once the second waits for the first's row, and then sees whose it is. */
export const BEGIN = named(
  'begin_turn',
  `with taken as (
     update agent_sessions set
       lease_epoch = lease_epoch + 1,
       lease_holder = $2,
       lease_turn_id = $3,
       lease_from_sequence = case when event_last < event_reserved then event_last + 1 end,
       event_last = event_reserved + 1,
       event_reserved = event_reserved + 1 + $4::integer,
       message_count = message_count + 1,
       turn_count = turn_count + 1,
       title = coalesce(title, $5),
       updated_at = $6
     where id = $1 and status = 'active' and (lease_holder is null or ${HOLDER_IS_DEAD})
     returning id, lease_epoch, lease_from_sequence, event_last, event_reserved, message_count, turn_count
   ), message as (
     insert into session_messages (session_id, sequence_number, id, role, content, timestamp)
     select id, message_count, $7, 'user', $8, $6 from taken
   ), event as (
     insert into session_events
       (session_id, sequence_number, from_sequence, body, message_sequence, message_part, timestamp)
     select id, event_last, lease_from_sequence, $9, message_count, 0, $10 from taken
   ), opening as (
     insert into session_openings (session_id, idempotency_key, turn_id, message_sequence, event_sequence)
     select id, $11, $3, message_count, event_last from taken where $11::text is not null
   )
   select * from taken`,
)

export const WHY_NOT = named(
  'why_not_begun',
  'select status, lease_turn_id from agent_sessions where id = $1',
)

export const FIND_OPENING = named(
  'find_opening',
  `select turn_id, event_sequence, ${MESSAGE}
   from session_openings join session_messages using (session_id)
   where session_id = $1 and idempotency_key = $2 and sequence_number = message_sequence`,
)

/** Names its holder anew, since the process may have had to change its key. */
export const APPEND = named(
  'append_to_turn',
  `with session as (
     update agent_sessions set
       lease_holder = case when not $5::boolean then $6::bigint end,
       lease_turn_id = case when not $5 then lease_turn_id end,
       event_last = coalesce($7::integer, event_last),
       event_reserved = case when $5 then coalesce($7, event_last) else $8::integer end,
       message_count = message_count + cardinality($10::integer[]),
       updated_at = $9
     where id = $1 and lease_epoch = $2 and lease_turn_id = $3 and message_count = coalesce($4, message_count)
     returning id
   ), message as (
     insert into session_messages
       (session_id, sequence_number, id, role, content, model_id, cut_short, timestamp)
     select session.id, said.* from session, unnest($10, $11::text[], $12::text[], $13::json[], $14::text[],
       $15::text[], $16::timestamptz[]) as said
   ), event as (
     insert into session_events
       (session_id, sequence_number, from_sequence, body, message_sequence, message_part, timestamp)
     select session.id, told.* from session, unnest($17::integer[], $18::integer[], $19::json[], $20::integer[],
       $21::integer[], $22::timestamptz[]) as told
   )
   select from session`,
)

export const GIVE_UP = named(
  'give_up_turn',
  'update agent_sessions set lease_holder = null, lease_turn_id = null where id = $1 and lease_turn_id = $2',
)

export const READ_MESSAGES = named(
  'read_messages',
  `select ${MESSAGE} from session_messages where session_id = $1 and sequence_number > $2
   order by sequence_number limit $3`,
)

export const READ_TAIL = named(
  'read_tail',
  `select ${MESSAGE} from session_messages where session_id = $1 order by sequence_number desc limit $2`,
)

export const READ_EVENTS = named(
  'read_events',
  `select ${EVENT} from session_events where session_id = $1 and sequence_number > $2
   order by sequence_number limit $3`,
)
