/** Sessions whose turns end with their process. */
export const FIRST_FORMAT = `
create table agent_sessions (
  id text primary key,
  owner_id text not null,
  channel text not null,
  status text not null,
  title text,
  agent_slug text not null,
  created_at text not null,
  updated_at text not null,
  message_count integer not null,
  turn_count integer not null default 0,
  -- The last event that is stored, and the last number that may have been sent to a reader.
  event_last integer not null,
  event_reserved integer not null,
  -- Rises with every turn; an append of an earlier epoch is refused.
  lease_epoch integer not null default 0,
  lease_holder text,
  lease_turn_id text,
  check ((lease_holder is null) = (lease_turn_id is null))
) strict, without rowid;

create index agent_sessions_of_owner on agent_sessions (owner_id, updated_at, id);

-- Apart, since it can be long and never changes, while its session's row is written with every step.
create table session_settings (
  session_id text primary key references agent_sessions,
  agent_snapshot text not null,
  context text not null
) strict, without rowid;

create table session_messages (
  session_id text not null references agent_sessions,
  sequence_number integer not null,
  id text not null,
  role text not null,
  content text not null,
  model_id text,
  cut_short text,
  timestamp text not null,
  primary key (session_id, sequence_number)
) strict, without rowid;

create trigger session_messages_are_not_edited before update on session_messages
begin
  select raise(abort, 'session_messages is append-only: a message is never edited');
end;

create trigger session_messages_are_not_removed before delete on session_messages
begin
  select raise(abort, 'session_messages is append-only: a message is never removed');
end;

-- SQLite does not count what "insert or replace" removes as a delete.
create trigger session_messages_are_not_replaced before insert on session_messages
when exists (
  select 1 from session_messages where session_id = new.session_id and sequence_number = new.sequence_number
)
begin
  select raise(abort, 'session_messages is append-only: the number is taken');
end;

create table session_events (
  session_id text not null references agent_sessions,
  sequence_number integer not null,
  from_sequence integer,
  body text not null,
  -- The message that holds the rest of the event, and which part of it.
  message_sequence integer,
  message_part integer,
  timestamp text not null,
  primary key (session_id, sequence_number)
) strict, without rowid;

-- Turns that a client gave a name of its own, so that it may safely ask for them again.
create table session_openings (
  session_id text not null references agent_sessions,
  idempotency_key text not null,
  turn_id text not null,
  message_sequence integer not null,
  event_sequence integer not null,
  primary key (session_id, idempotency_key)
) strict, without rowid;
`
