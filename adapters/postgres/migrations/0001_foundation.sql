-- Roles belong to the server, not to this database: another database may be making the same ones at this moment.
-- Their passwords are set by the program that runs the migrations.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['parley_serving', 'parley_learning', 'parley_public'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I login', wanted);
      exception
        when duplicate_object or unique_violation then null;
      end;
    end if;
  end loop;

  execute format('revoke all on database %I from public', current_database());
  execute format(
    'grant connect on database %I to parley_serving, parley_learning, parley_public',
    current_database()
  );
end
$$;

revoke all on schema public from public;
grant usage on schema public to parley_serving, parley_learning;
alter default privileges revoke execute on functions from public;

-- JSON is kept as `json`, not `jsonb`, which refuses U+0000 and lone surrogates.
create table agent_sessions (
  id text collate "C" primary key,
  owner_id text not null,
  channel text not null check (channel in ('text', 'voice')),
  status text not null check (status in ('active', 'ended')),
  title text,
  agent_slug text not null,
  agent_snapshot json not null,
  context json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  message_count integer not null,
  turn_count integer not null default 0,
  -- The last event that is stored, and the last number that may have been sent to a reader.
  event_last integer not null,
  event_reserved integer not null,
  -- Rises with every turn; an append of an earlier epoch is refused.
  lease_epoch integer not null default 0,
  -- The advisory lock that the holder's process keeps for as long as it lives.
  lease_holder bigint,
  lease_turn_id text,
  -- The first of the numbers that were reserved and lost before this turn.
  lease_from_sequence integer,
  check ((lease_holder is null) = (lease_turn_id is null))
);
create index on agent_sessions (owner_id, updated_at, id);
create index on agent_sessions (updated_at, id);

-- None of the next three has a foreign key: each row is inserted from its session's row by the same statement,
-- and checking that again would lengthen every turn by a sixth.
create table session_messages (
  session_id text collate "C" not null,
  sequence_number integer not null,
  id text not null,
  role text not null check (role in ('system', 'user', 'assistant', 'tool')),
  content json not null,
  model_id text,
  cut_short text check (cut_short in ('cancelled', 'failed')),
  timestamp timestamptz(3) not null,
  primary key (session_id, sequence_number)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;
create trigger append_only before update or delete or truncate on session_messages
  for each statement execute function refuse_change();
alter table session_messages enable always trigger append_only;

create table session_events (
  session_id text collate "C" not null,
  sequence_number integer not null,
  from_sequence integer,
  body json not null,
  -- The message that holds the rest of the event, and which part of it.
  message_sequence integer,
  message_part integer,
  timestamp timestamptz(3) not null,
  primary key (session_id, sequence_number)
);

-- Turns that a client gave a name of its own, so that it may safely ask for them again.
create table session_openings (
  session_id text collate "C" not null,
  idempotency_key text not null,
  turn_id text not null,
  message_sequence integer not null,
  event_sequence integer not null,
  primary key (session_id, idempotency_key)
);

create table people (
  id text primary key,
  label text not null,
  created_at timestamptz(3) not null default now()
);

create table tokens (
  id text primary key,
  person_id text not null references people,
  label text not null,
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer', 'guest')),
  -- The owner's key comes from the server's configuration, and a new one takes the place of the old.
  kind text not null check (kind in ('issued', 'owner_key')),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);

grant select, insert
  on agent_sessions, session_messages, session_events, session_openings, people, tokens
  to parley_serving;
-- What was settled at a session's start stays as it is.
grant update (
  status, title, updated_at, message_count, turn_count, event_last, event_reserved,
  lease_epoch, lease_holder, lease_turn_id, lease_from_sequence
) on agent_sessions to parley_serving;
grant update on tokens to parley_serving;

grant select on agent_sessions, session_messages, session_events, session_openings to parley_learning;
