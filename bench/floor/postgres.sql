-- The floor of every case on Postgres: all that a bare loop needs to keep the same messages as durably, through the same
-- driver. What we measure is held against it, so it is not to be changed to make us look better: a change makes all
-- earlier ratios void, and a test knows this file by its hash.
-- It runs on the same server; the program compares the settings of both connections before it measures.

-- name: tables
create table if not exists floor_sessions (
  id text collate "C" primary key,
  message_count integer not null,
  updated_at timestamptz(3) not null
);

create table if not exists floor_messages (
  session_id text collate "C" not null,
  sequence_number integer not null,
  role text not null,
  content text not null,
  timestamp timestamptz(3) not null,
  primary key (session_id, sequence_number)
);

-- name: insert_session
insert into floor_sessions (id, message_count, updated_at) values ($1, 0, $2)

-- Each message is one transaction and one round trip: this statement.

-- name: append_message
with bumped as (update floor_sessions set message_count = $2, updated_at = $5 where id = $1)
insert into floor_messages (session_id, sequence_number, role, content, timestamp) values ($1, $2, $3, $4, $5)

-- name: count_messages
select message_count from floor_sessions where id = $1

-- name: read_tail
select role, content from floor_messages where session_id = $1 order by sequence_number desc limit $2
