import { realpath } from 'node:fs/promises'
import type Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError } from '@parley/contracts'
import { endRotation } from '../key/end-rotation.ts'
import { type KeySources, type Keys, findKeys, keyNotFound, wordsOf } from '../key/history-key.ts'
import { makeKey } from '../key/keep-keys.ts'
import { forgetKeys, newKeyCheck, writeKeyChecks } from '../key/key-check.ts'
import { checkWriteAheadLog } from './check-write-ahead-log.ts'
import { type Connection, connect } from './connect.ts'
import { SECOND_FORMAT } from './format-2.ts'
import type { HistoryPlace } from './history-place.ts'
import { createPrivately } from './private-file.ts'

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

export interface OpenFile extends Connection {
  /** Where its bytes are, behind any link. */
  readonly file: string
}

/** Opens the history that is there. Whoever does holds its lock, so that nobody is changing its key. */
export async function openFile({ path, sources }: HistoryPlace): Promise<OpenFile> {
  const search = await findKeys(sources)
  if (search.kind === 'missing') throw keyNotFound(path, sources, search)
  return openWith(path, sources, search.keys)
}

export async function openWith(path: string, sources: KeySources, keys: Keys): Promise<OpenFile> {
  const file = await realpath(path)
  await checkWriteAheadLog(path, file, sources.onNotice)
  const { database, key } = await connect(path, keys)
  try {
    migrate(database, path)
    await endRotation({ path, file, key }, sources, keys).catch((error: unknown) =>
      sources.onNotice(
        `The history opens, but a rotation of its key that was broken off could not be ended yet (${wordsOf(error)}). The next start tries again.`,
      ),
    )
    return { database, key, file }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Makes a new history, and a key where none is found. Whoever does holds its lock alone. */
export async function makeFile({ path, sources }: HistoryPlace): Promise<void> {
  const search = await findKeys(sources)
  const key = search.kind === 'found' ? search.keys[0] : await makeKey(sources, search)
  await forgetKeys(path)
  createPrivately(path)
  const { database } = await connect(path, [key])
  try {
    migrate(database, path)
    await writeKeyChecks(path, [await newKeyCheck(key, { event: 'made', at: new Date().toISOString() })])
  } finally {
    database.close()
  }
}

/** Events stand with the message that was stored with them; costs; markers. */
const THIRD_FORMAT = `
-- What the session has cost so far, by model, as JSON.
alter table agent_sessions add column costs text not null default '{}';

-- The events that were stored with the message, as a JSON array, and the number of the last of them: a turn then
-- writes half as many rows. A message that was stored with another one leaves them to the last of these.
alter table session_messages add column event_last integer not null default 0;
alter table session_messages add column events text;
alter table session_messages add column marker text;

alter table session_events rename to earlier_events;

-- Events that were stored without a message.
create table session_events (
  session_id text not null references agent_sessions,
  event_last integer not null,
  events text not null,
  primary key (session_id, event_last)
) strict, without rowid;

insert into session_events (session_id, event_last, events)
select session_id, sequence_number, json_array(json_array(
    sequence_number,
    json(body),
    iif(message_sequence is null, json_object('t', timestamp),
      json_object('t', timestamp, 'of', json_object('message', message_sequence, 'part', message_part))),
    from_sequence
  ))
from earlier_events;

drop table earlier_events;
`

/** Brings the tables to the form that this version knows. */
function migrate(database: Database, path: string): void {
  if (formatOf(database, path) === MIGRATIONS.length) return
  const bringUp = database.transaction(() => {
    // Another process may have done it while this one waited.
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < formatOf(database, path)) continue
      database.exec(migration)
      database.pragma(`user_version = ${index + 1}`)
    }
  })
  bringUp.exclusive()
}

function formatOf(database: Database, path: string): number {
  const format = Number(database.pragma('user_version', { simple: true }))
  if (format <= MIGRATIONS.length) return format
  throw new PlatformError('history_unwritable', {
    path,
    message: `The history ${path} was written by a newer Parley: its format is ${format}, and this one knows up to ${MIGRATIONS.length}. Update Parley, or set PARLEY_HOME to another folder. Nothing was changed.`,
  })
}

/** What a person allowed for the rest of a session. */
const FOURTH_FORMAT = `
alter table agent_sessions add column grants text not null default '[]';

-- Values that are never shown. One that was replaced or removed stays, so that it is still known not to be shown.
create table secrets (
  name text not null,
  value text not null,
  set_at text not null,
  replaced_at text,
  unique (name, value)
) strict;
`

/** The n-th brings a history from format n - 1 to n. Once released, one is never edited. */
const MIGRATIONS: readonly string[] = [FIRST_FORMAT, SECOND_FORMAT, THIRD_FORMAT, FOURTH_FORMAT]
