/** The number that a history file carries in `user_version`. Other formats are refused. */
export const HISTORY_FORMAT = 4

/** The tables of a history. JSON is stored as text. */
export const HISTORY_SCHEMA = `
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
  -- The last stored event, and the last number that a reader may have seen.
  event_last integer not null,
  event_reserved integer not null,
  -- Rises whenever the lease is taken; an append with an earlier epoch is refused.
  lease_epoch integer not null default 0,
  -- The process that runs the open turn. Null if the turn waits for a person or was given up.
  lease_holder text,
  -- The open turn, and the number of the event that opened it.
  lease_turn_id text,
  turn_event integer,
  turn_waits integer not null default 0,
  cancel_asked integer not null default 0,
  -- Cost so far, by model.
  costs text not null default '{}',
  -- What a person allowed for the rest of the session.
  grants text not null default '[]',
  check ((lease_turn_id is null) = (turn_event is null)),
  check (lease_turn_id is not null or (lease_holder is null and turn_waits = 0 and event_reserved = event_last)),
  check (lease_holder is null or turn_waits = 0),
  check (lease_holder is not null or cancel_asked = 0)
) strict, without rowid;

-- Nearly always empty.
create index agent_sessions_to_cancel on agent_sessions (id) where cancel_asked = 1;

-- A table of its own: settings can be long and never change, while the session's row is written with every step.
-- Rows lie in order of creation, as lists read them.
create table session_settings (
  session_id text primary key references agent_sessions,
  agent_snapshot text not null,
  context text not null
) strict;

create table session_messages (
  session_id text not null references agent_sessions,
  sequence_number integer not null,
  id text not null,
  role text not null,
  content text not null,
  turn_id text,
  model_id text,
  cut_short text,
  timestamp text not null,
  -- The events stored with the message, and the number of the last one: this halves the rows of a turn. Of several
  -- messages stored together, the last one has the events.
  event_last integer not null default 0,
  events text,
  marker text,
  primary key (session_id, sequence_number)
) strict, without rowid;

create trigger session_messages_are_not_edited before update on session_messages
begin
  select raise(abort, 'session_messages is append-only: a message is never edited');
end;

-- Sessions that are being removed, within that transaction.
create table session_removals (session_id text primary key) strict, without rowid;

create trigger session_messages_are_not_removed before delete on session_messages
when not exists (select 1 from session_removals where session_id = old.session_id)
begin
  select raise(abort, 'session_messages is append-only: a message is never removed');
end;

-- SQLite fires no delete trigger for rows that "insert or replace" removes.
create trigger session_messages_are_not_replaced before insert on session_messages
when exists (
  select 1 from session_messages where session_id = new.session_id and sequence_number = new.sequence_number
)
begin
  select raise(abort, 'session_messages is append-only: the number is taken');
end;

-- Events stored without a message.
create table session_events (
  session_id text not null references agent_sessions,
  event_last integer not null,
  events text not null,
  primary key (session_id, event_last)
) strict, without rowid;

-- Turns with an idempotency key, which a client may safely request again.
create table session_openings (
  session_id text not null references agent_sessions,
  idempotency_key text not null,
  message_sequence integer not null,
  event_sequence integer not null,
  primary key (session_id, idempotency_key)
) strict, without rowid;

-- Messages refer to media by hash. The same bytes are stored once per owner, and never shared between owners.
create table media (
  owner_id text not null,
  sha256 blob not null,
  media_type text not null,
  bytes blob not null,
  primary key (owner_id, sha256)
) strict;

create table session_media (
  session_id text not null references agent_sessions,
  owner_id text not null,
  sha256 blob not null,
  primary key (session_id, sha256),
  foreign key (owner_id, sha256) references media on delete cascade
) strict, without rowid;

create index session_media_of_owner on session_media (owner_id, sha256);

-- Values that are never shown. Replaced and removed values stay, so that they are still hidden.
create table secrets (
  name text not null,
  value text not null,
  set_at text not null,
  replaced_at text,
  unique (name, value)
) strict;
`
