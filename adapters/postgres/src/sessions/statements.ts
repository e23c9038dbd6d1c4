import type { Statement } from '../queries.ts'

const named = (name: string, text: string): Statement => ({ name, text })

// Only the lock of a dead holder can be had. It is had for the length of the statement, and by all who ask.
const NOBODY_HOLDS_IT = '(lease_holder is null or pg_try_advisory_xact_lock_shared(lease_holder))'

const TURN_STATE = `case when lease_turn_id is null then null when turn_waits then 'waiting'
  when ${NOBODY_HOLDS_IT} then 'interrupted' else 'running' end`

const SESSION = `id, owner_id, channel, status, title, agent_slug, agent_snapshot, context, created_at, updated_at,
  message_count, event_last, lease_turn_id, ${TURN_STATE} as turn_state`

const LEASE = `id, lease_epoch, lease_from_sequence, turn_event, event_last, event_reserved, message_count, turn_count`

const MESSAGE = `session_messages.id, session_messages.session_id, sequence_number, session_messages.turn_id, role, content,
  model_id, cut_short, timestamp`

const EVENT = 'sequence_number, from_sequence, body, message_sequence, message_part, timestamp'

export const CREATE = named(
  'create_session',
  `with session as (
     insert into agent_sessions (id, owner_id, channel, status, title, agent_slug, agent_snapshot, context,
       message_count, created_at, updated_at, event_last, event_reserved)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
   ), message as (
     insert into session_messages
       (session_id, sequence_number, id, turn_id, role, content, model_id, cut_short, timestamp)
     select $1, past.* from unnest($15::integer[], $16::text[], $17::text[], $18::text[], $19::json[],
       $20::text[], $21::text[], $22::timestamptz[]) as past
   ), media_of_past as (
     insert into session_media (session_id, owner_id, sha256)
     select $1, owner_id, sha256 from media where owner_id = $2 and sha256 = any($23::bytea[])
   )
   insert into session_events (session_id, sequence_number, body, timestamp) values ($1, $12, $13, $14)`,
)

export const FIND = named('find_session', `select ${SESSION} from agent_sessions where id = $1`)

const LIST_FROM = `select ${SESSION} from agent_sessions where (updated_at, id) < ($2, $3)`
const PAGE = 'order by updated_at desc, id desc limit $1'

export const LIST = named('list_sessions', `${LIST_FROM} ${PAGE}`)

export const LIST_OF_OWNER = named('list_sessions_of_owner', `${LIST_FROM} and owner_id = $4 ${PAGE}`)

// The collation knows the cases of all letters, whatever the database was made with.
const FOLDED = (text: string) => `lower(${text} collate "pg_c_utf8")`

/**
 * Compared as JSON text, since JSON may hold what text may not: U+0000 and lone surrogates. $5 is the JSON of the
 * words without its quotes.
 */
const HOLDS_WORDS = `(
  position(${FOLDED('$6::text')} in ${FOLDED("coalesce(title, '')")}) > 0
  or exists (
    select from session_messages, json_array_elements(content) as part,
      unnest(array[part -> 'text', part -> 'outcome' -> 'text']) as words
    where session_id = agent_sessions.id and position(${FOLDED('$5::text')} in ${FOLDED('words::text')}) > 0
  )
)`

export const SEARCH = named(
  'search_sessions',
  `${LIST_FROM} and ($4::text is null or owner_id = $4) and ${HOLDS_WORDS} ${PAGE}`,
)

export const RENAME = named(
  'rename_session',
  'update agent_sessions set title = $2 where id = $1 returning id',
)

export const END = named(
  'end_session',
  `update agent_sessions set status = 'ended', updated_at = $2 where id = $1 and lease_turn_id is null
   returning id`,
)

export const REMOVE = named('remove_session', 'select remove_session($1) as removed')

const TAKE = `lease_epoch = lease_epoch + 1,
       lease_holder = $2,
       lease_from_sequence = case when event_last < event_reserved then event_last + 1 end,
       cancel_asked = false`

const OPEN = `${TAKE},
       lease_turn_id = $3,
       turn_event = event_reserved + 1,
       event_last = event_reserved + 1,
       event_reserved = event_reserved + 1 + $4::integer,
       turn_count = turn_count + 1,
       updated_at = $6`

const IS_IDLE = `id = $1 and status = 'active' and lease_turn_id is null`

