import { statement } from '../statement.ts'
import { MESSAGE_COLUMNS, toMessagePlaceholders } from './rows.ts'

// Only the lock of a dead holder is free. The statement takes it, shared, until it ends.
const IS_HOLDER_DEAD = '(lease_holder is null or pg_try_advisory_xact_lock_shared(lease_holder))'

const TURN_STATE = `case when lease_turn_id is null then null when turn_waits then 'waiting'
  when ${IS_HOLDER_DEAD} then 'interrupted' else 'running' end`

export const SESSION = `id, owner_id, channel, status, title, agent_slug, agent_snapshot, context, created_at, updated_at,
  message_count, event_last, costs, grants, lease_turn_id, ${TURN_STATE} as turn_state`

const LEASE = `id, lease_epoch, lease_from_sequence, turn_event, event_last, event_reserved, message_count, turn_count, costs, grants`

const MESSAGE = `session_messages.id, session_messages.session_id, sequence_number, session_messages.turn_id, role, content,
  model_id, cut_short, marker, timestamp`

export const CREATE = statement(`with session as (
     insert into agent_sessions (id, owner_id, channel, status, title, agent_slug, agent_snapshot, context,
       message_count, created_at, updated_at, event_last, event_reserved)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
   ), message as (
     insert into session_messages (session_id, ${MESSAGE_COLUMNS})
     select $1, past.* from unnest(${toMessagePlaceholders(14)}) as past
   ), media_of_past as (
     insert into session_media (session_id, owner_id, sha256)
     select $1, owner_id, sha256 from media where owner_id = $2 and sha256 = any($23::bytea[])
   )
   insert into session_events (session_id, event_last, events) values ($1, $12, $13)`)

export const FIND = statement(`select ${SESSION} from agent_sessions where id = $1`)

export const RENAME = statement('update agent_sessions set title = $2 where id = $1 returning id')

export const END = statement(`
  update agent_sessions set status = 'ended', updated_at = $2 where id = $1 and lease_turn_id is null
   returning id`)

export const REMOVE = statement('select remove_session($1) as removed')

const TAKE_LEASE = `lease_epoch = lease_epoch + 1,
       lease_holder = $2,
       lease_from_sequence = case when event_last < event_reserved then event_last + 1 end,
       cancel_asked = false`

const OPEN_TURN = `${TAKE_LEASE},
       lease_turn_id = $3,
       turn_event = event_reserved + 1,
       event_last = event_reserved + 1,
       event_reserved = event_reserved + 1 + $4::integer,
       turn_count = turn_count + 1,
       updated_at = $7`

/** The packed opening event; only the database knows its number. */
const OPENING_EVENT =
  'json_build_array(json_build_array(event_last, $5::json, $6::json, lease_from_sequence))'

const IS_IDLE = `id = $1 and status = 'active' and lease_turn_id is null`

/** Stores the bytes once per owner; `first` is the number of the first of three values. */
export const insertMedia = (session: string, first: number) => `, given as (
     select id, owner_id, sha256, media_type, bytes
     from ${session}, unnest($${first}::bytea[], $${first + 1}::text[], $${first + 2}::bytea[])
       as media (sha256, media_type, bytes)
   ), kept as (
     insert into media (owner_id, sha256, media_type, bytes) select owner_id, sha256, media_type, bytes from given
     on conflict do nothing
   ), naming as (
     insert into session_media (session_id, owner_id, sha256) select id, owner_id, sha256 from given
     on conflict do nothing
   )`

const buildBegin = (more = '') => `with taken as (
     update agent_sessions set ${OPEN_TURN}, message_count = message_count + 1, title = coalesce(title, $8)
     where ${IS_IDLE}
     returning ${LEASE}, owner_id
   ), message as (
     insert into session_messages (session_id, sequence_number, id, turn_id, role, content, timestamp, event_last, events)
     select id, message_count, $9, $3, 'user', $10, $11, event_last, ${OPENING_EVENT} from taken
   ), opening as (
     insert into session_openings (session_id, idempotency_key, turn_id, message_sequence, event_sequence)
     select id, $12, $3, message_count, event_last from taken where $12::text is not null
   )${more}
   select * from taken`

/** Of two concurrent calls the second waits for the row, and then sees an open turn. */
export const BEGIN = statement(buildBegin())

export const BEGIN_WITH_MEDIA = statement(buildBegin(insertMedia('taken', 13)))

/** For a stored question. */
export const BEGIN_STORED = statement(`with taken as (
     update agent_sessions set ${OPEN_TURN} where ${IS_IDLE} and message_count = $8
     returning ${LEASE}
   ), event as (
     insert into session_events (session_id, event_last, events)
     select id, event_last, ${OPENING_EVENT} from taken
   )
   select * from taken`)

/** The holder of an open turn, if it is dead or seems to be. */
export const FIND_DEAD_HOLDER = statement(`
  select lease_holder::text from agent_sessions where id = $1 and lease_turn_id = $2 and ${IS_HOLDER_DEAD}`)

