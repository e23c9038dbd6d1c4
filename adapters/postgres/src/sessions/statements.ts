import { namedStatement, statement } from '../statement.ts'
import { MESSAGE_COLUMNS, toMessagePlaceholders } from './rows.ts'

// Only the lock of a dead holder is free. The statement takes it, shared, until it ends.
export const IS_HOLDER_DEAD = '(lease_holder is null or pg_try_advisory_xact_lock_shared(lease_holder))'

const TURN_STATE = `case when lease_turn_id is null then null when turn_waits then 'waiting'
  when ${IS_HOLDER_DEAD} then 'interrupted' else 'running' end`

export const SESSION = `id, owner_id, channel, status, title, agent_slug, agent_snapshot, context, created_at, updated_at,
  message_count, event_last, costs, grants, lease_turn_id, ${TURN_STATE} as turn_state`

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

export const FIND_REPEATED_TURN = statement(`
  select session_openings.turn_id as opened_turn_id, event_sequence, ${MESSAGE}
   from session_openings join session_messages using (session_id)
   where session_id = $1 and idempotency_key = $2 and sequence_number = message_sequence`)

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

export const FIND_MESSAGE_EVENT = statement(
  'select event_last from session_messages where session_id = $1 and sequence_number = $2',
)

export const WRITE_BETWEEN_TURNS = namedStatement(`with written as (
     update agent_sessions set event_last = event_last + 1, event_reserved = event_last + 1,
       message_count = coalesce(:message_number, message_count), costs = coalesce(:costs, costs)
     where id = :session_id and lease_turn_id is null
       and message_count = coalesce(:message_number - 1, message_count)
     returning id, event_last, json_build_array(json_build_array(event_last, :body::json, :more::json)) as events
   ), message as (
     insert into session_messages
       (session_id, sequence_number, id, role, content, model_id, marker, timestamp, event_last, events)
     select id, :message_number, :message_id, :role, :content, :model_id, :marker, :timestamp, event_last, events
     from written where :message_number::integer is not null
   ), event as (
     insert into session_events (session_id, event_last, events)
     select id, event_last, events from written where :message_number::integer is null
   )
   select event_last from written`)

export const GET_MEDIA = statement(`
  select media_type, bytes from session_media join media using (owner_id, sha256)
   where session_id = $1 and sha256 = $2`)