/** Of two that begin at once the second waits for the first's row, and then sees that a turn is open. */
export const BEGIN = named(
  'begin_turn',
  `with taken as (
     update agent_sessions set ${OPEN}, message_count = message_count + 1, title = coalesce(title, $7)
     where ${IS_IDLE}
     returning ${LEASE}
   ), message as (
     insert into session_messages (session_id, sequence_number, id, turn_id, role, content, timestamp)
     select id, message_count, $8, $3, 'user', $9, $10 from taken
   ), event as (
     insert into session_events
       (session_id, sequence_number, from_sequence, body, message_sequence, message_part, timestamp)
     select id, event_last, lease_from_sequence, $5, message_count, 0, $6 from taken
   ), opening as (
     insert into session_openings (session_id, idempotency_key, turn_id, message_sequence, event_sequence)
     select id, $11, $3, message_count, event_last from taken where $11::text is not null
   )
   select * from taken`,
)

/** For a question that is stored already. */
export const BEGIN_AGAIN = named(
  'begin_turn_again',
  `with taken as (
     update agent_sessions set ${OPEN} where ${IS_IDLE} and message_count = $7
     returning ${LEASE}
   ), event as (
     insert into session_events
       (session_id, sequence_number, from_sequence, body, message_sequence, message_part, timestamp)
     select id, event_last, lease_from_sequence, $5, $8, 0, $6 from taken
   )
   select * from taken`,
)

/** A row for an open turn that nobody holds; its holder is one that is dead, or seems to be. */
export const FIND_DEAD_HOLDER = named(
  'find_dead_holder',
  `select lease_holder::text from agent_sessions where id = $1 and lease_turn_id = $2 and ${NOBODY_HOLDS_IT}`,
)

export const TAKE_OVER = named(
  'take_over_turn',
  `update agent_sessions set ${TAKE}, turn_waits = false, event_reserved = event_reserved + 1 + $4::integer
   where id = $1 and lease_turn_id = $3 and turn_waits = $5 and lease_holder is not distinct from $6::bigint
     and ${NOBODY_HOLDS_IT}
   returning ${LEASE}`,
)

export const LIST_INTERRUPTED = named(
  'list_interrupted_turns',
  `select id, lease_turn_id from agent_sessions
   where lease_turn_id is not null and not turn_waits and ${NOBODY_HOLDS_IT} limit $1`,
)

export const ASK_TO_CANCEL = named(
  'ask_to_cancel_turn',
  `update agent_sessions set cancel_asked = true
   where id = $1 and lease_turn_id = $2 and not turn_waits and not ${NOBODY_HOLDS_IT} returning id`,
)

export const CANCELS_ASKED = named(
  'cancels_asked',
  'select lease_turn_id from agent_sessions where id = any($1) and cancel_asked',
)

/** A process that had to change its key names itself anew as the holder of its turns. */
export const RENAME_HOLDER = named(
  'rename_holder',
  'update agent_sessions set lease_holder = $2 where lease_turn_id is not null and lease_holder = $1',
)

export const WHY_NOT = named(
  'why_not_begun',
  'select status, lease_turn_id from agent_sessions where id = $1',
)

export const FIND_OPENING = named(
  'find_opening',
  `select session_openings.turn_id as opened_turn_id, event_sequence, ${MESSAGE}
   from session_openings join session_messages using (session_id)
   where session_id = $1 and idempotency_key = $2 and sequence_number = message_sequence`,
)

export const GIVE_UP = named(
  'give_up_turn',
  `update agent_sessions set lease_holder = null
   where id = $1 and lease_turn_id = $2 and (lease_holder = $3 or ${NOBODY_HOLDS_IT})`,
)

export const READ_MESSAGES = named(
  'read_messages',
  `select ${MESSAGE} from session_messages where session_id = $1 and sequence_number > $2
   order by sequence_number limit $3`,
)

/** The sizes are looked at first, so that no more is read than is asked for. */
export const READ_MESSAGES_UP_TO = named(
  'read_messages_up_to',
  `with sized as (
     select sequence_number, sum(content_bytes) over (order by sequence_number) - content_bytes as bytes_before
     from session_messages where session_id = $1 and sequence_number > $2 order by sequence_number limit $3
   )
   select ${MESSAGE} from session_messages
   where session_id = $1 and sequence_number > $2
     and sequence_number <= (select max(sequence_number) from sized where bytes_before < $4)
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

/** The bytes are kept once for each owner. */
export const PUT_MEDIA = named(
  'put_media',
  `with session as (
     select id, owner_id from agent_sessions where id = $1
   ), kept as (
     insert into media (owner_id, sha256, media_type, bytes) select owner_id, $2, $3, $4 from session
     on conflict do nothing
   ), named as (
     insert into session_media (session_id, owner_id, sha256) select id, owner_id, $2 from session
     on conflict do nothing
   )
   select from session`,
)

export const GET_MEDIA = named(
  'get_media',
  `select media_type, bytes from session_media join media using (owner_id, sha256)
   where session_id = $1 and sha256 = $2`,
)
