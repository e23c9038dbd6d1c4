-- The floor of every case on the encrypted history: all that a bare loop needs to keep the same messages as durably,
-- through the same driver. What we measure is held against it, so it is not to be changed to make us look better: a
-- change makes all earlier ratios void, and a test knows this file by its hash.
-- The settings are those of our own history; the program compares both connections before it measures.

-- name: settings
pragma cipher = 'chacha20';
pragma key = "x'5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a'";
pragma journal_mode = wal;
pragma synchronous = full;
pragma secure_delete = on;
pragma temp_store = memory;

-- name: tables
create table if not exists floor_sessions (
  id text primary key,
  message_count integer not null,
  updated_at text not null
) strict, without rowid;

create table if not exists floor_messages (
  session_id text not null,
  sequence_number integer not null,
  role text not null,
  content text not null,
  timestamp text not null,
  primary key (session_id, sequence_number)
) strict, without rowid;

-- name: insert_session
insert into floor_sessions (id, message_count, updated_at) values (?, 0, ?)

-- Each message is one transaction of the next two.

-- name: insert_message
insert into floor_messages (session_id, sequence_number, role, content, timestamp) values (?, ?, ?, ?, ?)

-- name: bump_session
update floor_sessions set message_count = ?, updated_at = ? where id = ?

-- name: count_messages
select message_count from floor_sessions where id = ?

-- name: read_tail
select role, content from floor_messages where session_id = ? order by sequence_number desc limit ?