export const TAKE_OVER = statement(`
  update agent_sessions set ${TAKE_LEASE}, turn_waits = false, event_reserved = event_reserved + 1 + $4::integer
   where id = $1 and lease_turn_id = $3 and turn_waits = $5 and lease_holder is not distinct from $6::bigint
     and event_last = coalesce($7::bigint, event_last) and ${IS_HOLDER_DEAD}
   returning ${LEASE}`)

const SELECT_DEAD = 'select key from presences where pg_try_advisory_xact_lock_shared(key)'

/** Reads the sessions only if a process died, since no index covers their leases. */
export const LIST_INTERRUPTED = statement(`with dead as materialized (${SELECT_DEAD})
   select id, lease_turn_id from agent_sessions
   where exists (select from dead) and lease_turn_id is not null and lease_holder in (select key from dead) limit $1`)

/** Dead processes without open turns. */
export const FORGET_DEAD = statement(`with dead as materialized (${SELECT_DEAD})
   delete from presences using dead
   where presences.key = dead.key and not exists (select from agent_sessions where lease_holder = dead.key)`)

export const REQUEST_CANCEL = statement(`update agent_sessions set cancel_asked = true
   where id = $1 and lease_turn_id = $2 and not turn_waits and not ${IS_HOLDER_DEAD} returning id`)

export const FIND_CANCEL_REQUESTS = statement(
  'select lease_turn_id from agent_sessions where id = any($1) and cancel_asked',
)

/** The lease of a turn that this process opened and has not written to; `is_held` is false if another has taken it. */
export const FIND_OWN_LEASE = statement(`
  select ${LEASE}, lease_turn_id = $2 and lease_holder = $3 and event_last = turn_event as is_held
   from agent_sessions where id = $1 and (lease_turn_id = $2
     or exists (select from session_messages where session_id = $1 and turn_id = $2)
     or exists (select from (select events from session_events where session_id = $1 order by event_last desc limit 20) last
       where strpos(events::text, $2) > 0))`)

export const FIND_STATE = statement('select status, lease_turn_id from agent_sessions where id = $1')

export const FIND_REPEATED_TURN = statement(`
  select session_openings.turn_id as opened_turn_id, event_sequence, ${MESSAGE}
   from session_openings join session_messages using (session_id)
   where session_id = $1 and idempotency_key = $2 and sequence_number = message_sequence`)

/**
 * Sets a holder that is no process: a new one each time, since `FORGET_DEAD` may be removing an earlier one. A lease that
 * another process has taken stays with it.
 */
export const GIVE_UP = statement(`with nobody as (insert into presences (key) values ($5))
   update agent_sessions set lease_holder = $5
   where id = $1 and lease_turn_id = $2 and not turn_waits and lease_epoch = coalesce($3, lease_epoch)
     and (lease_holder = $4 or ${IS_HOLDER_DEAD})`)

export const READ_MESSAGES = statement(`
  select ${MESSAGE} from session_messages where session_id = $1 and sequence_number > $2
   order by sequence_number limit $3`)

/** Reads the sizes first, to read no more text than requested. */
export const READ_MESSAGES_UP_TO = statement(`with sized as (
     select sequence_number, sum(content_bytes) over (order by sequence_number) - content_bytes as bytes_before
     from session_messages where session_id = $1 and sequence_number > $2 order by sequence_number limit $3
   )
   select ${MESSAGE} from session_messages
   where session_id = $1 and sequence_number > $2
     and sequence_number <= (select max(sequence_number) from sized where bytes_before < $4)
   order by sequence_number limit $3`)

export const READ_TAIL = statement(`
  select ${MESSAGE} from session_messages where session_id = $1 order by sequence_number desc limit $2`)

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

export const FIND_MESSAGE_EVENT = statement(
  'select event_last from session_messages where session_id = $1 and sequence_number = $2',
)

export const READ_EVENTS = statement(`
  (select event_last, events, sequence_number, turn_id, model_id, timestamp from session_messages
    where session_id = $1 and sequence_number > ${LAST_KNOWN_MESSAGE} and events is not null
    order by sequence_number limit $3)
   union all
   (select event_last, events, null, null, null, null from session_events where session_id = $1 and event_last > $2
    order by event_last limit $3)
   order by event_last limit $3`)

export const NOTE = statement(`with noted as (
     update agent_sessions set event_last = event_last + 1, event_reserved = event_last + 1,
       message_count = coalesce($4, message_count), costs = coalesce($5, costs)
     where id = $1 and lease_turn_id is null and message_count = coalesce($4 - 1, message_count)
     returning id, event_last, json_build_array(json_build_array(event_last, $2::json, $3::json)) as events
   ), message as (
     insert into session_messages
       (session_id, sequence_number, id, role, content, model_id, marker, timestamp, event_last, events)
     select id, $4, $6, $7, $8, $9, $10, $11, event_last, events from noted where $4::integer is not null
   ), event as (
     insert into session_events (session_id, event_last, events)
     select id, event_last, events from noted where $4::integer is null
   )
   select event_last from noted`)

export const GET_MEDIA = statement(`
  select media_type, bytes from session_media join media using (owner_id, sha256)
   where session_id = $1 and sha256 = $2`)
