/** Turns that stay open until their end is stored, media, and the removal of sessions. All tables are made anew. */
export const SECOND_FORMAT = `
drop trigger session_messages_are_not_edited;
drop trigger session_messages_are_not_removed;
drop trigger session_messages_are_not_replaced;
drop index agent_sessions_of_owner;
alter table agent_sessions rename to earlier_sessions;
alter table session_settings rename to earlier_settings;
alter table session_messages rename to earlier_messages;
alter table session_events rename to earlier_events;
alter table session_openings rename to earlier_openings;

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
  -- Rises whenever the lease is taken; an append of an earlier epoch is refused.
  lease_epoch integer not null default 0,
  -- Who runs the open turn, unless it waits for a person or was given up.
  lease_holder text,
  -- The open turn, and the number of the event that opened it.
  lease_turn_id text,
  turn_event integer,
  turn_waits integer not null default 0,
  cancel_asked integer not null default 0,
  check ((lease_turn_id is null) = (turn_event is null)),
  check (lease_turn_id is not null or (lease_holder is null and turn_waits = 0 and event_reserved = event_last)),
  check (lease_holder is null or turn_waits = 0),
  check (lease_holder is not null or cancel_asked = 0)
) strict, without rowid;

-- Nearly always empty.
create index agent_sessions_to_cancel on agent_sessions (id) where cancel_asked = 1;

-- Apart, since it can be long and never changes, while its session's row is written with every step. In the order
-- of making, so that sessions that are listed together lie together.
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
  primary key (session_id, sequence_number)
) strict, without rowid;

create trigger session_messages_are_not_edited before update on session_messages
begin
  select raise(abort, 'session_messages is append-only: a message is never edited');
end;

-- Sessions that are being removed as a whole, listed for no longer than that takes.
create table session_removals (session_id text primary key) strict, without rowid;

create trigger session_messages_are_not_removed before delete on session_messages
when not exists (select 1 from session_removals where session_id = old.session_id)
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
  message_sequence integer not null,
  event_sequence integer not null,
  primary key (session_id, idempotency_key)
) strict, without rowid;

-- What messages name by its hash. The same bytes are kept once for each owner, and never shared between owners.
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

insert into agent_sessions (id, owner_id, channel, status, title, agent_slug, created_at, updated_at, message_count,
  turn_count, event_last, event_reserved, lease_epoch, lease_holder, lease_turn_id, turn_event)
select id, owner_id, channel, status, title, agent_slug, created_at, updated_at, message_count, turn_count, event_last,
  event_reserved, lease_epoch, lease_holder, open_turn_id, iif(open_turn_id is null, null, event_last)
from (
  -- Numbers that were reserved and not given back are those of a turn that was given up.
  select *, iif(event_reserved = event_last, lease_turn_id, (
    select json_extract(body, '$.turnId') from earlier_events
    where session_id = earlier_sessions.id and json_extract(body, '$.turnId') is not null
    order by sequence_number desc limit 1
  )) as open_turn_id
  from earlier_sessions
);

insert into session_settings (session_id, agent_snapshot, context)
select session_id, agent_snapshot, context from earlier_settings order by session_id;

-- The turn is the one whose event tells of the message.
insert into session_messages (session_id, sequence_number, id, turn_id, role, content, model_id, cut_short, timestamp)
select session_id, sequence_number, id, (
    select json_extract(body, '$.turnId') from earlier_events
    where session_id = earlier_messages.session_id and message_sequence = earlier_messages.sequence_number
  ), role, content, model_id, cut_short, timestamp
from earlier_messages;

insert into session_events (session_id, sequence_number, from_sequence, body, message_sequence, message_part, timestamp)
select session_id, sequence_number, from_sequence, body, message_sequence, message_part, timestamp
from earlier_events;

insert into session_openings (session_id, idempotency_key, message_sequence, event_sequence)
select session_id, idempotency_key, message_sequence, event_sequence from earlier_openings;

drop table earlier_openings;
drop table earlier_events;
drop table earlier_messages;
drop table earlier_settings;
drop table earlier_sessions;
`
