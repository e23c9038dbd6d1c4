-- The whole database, by subject:
--
--   1  Roles, schemas and text search
--   2  People and tokens
--   3  Sessions
--   4  Reflections and their sources
--   5  Knowledge
--   6  Artifacts
--   7  Calls and sessions with reflections
--   8  Erasing
--   9  The gate: content for the public and limited members
--  10  Search
--  11  Local voice provider
--  12  Health
--  13  Repeated requests
--  14  Grants
--  15  Row policies


-- 1  Roles, schemas and text search

-- Roles belong to the server, not to this database: another database may be creating the same ones right now.
-- The migrating program sets their passwords. Nobody logs in as parley_gate (decides what a session may see) or
-- parley_reader (reads under the row policies).
do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('parley_serving', true), ('parley_learning', true), ('parley_public', true), ('parley_member', true),
      ('parley_provider', true), ('parley_gate', false), ('parley_reader', false)
    ) as roles (name, can_login)
  loop
    if not exists (select from pg_roles where rolname = wanted.name) then
      begin
        execute format('create role %I %s', wanted.name, case when wanted.can_login then 'login' else 'nologin' end);
      exception
        when duplicate_object or unique_violation then null;
      end;
    end if;
    -- Only a member of a role may give it a function.
    if not wanted.can_login and not pg_has_role(wanted.name, 'set') then
      execute format('grant %I to current_user', wanted.name);
    end if;
  end loop;

  execute format('revoke all on database %I from public', current_database());
  execute format(
    'grant connect on database %I to parley_serving, parley_learning, parley_public, parley_member, parley_provider',
    current_database()
  );
end
$$;

-- By default anyone who can log in may hold advisory locks, store large objects, end connections of the same role,
-- sleep, and measure tables that they cannot read. The public and member logins may not.
do $$
declare
  common regprocedure;
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    raise notice 'Only a superuser can revoke common functions: the public login keeps them here.';
    return;
  end if;
  for common in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace
      and p.proname ~ '^(pg_(try_)?advisory_.*|lo_.*|loread|lowrite|pg_sleep.*|pg_logical_emit_message|pg_(terminate|cancel)_backend|pg_(relation|table|indexes|total_relation|database|tablespace)_size)$'
  loop
    execute format('revoke execute on function %s from public', common);
    execute format('grant execute on function %s to parley_serving, parley_learning, parley_provider', common);
  end loop;
end
$$;

alter default privileges revoke execute on functions from public;
revoke all on schema public from public;

create schema extensions;
create schema gate;
create schema provider;

create extension pg_trgm with schema extensions;
create extension unaccent with schema extensions;

-- A word matches with and without accents and endings.
create text search configuration parley (copy = english);
alter text search configuration parley
  alter mapping for hword, hword_part, word with extensions.unaccent, english_stem;

-- The words of a text. Scripts without spaces (Chinese, Japanese, Thai …), and Korean, count by pairs of neighbouring
-- characters; a Chinese character also counts alone.
create function words_of(written text) returns tsvector
language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
declare
  han constant text := '\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff';
  unspaced constant text := '[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff'
    || '\uac00-\ud7a3\uff66-\uff9f' || han || ']';
begin
  if written !~ unspaced then
    return to_tsvector('public.parley', written);
  end if;
  return to_tsvector('public.parley', regexp_replace(written, unspaced || '+', ' ', 'g')) || array_to_tsvector(array(
    select distinct gram
    from regexp_matches(normalize(written, NFKC), unspaced || '+', 'g') with ordinality as runs (run, place)
    cross join lateral (
      select character, lead(character) over (order by at) as next, count(*) over () as length
      from unnest(regexp_split_to_array(runs.run[1], '')) with ordinality as characters (character, at)
    ) as pairs
    cross join lateral unnest(array[
      character || next, case when length = 1 or character ~ ('[' || han || ']') then character end
    ]) as gram
    where gram is not null
  ));
end
$$;

-- Any of these words, as a text search vector stores them.
create function any_of(words text[]) returns tsquery
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
  from unnest(words) as word
$$;

-- A time in the format that facts use.
create function said_at(moment timestamptz) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select to_char(moment::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- For triggers of append-only tables.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;


-- 2  People and tokens

create table people (
  id text primary key,
  label text not null,
  created_at timestamptz(3) not null default now()
);

-- Console settings of a person.
create table person_settings (
  person_id text primary key references people,
  tour text not null check (tour in ('due', 'skipped', 'done'))
);

create table tokens (
  id text primary key,
  person_id text not null references people,
  label text not null,
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer', 'guest')),
  -- The owner key comes from the server's configuration; a new key replaces the old one.
  kind text not null check (kind in ('issued', 'invited', 'owner_key')),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  -- The reflection that the token was made for; only its members see the token.
  reflection_id text collate "C",
  -- On the server such a person is a viewer or guest; reflection_members holds their role in the reflection.
  constraint made_for_a_reflection check (reflection_id is null or role in ('viewer', 'guest')),
  constraint invited_to_a_reflection
    check (kind <> 'invited' or (role = 'viewer' and reflection_id is not null and expires_at is not null))
);
create index on tokens (person_id) where kind = 'invited' and revoked_at is null;

-- A signed-in browser has a secret of its own, so that no page holds a token.
create table sign_ins (
  secret_hash bytea primary key check (octet_length(secret_hash) = 32),
  -- Valid only while this token is.
  token_id text not null references tokens,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index on sign_ins (expires_at);

-- JWT subjects, each with the token whose role it has. Nothing else in a JWT counts.
create table known_subjects (
  subject_hash bytea primary key check (octet_length(subject_hash) = 32),
  token_id text not null references tokens
);


-- 3  Sessions

-- JSON is stored as `json`: `jsonb` refuses U+0000 and lone surrogates.
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
  -- The last stored event, and the last number that a reader may have seen.
  event_last integer not null,
  event_reserved integer not null,
  -- Rises with every turn; an append with an earlier epoch is refused.
  lease_epoch integer not null default 0,
  -- The advisory lock that the holder's process keeps while it lives. Zero: the turn was given up.
  lease_holder bigint,
  -- A turn is open until its end is stored, with or without a holder.
  lease_turn_id text,
  -- The first of the numbers that were reserved and lost before this turn.
  lease_from_sequence integer,
  -- The event that opened the turn.
  turn_event integer,
  turn_waits boolean not null default false,
  cancel_asked boolean not null default false,
  -- Cost so far, by model.
  costs json not null default '{}',
  -- Permissions that a person granted for the rest of the session.
  grants json not null default '[]',
  constraint agent_sessions_turn_is_open check (
    case when lease_turn_id is null then lease_holder is null and not turn_waits else turn_event is not null end
  )
)
-- A turn updates its row twice. With room on the page and no index on the changed columns, no index is written.
with (fillfactor = 70);
create index agent_sessions_of_owner on agent_sessions (owner_id);

-- The next three tables have no foreign key: the statement that inserts a row reads its session's row, and checking
-- again would make every turn a sixth slower.
create table session_messages (
  session_id text collate "C" not null,
  sequence_number integer not null,
  id text not null,
  role text not null check (role in ('system', 'user', 'assistant', 'tool')),
  content json not null,
  model_id text,
  -- Unfinished: cancelled while the step might still have called a tool, so its text is no answer.
  cut_short text check (cut_short in ('cancelled', 'unfinished', 'failed')),
  timestamp timestamptz(3) not null,
  -- The turn that the message opened. Questions in a row may each open one.
  turn_id text,
  -- Lets a page end at a size limit without reading the message.
  content_bytes integer generated always as (octet_length(content::text)) stored,
  -- The events stored with the message, and the number of the last one: this halves the rows of a turn. Of several
  -- messages stored together, the last one has the events.
  event_last integer not null default 0,
  events json,
  marker json,
  primary key (session_id, sequence_number)
);
create trigger append_only before update or truncate on session_messages
  for each statement execute function refuse_change();
alter table session_messages enable always trigger append_only;

-- Events stored without a message.
create table session_events (
  session_id text collate "C" not null,
  event_last integer not null,
  events json not null,
  primary key (session_id, event_last)
);

-- Turns with an idempotency key, which a client may safely request again.
create table session_openings (
  session_id text collate "C" not null,
  idempotency_key text not null,
  turn_id text not null,
  message_sequence integer not null,
  event_sequence integer not null,
  primary key (session_id, idempotency_key)
);

-- Messages refer to media by hash. The same bytes are stored once per owner, and never shared between owners.
create table media (
  owner_id text not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  media_type text not null,
  bytes bytea not null,
  primary key (owner_id, sha256)
);
-- Pictures and sound are compressed already.
alter table media alter column bytes set storage external;

create table session_media (
  session_id text collate "C" not null,
  owner_id text not null,
  sha256 bytea not null,
  primary key (session_id, sha256),
  foreign key (owner_id, sha256) references media
);
create index on session_media (owner_id, sha256);

-- The lock keys of running and dead processes; the open turns of the dead ones are taken over.
create table presences (key bigint primary key);

-- Messages are deleted only with their session, by remove_session.
create function refuse_removal() returns trigger language plpgsql as $$
begin
  if exists (select from agent_sessions where id = old.session_id)
    or current_setting('parley.removed_session', true) is distinct from old.session_id then
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
  end if;
  return old;
end
$$;
create trigger removed_with_session before delete on session_messages
  for each row execute function refuse_removal();
alter table session_messages enable always trigger removed_with_session;

create function remove_session(target text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from agent_sessions where id = target and lease_turn_id is null;
  if not found then
    return false;
  end if;
  perform set_config('parley.removed_session', target, true);
  delete from session_messages where session_id = target;
  delete from session_events where session_id = target;
  delete from session_openings where session_id = target;
  perform set_config('parley.removed_session', '', true);
  with removed as (delete from session_media where session_id = target returning owner_id, sha256)
  delete from media using removed
  where media.owner_id = removed.owner_id and media.sha256 = removed.sha256 and not exists (
    select from session_media other
    where other.owner_id = media.owner_id and other.sha256 = media.sha256 and other.session_id <> target
  );
  return true;
end
$$;


-- 4  Reflections and their sources

create table reflections (
  id text collate "C" primary key,
  display_name text not null,
  creator_name text,
  approval text not null check (approval in ('by_rule', 'by_person')),
  publish_revision integer not null default 0,
  created_at timestamptz(3) not null default now(),
  -- Hidden from everybody. A job deletes the content, and this row last.
  removed_at timestamptz(3),
  voice json,
  share_ingestion boolean not null default false,
  -- Earlier names of its person: facts still use them, and they are as private as the current name.
  former_names text[] not null default '{}',
  -- How facts from conversations are approved.
  conversation_approval text not null default 'by_person' check (conversation_approval in ('by_rule', 'by_person'))
);
create index on reflections (created_at, id);

create table reflection_members (
  reflection_id text collate "C" not null references reflections,
  person_id text not null references people,
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer')),
  -- A limited member reads the published namespaces and these; null means all.
  namespace_ids text[],
  -- The hash of the 32 bytes that open a limited member's namespaces at the gate.
  capability_hash bytea unique check (octet_length(capability_hash) = 32),
  primary key (reflection_id, person_id),
  constraint managers_reach_all check (namespace_ids is null or role in ('operator', 'viewer')),
  constraint reach_has_capability check ((namespace_ids is null) = (capability_hash is null))
);
create index on reflection_members (person_id);

create table namespaces (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  name text not null,
  is_published boolean not null default false check (not (is_published and name = 'conversations')),
  unique (reflection_id, name)
);

-- The same bytes are stored once per reflection, and never shared between reflections.
create table originals (
  reflection_id text collate "C" not null references reflections,
  sha256 bytea not null check (octet_length(sha256) = 32),
  bytes bytea not null,
  primary key (reflection_id, sha256)
);
alter table originals alter column bytes set storage external;

-- Requests to background jobs. The last one of kind `source` holds the current content of a source.
create table intake (
  id bigint generated always as identity primary key,
  reflection_id text collate "C" not null references reflections,
  kind text not null
    check (kind in ('source', 'remove_source', 'review_patch', 'remove_reflection', 'correction')),
  source_id text collate "C",
  namespace_id text collate "C" references namespaces,
  title text,
  media_type text,
  file_name text,
  sha256 bytea,
  payload json not null default '{}',
  requested_by text not null,
  requested_at timestamptz(3) not null default now(),
  foreign key (reflection_id, sha256) references originals,
  check (kind not in ('source', 'remove_source') or source_id is not null),
  check (kind <> 'source' or num_nulls(namespace_id, title, media_type, sha256) = 0)
);
create index on intake (source_id, id);
create index on intake (reflection_id, requested_at);
create index on intake (reflection_id, sha256);
create index on intake ((payload ->> 'patchId')) where kind = 'correction';

-- The namespaces that a public session may see. Only the hash of its capability is stored.
create table public_scopes (
  session_id text primary key,
  capability_hash bytea not null unique check (octet_length(capability_hash) = 32),
  reflection_id text collate "C" not null references reflections,
  namespace_ids text[] not null,
  is_live boolean not null default true,
  created_at timestamptz(3) not null default now()
);
create index on public_scopes (reflection_id);

-- Searches. A trace holds no text: a source id and a hash find the evidence again while it is visible.
create table retrieval_traces (
  id bigint generated always as identity primary key,
  reflection_id text collate "C" not null,
  audience text not null check (audience in ('private', 'public')),
  query text not null,
  found json not null,
  took_ms real not null,
  at timestamptz(3) not null default now(),
  session_id text collate "C" references agent_sessions on delete cascade
);
create index on retrieval_traces (reflection_id, at);
create index on retrieval_traces (session_id, id) where session_id is not null;

create table audit_log (
  id bigint generated always as identity primary key,
  reflection_id text collate "C",
  who text not null,
  what text not null,
  target text,
  at timestamptz(3) not null default now()
);
create index on audit_log (reflection_id, id);
create trigger append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
alter table audit_log enable always trigger append_only;


-- 5  Knowledge: background jobs write it, the server reads it

create table sources (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  namespace_id text collate "C" not null references namespaces,
  title text not null,
  -- The run whose chunks are searched.
  current_run_id text collate "C"
);
create index on sources (reflection_id);

create table ingest_runs (
  id text collate "C" primary key,
  -- Rises with every run, and so orders the versions of a source.
  ordinal bigint generated always as identity,
  reflection_id text collate "C" not null references reflections,
  source_id text collate "C" not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  -- The last request for these bytes.
  intake_id bigint not null,
  namespace_id text collate "C" not null references namespaces,
  title text not null,
  -- Rises each time the run is opened; an earlier opener can no longer write.
  epoch integer not null default 1,
  done text[] not null default '{}',
  phase text,
  phase_done integer,
  phase_total integer,
  outcome text check (outcome in ('completed', 'eval_rejected', 'failed', 'duplicate_skipped')),
  problem text,
  text_media_type text,
  text_title text,
  evaluation json,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  -- The source was removed: only the hash is left.
  erased_at timestamptz(3),
  -- The source in the same namespace that already has these bytes.
  duplicate_of text collate "C",
  unique (reflection_id, source_id, content_hash)
);
create index on ingest_runs (source_id);

create table ingest_texts (
  run_id text collate "C" not null references ingest_runs,
  reflection_id text collate "C" not null,
  ordinal integer not null,
  segments json not null,
  primary key (run_id, ordinal)
);
create index on ingest_texts (reflection_id);

create table chunks (
  run_id text collate "C" not null references ingest_runs,
  ordinal integer not null,
  reflection_id text collate "C" not null,
  namespace_id text collate "C" not null,
  source_id text collate "C" not null,
  text text not null,
  place json not null,
  -- Only current chunks are searched.
  is_current boolean not null default false,
  words tsvector not null generated always as (words_of(text)) stored,
  primary key (run_id, ordinal)
)
-- Keeps a chunk's words in its row: elsewhere they take three more reads.
with (toast_tuple_target = 4080);
create index chunks_current on chunks (namespace_id) where is_current;
create index chunks_of_source on chunks (source_id) where is_current;
create index on chunks (reflection_id);
create index chunks_words on chunks using gin (words) where is_current;

-- The number of a namespace's current chunks that contain a word; under the empty word, of all its current chunks.
create table terms (
  namespace_id text collate "C" not null,
  word text collate "C" not null,
  reflection_id text collate "C" not null,
  chunks integer not null,
  primary key (namespace_id, word)
);

-- Rises with each patch that is applied or reverted, and so shows whether an evaluation is out of date.
create sequence knowledge_revisions;

create table patches (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  origin text not null check (origin in ('ingest', 'correction')),
  source_id text collate "C",
  run_id text collate "C" unique references ingest_runs,
  status text not null default 'proposed' check (status in ('proposed', 'applied', 'rejected', 'reverted')),
  -- The result of the rules; null before they ran.
  evaluation json,
  decided_by text,
  created_at timestamptz(3) not null default now(),
  decided_at timestamptz(3),
  revision bigint,
  -- Remarks on how the facts were found.
  notes json not null default '[]'
);
create index on patches (reflection_id, created_at, id);
create index on patches (source_id);
create index on patches (reflection_id, revision);

-- Only a fact's state and its end ever change.
create table facts (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  namespace_id text collate "C" not null,
  patch_id text collate "C" not null references patches,
  source_id text collate "C",
  ordinal integer not null,
  subject text not null,
  subject_key text not null,
  predicate text not null,
  object text not null,
  object_key text not null,
  statement text not null,
  confidence double precision not null check (confidence between 0 and 1),
  evidence json not null,
  valid_from text,
  valid_to text,
  state text not null default 'candidate' check (state in ('candidate', 'active', 'rejected')),
  supersedes_fact_id text collate "C",
  superseded_at timestamptz(3),
  -- The patch that replaced it; reverting that patch restores the fact.
  superseded_by_patch text collate "C",
  created_at timestamptz(3) not null default now(),
  words tsvector not null generated always as (words_of(statement)) stored,
  -- A statement of two sources is active once. The other names the active fact and supports it.
  repeats_fact_id text collate "C",
  -- Said in confidence: the statement may be shown, the quote may not.
  is_confided boolean not null default false
);
create index on facts (reflection_id, created_at, id);
create index on facts (patch_id);
create index on facts (source_id);
create index on facts (superseded_by_patch) where superseded_by_patch is not null;
create index on facts (supersedes_fact_id) where supersedes_fact_id is not null;
create index on facts (repeats_fact_id) where repeats_fact_id is not null;
create index on facts (reflection_id) where repeats_fact_id is not null and superseded_at is null;
create index on facts (namespace_id, subject_key) where superseded_by_patch is not null;
-- Finds the same or a contradicting statement by its key. The planner would prefer a narrower index while it has no
-- statistics, so there is none.
create index facts_by_subject on facts (namespace_id, subject_key, predicate, object_key)
  where state = 'active' and superseded_at is null;
create index facts_by_object on facts (namespace_id, object_key)
  where state = 'active' and superseded_at is null;
create index facts_words on facts using gin (words) where state = 'active' and superseded_at is null;
-- Lists of facts, by subject and by time.
create index facts_in_subject_order on facts
  (reflection_id, subject_key collate "C", predicate collate "C", (coalesce(valid_from, '') collate "C") desc, id);
create index facts_in_time_order on facts
  (reflection_id, (coalesce(valid_from, '') collate "C") desc, subject_key collate "C", id);
create index facts_of_corrections on facts (namespace_id) where is_confided;
-- Finds repetitions of a corrected statement.
create index facts_not_active on facts (namespace_id, subject_key, predicate, object_key) where state <> 'active';

-- Namespaces that a source has left, or all of its namespaces if it is being removed. From the moment of the request
-- nothing of it is found there, however long the jobs take.
create table withheld_sources (
  namespace_id text collate "C" not null references namespaces,
  source_id text collate "C" not null,
  primary key (namespace_id, source_id)
);
create index on withheld_sources (source_id);

-- Rises with every change of a fact or of the searched chunks, in the same transaction. It has its own table: a worker
-- that holds the knowledge lock must not wait for the reflection's row, since the server takes the two in the other
-- order.
create table knowledge_revision (
  reflection_id text collate "C" primary key references reflections on delete cascade,
  revision bigint not null default 0
);
create function add_knowledge_revision() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into knowledge_revision (reflection_id) values (new.id);
  return null;
end
$$;
create trigger has_knowledge_revision after insert on reflections
  for each row execute function add_knowledge_revision();

create function raise_knowledge_revision() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update knowledge_revision set revision = revision + 1
    where reflection_id in (select reflection_id from changed);
  return null;
end
$$;
-- New facts are candidates, which are not searched. Deleted rows left the search before, with the publish revision.
create trigger raises_knowledge_revision after update on facts
  referencing old table as changed for each statement execute function raise_knowledge_revision();
create trigger raises_knowledge_revision after update on chunks
  referencing old table as changed for each statement execute function raise_knowledge_revision();

-- The words of a chunk are counted when it is placed, retired or deleted.
create function count_words_in() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Two counts of one namespace wait for each other.
  perform pg_advisory_xact_lock(hashtextextended(home.reflection_id, 0))
    from (select distinct reflection_id from come where is_current order by 1) as home;
  insert into terms (reflection_id, namespace_id, word, chunks)
  select reflection_id, namespace_id, word, count(*)
  from come, unnest(tsvector_to_array(words) || ''::text) as word
  where is_current
  group by reflection_id, namespace_id, word
  on conflict (namespace_id, word) do update set chunks = terms.chunks + excluded.chunks;
  return null;
end
$$;

create function count_words_out() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(home.reflection_id, 0))
    from (select distinct reflection_id from gone where is_current order by 1) as home;
  with counted as (
    select namespace_id, word, count(*) as times
    from gone, unnest(tsvector_to_array(words) || ''::text) as word
    where is_current
    group by namespace_id, word
  ), rest as (
    select namespace_id, word, chunks - times as left_over from terms join counted using (namespace_id, word)
  ), forgotten as (
    delete from terms using rest
    where terms.namespace_id = rest.namespace_id and terms.word = rest.word and left_over <= 0
  )
  update terms set chunks = left_over from rest
  where terms.namespace_id = rest.namespace_id and terms.word = rest.word and left_over > 0;
  return null;
end
$$;

create trigger words_of_new after insert on chunks
  referencing new table as come for each statement execute function count_words_in();
create trigger words_of_changed_in after update on chunks
  referencing new table as come for each statement execute function count_words_in();
create trigger words_of_changed_out after update on chunks
  referencing old table as gone for each statement execute function count_words_out();
create trigger words_of_deleted after delete on chunks
  referencing old table as gone for each statement execute function count_words_out();

-- Makes the chunks of a run current. Only the next two functions change which chunks are searched.
create function place_chunks(of_run text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update chunks set is_current = true
  where run_id = of_run and not is_current and not exists (
    select from withheld_sources w where w.namespace_id = chunks.namespace_id and w.source_id = chunks.source_id
  )
$$;

create function retire_chunks(of_source text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update chunks set is_current = false where source_id = of_source and is_current
$$;

create function withhold_source(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  wanted record;
begin
  -- The second of two concurrent requests sees the first.
  perform pg_advisory_xact_lock(hashtextextended(target, 1));
  select reflection_id, namespace_id into wanted from intake
    where source_id = target and kind = 'source' order by id desc limit 1;
  if exists (select from intake where source_id = target and kind = 'remove_source') then
    wanted.namespace_id := null;
  end if;
  delete from withheld_sources where source_id = target and namespace_id = wanted.namespace_id;
  insert into withheld_sources (namespace_id, source_id)
  select distinct namespace_id, target from intake
  where source_id = target and kind = 'source' and namespace_id is distinct from wanted.namespace_id
  on conflict do nothing;
  if not exists (select from withheld_sources where source_id = target) then
    return;
  end if;
  -- Waits for a job that is placing chunks; the next one sees the withheld source.
  perform pg_advisory_xact_lock(hashtextextended(wanted.reflection_id, 0));
  if exists (
    select from chunks
    where source_id = target and is_current and namespace_id is distinct from wanted.namespace_id
  ) then
    perform retire_chunks(target);
    update sources set current_run_id = null where id = target;
  end if;
end
$$;

create function withhold_asked() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform withhold_source(new.source_id);
  return null;
end
$$;
create trigger withheld_at_once after insert on intake for each row
  when (new.kind in ('source', 'remove_source')) execute function withhold_asked();
alter table intake enable always trigger withheld_at_once;

-- A run that died while it made its patch starts the patch over. Decided patches stay.
create function discard_patch(of_run text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from ingest_runs where id = of_run and outcome is null for update) then
    raise exception 'the patch of an ended run cannot be discarded' using errcode = 'restrict_violation';
  end if;
  delete from facts using patches
    where patches.run_id = of_run and patches.status = 'proposed' and patch_id = patches.id;
  delete from patches where run_id = of_run and status = 'proposed';
end
$$;

-- A patch only moves forward. Its decision is written once.
create function keep_patch_forward() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if new.status <> old.status then
    if (old.status, new.status) not in (
      ('proposed', 'applied'), ('proposed', 'rejected'), ('applied', 'reverted')
    ) then
      raise exception 'a patch cannot change from % to %', old.status, new.status
        using errcode = 'restrict_violation';
    end if;
  elsif (new.decided_by, new.decided_at) is distinct from (old.decided_by, old.decided_at) then
    raise exception 'a decision on a patch cannot be changed' using errcode = 'restrict_violation';
  end if;
  if new.run_id is distinct from old.run_id and new.run_id is not null then
    raise exception 'a patch cannot move to another run' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger forward_only before update on patches for each row execute function keep_patch_forward();
alter table patches enable always trigger forward_only;

create function refuse_decided_patch() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'a patch cannot be inserted as %', new.status using errcode = 'restrict_violation';
end
$$;
create trigger begins_undecided before insert on patches for each row
  when (new.status not in ('proposed', 'rejected')) execute function refuse_decided_patch();
alter table patches enable always trigger begins_undecided;

-- A fact follows its patch. A rejected fact returns only if it supports another one that has ended.
create function keep_fact_forward() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if new.state <> old.state and (old.state, new.state) not in (
    ('candidate', 'active'), ('candidate', 'rejected'), ('active', 'rejected')
  ) and not (old.state = 'rejected' and new.state = 'active' and old.repeats_fact_id is not null) then
    raise exception 'a fact cannot change from % to %', old.state, new.state
      using errcode = 'restrict_violation';
  end if;
  if new.superseded_at is distinct from old.superseded_at and old.superseded_at is not null
    and not (new.superseded_at is null and old.superseded_by_patch is not null and new.superseded_by_patch is null)
  then
    raise exception 'a superseded fact is restored only with the patch that replaced it'
      using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger forward_only before update on facts for each row execute function keep_fact_forward();
alter table facts enable always trigger forward_only;


-- 6  Artifacts: prebuilt prompt texts of a reflection. Only background jobs write them.

-- The last number given out. A build gets its number before it reads the knowledge, so a higher number never knows
-- less, whichever build ends first.
create table voice_builds (
  reflection_id text collate "C" primary key references reflections,
  generation integer not null check (generation > 0)
);

-- Every build up to this number is done, even if the last one changed nothing and left no generation.
create table voice_confirmed (
  reflection_id text collate "C" primary key references reflections on delete cascade,
  generation integer not null check (generation > 0)
);

create table voice_artifacts (
  reflection_id text collate "C" not null references reflections,
  generation integer not null check (generation > 0),
  -- Names, from when the build began.
  published_namespaces text[] not null,
  -- Null once one of its sources was removed: only the hash is left.
  payload json,
  payload_hash text not null,
  primary key (reflection_id, generation)
);

-- Each entry contains the hash of the one before. The ledger outlives its reflection and holds no knowledge.
create table artifact_ledger (
  reflection_id text collate "C" not null,
  position integer not null check (position > 0),
  generation integer not null,
  stage text not null check (stage in ('candidate', 'evaluated', 'promoted', 'rejected', 'outrun', 'erased')),
  payload_hash text not null,
  reasons json not null default '[]',
  at timestamptz(3) not null,
  previous_hash text not null,
  entry_hash text not null,
  primary key (reflection_id, position),
  unique (reflection_id, generation, stage)
);
create trigger append_only before update or delete or truncate on artifact_ledger
  for each statement execute function refuse_change();
alter table artifact_ledger enable always trigger append_only;

-- The generation in use.
create table voice_runtime (
  reflection_id text collate "C" primary key references reflections,
  generation integer not null,
  promoted_at timestamptz(3) not null default now(),
  foreign key (reflection_id, generation) references voice_artifacts
);

create function refuse_lower_generation() returns trigger language plpgsql as $$
begin
  if new.generation <= old.generation or new.reflection_id <> old.reflection_id then
    raise exception 'generation % does not follow %', new.generation, old.generation
      using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger only_higher before update on voice_runtime
  for each row execute function refuse_lower_generation();
alter table voice_runtime enable always trigger only_higher;
create trigger only_higher before update on voice_builds
  for each row execute function refuse_lower_generation();
alter table voice_builds enable always trigger only_higher;
create trigger only_higher before update on voice_confirmed
  for each row execute function refuse_lower_generation();
alter table voice_confirmed enable always trigger only_higher;

-- Only an approved generation above all earlier ones may be promoted.
create function refuse_unapproved() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if not exists (
    select from artifact_ledger l where l.reflection_id = new.reflection_id and l.generation = new.generation
      and l.stage = 'evaluated' and json_array_length(l.reasons) = 0
  ) then
    raise exception 'generation % was not approved', new.generation using errcode = 'restrict_violation';
  end if;
  if exists (
    select from artifact_ledger l where l.reflection_id = new.reflection_id and l.stage = 'promoted'
      and l.generation >= new.generation
  ) then
    raise exception 'generation % is not higher than all promoted ones', new.generation using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger only_approved before insert or update on voice_runtime
  for each row execute function refuse_unapproved();
alter table voice_runtime enable always trigger only_approved;

-- A payload never changes. It may be erased once the ledger says so.
create function refuse_other_payload() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if (new.reflection_id, new.generation, new.published_namespaces, new.payload_hash)
      is distinct from (old.reflection_id, old.generation, old.published_namespaces, old.payload_hash)
    or (new.payload is not null and new.payload::text is distinct from old.payload::text)
    or (new.payload is null and old.payload is not null and not exists (
      select from artifact_ledger l where l.reflection_id = old.reflection_id and l.generation = old.generation
        and l.stage = 'erased'
    )) then
    raise exception 'generation % cannot be changed', old.generation using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger only_erased before update on voice_artifacts
  for each row execute function refuse_other_payload();
alter table voice_artifacts enable always trigger only_erased;

create function refuse_while_there() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from reflections where id = old.reflection_id and removed_at is null) then
    raise exception '% is deleted only with its reflection', tg_table_name using errcode = 'restrict_violation';
  end if;
  return old;
end
$$;
create trigger with_reflection before delete on voice_runtime
  for each row execute function refuse_while_there();
alter table voice_runtime enable always trigger with_reflection;
create trigger with_reflection before delete on voice_artifacts
  for each row execute function refuse_while_there();
alter table voice_artifacts enable always trigger with_reflection;
create trigger with_reflection before delete on voice_builds
  for each row execute function refuse_while_there();
alter table voice_builds enable always trigger with_reflection;
create trigger no_truncate before truncate on voice_runtime
  for each statement execute function refuse_change();
create trigger no_truncate before truncate on voice_artifacts
  for each statement execute function refuse_change();
create trigger no_truncate before truncate on voice_builds
  for each statement execute function refuse_change();


-- 7  Calls and sessions with reflections

-- The state from which the provider's agent of each surface was last made.
create table runtime_syncs (
  reflection_id text collate "C" not null references reflections,
  -- public_part: the agent of calls by links to a part of the published namespaces; it holds no dossier.
  surface text not null check (surface in ('standard', 'memory', 'public', 'public_part')),
  agent_id text not null,
  -- Null if stale.
  state json,
  -- Hash of its input besides artifacts.
  fingerprint text,
  -- Values that the provider filled in at creation, by its own paths.
  provider_defaults json,
  -- Revocations of its content since it was last overwritten.
  revocations integer not null default 0 check (revocations >= 0),
  -- The agent that speaks to visitors, which also requires a fresh state.
  elevenlabs_public_agent_id text generated always as (case when surface = 'public' then agent_id end) stored,
  primary key (reflection_id, surface)
);
create index on runtime_syncs (reflection_id) where revocations > 0;

-- Shared agents at the provider: the interviewer, and the one that gets its persona from variables.
create table server_agents (
  kind text primary key check (kind in ('interviewer', 'generic')),
  agent_id text not null,
  -- Values that the provider filled in at creation, by its own paths.
  provider_defaults json
);

create table share_links (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- Null: all published namespaces.
  namespace_ids text[],
  max_uses integer check (max_uses > 0),
  uses integer not null default 0 check (uses >= 0 and (max_uses is null or uses <= max_uses)),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_by text not null,
  created_at timestamptz(3) not null default now()
);
create index on share_links (reflection_id, created_at, id);

-- A spoken or typed session with a reflection: its settings, fixed at the start, and the state of its call.
create table reflection_sessions (
  session_id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  -- A visitor is a new person in each session.
  person_id text not null,
  share_link_id text collate "C" references share_links,
  -- The visitor's credential.
  visitor_token_hash bytea unique check (octet_length(visitor_token_hash) = 32),
  channel text not null check (channel in ('text', 'voice')),
  mode text not null check (mode in ('interview', 'reflection', 'share')),
  session_audience text not null check (session_audience in ('private', 'public')),
  surface text not null check (surface in ('standard', 'memory', 'public')),
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer', 'guest')),
  ingestion text not null check (ingestion in ('ingest', 'keep-only', 'off-record')),
  -- The exact allowlist for retrieval, by name.
  namespaces text[] not null,
  status text not null check (status in ('starting', 'active', 'failed', 'ended')),
  failure text,
  agent_id text,
  provider_conversation_id text unique,
  -- When it got this conversation.
  bound_at timestamptz(3),
  -- Whether the transcript of its call has arrived.
  transcript text not null default 'none' check (transcript in ('none', 'pending', 'stored')),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  reconnects integer not null default 0,
  -- If the session did not start, its link gets the use back, once.
  is_use_returned boolean not null default false,
  -- Something in its prompt was unpublished or removed, so the session cannot continue.
  is_outdated boolean not null default false,
  -- Its prompt was made for a limited member.
  is_narrowed boolean not null default false,
  check ((session_audience = 'public') = (surface = 'public')),
  check (visitor_token_hash is null or (share_link_id is not null and role = 'guest')),
  check (mode <> 'interview' or session_audience = 'private'),
  check (status <> 'active' or channel = 'text' or provider_conversation_id is not null)
);
create index on reflection_sessions (reflection_id, created_at);
create index on reflection_sessions (person_id, reflection_id, created_at);
create index on reflection_sessions (share_link_id, created_at) where share_link_id is not null;
create index on reflection_sessions (created_at) where transcript = 'pending';
create index on reflection_sessions (created_at) where status = 'starting';
create index reflection_sessions_failed on reflection_sessions (ended_at) where status = 'failed';

-- Earlier calls of a session whose transcripts have not arrived.
create table earlier_calls (
  provider_conversation_id text primary key,
  session_id text collate "C" not null references reflection_sessions on delete cascade,
  bound_until timestamptz(3) not null default now(),
  -- The order in which they were replaced: two may be within a millisecond.
  ordinal bigint generated always as identity,
  -- Nothing arrived in time. A late transcript is still stored.
  given_up_at timestamptz(3)
);
create index on earlier_calls (session_id);
create function note_call() returns trigger language plpgsql as $$
begin
  if old.transcript = 'pending' and old.provider_conversation_id is not null then
    insert into earlier_calls (provider_conversation_id, session_id)
      values (old.provider_conversation_id, old.session_id) on conflict do nothing;
  end if;
  new.bound_at := now();
  return new;
end
$$;
create trigger note_call before update of provider_conversation_id on reflection_sessions
  for each row when (old.provider_conversation_id is distinct from new.provider_conversation_id)
  execute function note_call();

-- Transcripts that arrived before the one of an earlier call of their session. They wait until the earlier one arrives
-- or is given up.
create table held_calls (
  provider_conversation_id text primary key,
  session_id text collate "C" not null references agent_sessions on delete cascade,
  call json not null,
  started_at timestamptz(3) not null
);
create index on held_calls (session_id);

-- Provider events by key: each is processed once, however often it arrives.
create table provider_events (
  event_key text primary key,
  received_at timestamptz(3) not null default now()
);


-- 8  Erasing

-- Erases a payload and records that in the ledger, in the form that ledger-entry.ts hashes. The caller holds the
-- reflection's lock.
create function erase_artifacts(home text, number integer) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  last artifact_ledger := (
    select l from artifact_ledger l where l.reflection_id = home order by l.position desc limit 1);
  kept text := (select payload_hash from voice_artifacts where reflection_id = home and generation = number);
  moment text := said_at(clock_timestamp());
begin
  insert into artifact_ledger
    (reflection_id, position, generation, stage, payload_hash, at, previous_hash, entry_hash)
  values (home, last.position + 1, number, 'erased', kept, moment::timestamptz, last.entry_hash,
    encode(sha256(convert_to(format(
      '{"at":"%s","generation":%s,"payloadHash":"%s","position":%s,"previousHash":"%s","reasons":[],"stage":"erased"}',
      moment, number, kept, last.position + 1, last.entry_hash), 'UTF8')), 'hex'));
  update voice_artifacts set payload = null where reflection_id = home and generation = number;
end
$$;

-- Erases a source, everything built from it, and the prompts of sessions that used it. Only after a request.
create function erase_source(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  home text := (select reflection_id from intake where source_id = target limit 1);
begin
  if home is null then
    return;
  end if;
  if not exists (select from intake where source_id = target and kind = 'remove_source')
    and not exists (select from reflections where id = home and removed_at is not null) then
    raise exception 'the removal of the source % was not requested', target using errcode = 'restrict_violation';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(home, 0));
  update ingest_runs set erased_at = now(), outcome = 'failed', ended_at = coalesce(ended_at, now()),
    title = '', problem = null, text_title = null, evaluation = null
    where source_id = target;
  delete from chunks using ingest_runs
    where ingest_runs.source_id = target and chunks.run_id = ingest_runs.id;
  delete from ingest_texts using ingest_runs where ingest_runs.source_id = target and run_id = ingest_runs.id;
  perform erase_artifacts(home, generation) from voice_artifacts
    where reflection_id = home and payload is not null and exists (
      select from json_array_elements(payload -> 'voice_evidence_pack' -> 'items') as item
      where item ->> 'sourceId' = target
    );
  -- These sessions were marked when the source was withheld, and cannot continue.
  update agent_sessions s set agent_snapshot =
      (s.agent_snapshot::jsonb || jsonb_build_object('system_prompt', 'A source of this agent was removed.'))::json
    from reflection_sessions r
    where r.reflection_id = home and r.is_outdated and s.id = r.session_id;
  update facts set supersedes_fact_id = null
    where supersedes_fact_id in (select id from facts where source_id = target);
  delete from facts where source_id = target;
  delete from patches where source_id = target;
  delete from sources where id = target;
  delete from withheld_sources where source_id = target;
  delete from intake where source_id = target;
  delete from originals where reflection_id = home and not exists (
    select from intake where intake.reflection_id = home and intake.sha256 = originals.sha256
  );
end
$$;

-- Ends and removes the sessions with a removed reflection. Their open turns lose their lease.
create function erase_sessions_of(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from reflections where id = target and removed_at is not null) then
    return;
  end if;
  update reflection_sessions set status = 'ended', ended_at = now()
    where reflection_id = target and status in ('starting', 'active');
  update agent_sessions set lease_turn_id = null, lease_holder = null, turn_waits = false
    where id in (select session_id from reflection_sessions where reflection_id = target);
  perform remove_session(session_id) from reflection_sessions where reflection_id = target;
end
$$;

-- Erases a removed reflection. The hashes in the ledger stay.
create function erase_reflection(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from reflections where id = target and removed_at is not null) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(target, 0));
  delete from voice_runtime where reflection_id = target;
  delete from voice_artifacts where reflection_id = target;
  delete from voice_builds where reflection_id = target;
  -- Sessions that were starting during the removal.
  perform erase_sessions_of(target);
  delete from reflection_sessions where reflection_id = target;
  delete from share_links where reflection_id = target;
  delete from runtime_syncs where reflection_id = target;
  delete from facts where reflection_id = target;
  delete from patches where reflection_id = target;
  -- Deleted before the chunks, so that the trigger has no words to count.
  delete from terms where reflection_id = target;
  delete from chunks where reflection_id = target;
  delete from ingest_texts where reflection_id = target;
  delete from ingest_runs where reflection_id = target;
  delete from sources where reflection_id = target;
  delete from retrieval_traces where reflection_id = target;
  delete from public_scopes where reflection_id = target;
  delete from intake where reflection_id = target;
  delete from originals where reflection_id = target;
  delete from withheld_sources using namespaces
    where namespaces.reflection_id = target and namespace_id = namespaces.id;
  delete from namespaces where reflection_id = target;
  delete from reflection_members where reflection_id = target;
  delete from reflections where id = target;
end
$$;


-- 9  The gate: content for the public and limited members

-- The published namespaces that the capability of a public session opens.
create function gate.scope() returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(n.id), '{}')
  from public.public_scopes s
  join public.reflections r on r.id = s.reflection_id and r.removed_at is null
  join public.namespaces n on n.reflection_id = s.reflection_id and n.id = any(s.namespace_ids)
  where s.is_live and n.is_published and s.capability_hash = sha256(decode(
    -- After a transaction that set it, the setting is empty, not absent.
    case when current_setting('parley.scope', true) ~ '^[0-9a-f]{64}$'
      then current_setting('parley.scope', true) end,
    'hex'
  ))
$$;

-- The limited member whose capability is set, and the namespaces that they may read now.
create function gate.reaching_member() returns public.reflection_members
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select m from public.reflection_members m
  join public.reflections r on r.id = m.reflection_id and r.removed_at is null
  where m.capability_hash = sha256(decode(
    case when current_setting('parley.scope', true) ~ '^[0-9a-f]{64}$'
      then current_setting('parley.scope', true) end,
    'hex'
  ))
$$;

create function gate.reach() returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(n.id), '{}')
  from gate.reaching_member() m
  join public.namespaces n on n.reflection_id = m.reflection_id
    and (n.is_published or n.id = any(m.namespace_ids))
$$;

create function gate.reaching_person() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select m.person_id from gate.reaching_member() m
$$;

create function gate.withheld(scope text[]) returns table (source_id text, namespace_id text)
language sql stable security definer rows 10 set search_path = pg_catalog, pg_temp as $$
  select w.source_id, w.namespace_id from public.withheld_sources w where w.namespace_id = any(scope)
$$;

create function gate.is_withheld(source text, namespace text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from public.withheld_sources w where w.namespace_id = namespace and w.source_id = source
  )
$$;

-- The evidence behind the promoted artifacts, as far as the limited member may read it.
create function gate.promoted()
returns table (generation integer, display_name text, creator_name text, former_names json, evidence json)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select a.generation, a.payload #>> '{reflection_voice_dossier,private,displayName}',
    a.payload #>> '{reflection_voice_dossier,private,creatorName}',
    coalesce(a.payload #> '{reflection_voice_dossier,private,formerNames}', '[]'),
    (select coalesce(json_agg(item order by place), '[]')
      from json_array_elements(a.payload #> '{voice_evidence_pack,items}') with ordinality as items (item, place)
      join public.namespaces n on n.reflection_id = a.reflection_id and n.name = item ->> 'namespace'
      where n.id = any((select gate.reach())::text[]) and not gate.is_withheld(item ->> 'sourceId', n.id))
  from gate.reaching_member() m
  join public.voice_runtime v on v.reflection_id = m.reflection_id
  join public.voice_artifacts a on a.reflection_id = v.reflection_id and a.generation = v.generation
  where a.payload is not null
$$;

-- The audience of a payload: nobody once one of its sources is being removed, only members once one was unpublished.
create function told_to(home text, payload json) returns text
language sql stable set search_path = public, pg_temp as $$
  select case
    when bool_or(exists (select from intake i where i.source_id = w.source_id and i.kind = 'remove_source')) then 'nobody'
    when bool_or(n.is_published) then 'members'
    else 'all'
  end
  from namespaces n, gate.withheld(array[n.id]) w, json_array_elements(payload -> 'voice_evidence_pack' -> 'items') as item
  where n.reflection_id = home and item ->> 'sourceId' = w.source_id and item ->> 'namespace' = n.name
$$;


-- 10  Search. The caller's row policies apply; the work is bounded, however much there is.

-- Under a row policy the index of words is not used, since its operator might reveal hidden rows. So these two find the
-- keys without a policy, check the member's namespaces themselves, and the caller reads the rows under its own policy.
create function gate.matching_chunks(scope text[], sought tsquery)
returns table (run_id text, ordinal integer)
language sql stable security definer rows 500 set search_path = pg_catalog, pg_temp as $$
  select c.run_id, c.ordinal from public.chunks c
  where c.namespace_id = any(scope) and c.is_current and c.words @@ sought
    and (session_user <> 'parley_member' or c.namespace_id = any((select gate.reach())::text[]))
  limit 1000
$$;

create function gate.matching_facts(scope text[], sought tsquery) returns table (id text)
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select f.id from public.facts f
  where f.namespace_id = any(scope) and f.state = 'active' and f.superseded_at is null and f.words @@ sought
    and (session_user <> 'parley_member' or f.namespace_id = any((select gate.reach())::text[]))
  limit 300
$$;

-- The words of a question with their weights, and the weights they would have if found as asked. An unknown word is
-- replaced by the most similar ones.
create function weigh_words(scope text[], asked text)
returns table (
  lexeme text, word text, frequency double precision, weight double precision, of_all double precision
)
language sql stable set search_path = public, extensions, pg_temp as $$
  with lexemes as materialized (
    select lexeme collate "C" as lexeme
    from unnest(tsvector_to_array(words_of(left(asked, 2000)))) as lexeme limit 40
  ), known as materialized (
    select lexeme, lexeme as word, sum(t.chunks)::float as frequency, 1.0::float as closeness
    from lexemes join terms t on t.word = lexeme and t.namespace_id = any(scope)
    group by lexeme
  ), stated as materialized (
    -- Facts may use words that no chunk contains.
    select lexeme, lexeme as word, 1::float as frequency, 1::float as closeness
    from lexemes
    where lexeme not in (select lexeme from known) and exists (
      select from gate.matching_facts(scope, any_of(array[lexeme])) as found join facts f on f.id = found.id
    )
  ), unknown as (
    select lexeme from lexemes
    where length(lexeme) >= 4
      and lexeme not in (select lexeme from known union all select lexeme from stated)
    order by length(lexeme) desc, lexeme limit 3
  ), guessed as materialized (
    select lexeme, guess.word,
      (select sum(t.chunks)::float from terms t where t.word = guess.word and t.namespace_id = any(scope)),
      guess.closeness
    from unknown cross join lateral (
      -- Each word once, not once per namespace: comparing takes the time.
      with alike as materialized (
        select distinct t.word from terms t
        where t.namespace_id = any(scope)
          and t.word >= left(lexeme, 1) and t.word < left(lexeme, 1) || chr(1114111)
          and length(t.word) between length(lexeme) - 2 and length(lexeme) + 2
      )
      select alike.word, similarity(alike.word, lexeme)::float ^ 2 as closeness from alike
      where similarity(alike.word, lexeme) >= 0.5
      order by closeness desc, alike.word limit 3
    ) as guess
  )
  select words.lexeme, words.word, words.frequency, words.closeness * rareness, rareness
  from (select * from known union all select * from stated union all select * from guessed) as words,
    (select coalesce(sum(t.chunks), 0)::float as chunks from terms t
      where t.namespace_id = any(scope) and t.word = '') as held,
    ln(1 + (greatest(held.chunks, words.frequency) - words.frequency + 0.5) / (words.frequency + 0.5)) as rareness
  -- Of a long question only the heaviest words; the others cost more than they add.
  order by 4 desc, 2 limit 16
$$;

-- Finds facts by their words, and within two hops of the things that the question names. Combines both ranks: facts with
-- more of the question's weight come first, then facts that say who somebody is.
create function search_facts(
  scope text[], entity_keys text[], rare tsquery, queries tsquery[], weights double precision[],
  whole double precision, most integer
)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable set search_path = public, pg_temp as $$
  with telling as materialized (
    select array['works_as', 'founded', 'is_a', 'lives_in', 'is_called'] as who
  ), near as materialized (
    (select f.id, f.subject_key, f.object_key from facts f
      -- The people in a question come first among its keys.
      where f.namespace_id = any(scope) and f.subject_key = any(entity_keys[1:3])
        and f.predicate = any((select who from telling)::text[])
        and f.state = 'active' and f.superseded_at is null
      limit 20)
    union
    (select f.id, f.subject_key, f.object_key from facts f
      where cardinality(entity_keys) > 0 and f.namespace_id = any(scope)
        and f.state = 'active' and f.superseded_at is null
        and (f.subject_key = any(entity_keys) or f.object_key = any(entity_keys))
      limit 50)
  ), reached as materialized (
    select subject_key as key from near union select object_key from near
  ), named as materialized (
    select id, min(hop) as hop from (
      select id, 1 as hop from near
      union all (
        -- A few facts from each thing, so that a thing with many facts does not crowd out the others.
        select next.id, 2 from reached cross join lateral (
          (select f.id from facts f
            where f.namespace_id = any(scope) and f.subject_key = reached.key
              and f.state = 'active' and f.superseded_at is null limit 20)
          union all
          (select f.id from facts f
            where f.namespace_id = any(scope) and f.object_key = reached.key
              and f.state = 'active' and f.superseded_at is null limit 20)
        ) as next
        limit 100
      )
      union all
      select found.id, 3 from gate.matching_facts(scope, rare) as found
    ) as ways
    group by id
  ), measured as materialized (
    select f.*, case when f.subject_key = any(entity_keys) then 1 else named.hop end as hop, (
      select coalesce(sum(w.weight), 0) from unnest(queries, weights) as w (query, weight) where f.words @@ w.query
    ) as weight, array_position((select who from telling)::text[], f.predicate) as telling
    from named join facts f on f.id = named.id
  ), ranked as (
    select measured.*,
      row_number() over (order by weight desc, hop, telling, id) as by_weight,
      row_number() over (order by hop, weight desc, telling, id) as by_hop
    from measured
  ), best as (
    select ranked.*, (1.0 / (60 + by_weight) + 0.5 / (60 + by_hop))
      * (case hop when 1 then 0.2 when 2 then 0.15 else 0.05 end + 0.8 * weight / whole) as score
    from ranked where by_weight <= 100 or by_hop <= 20
    order by score desc, id limit most
  )
  select 'fact', best.statement, n.name, s.id, s.title, coalesce(best.evidence -> 0 -> 'place', '{}'), best.score
  from best join namespaces n on n.id = best.namespace_id join sources s on s.id = best.source_id
$$;

-- Finds chunks by the rarer words of the question. Of the best, chunks with the words close together come first.
create function search_chunks(
  scope text[], rare tsquery, queries tsquery[], weights double precision[], all_words tsquery,
  whole double precision, most integer
)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable set search_path = public, pg_temp as $$
  with matched as materialized (
    -- The concatenation unpacks the words once, not once for each searched word.
    select c.run_id, c.ordinal, c.words || ''::tsvector as words
    from gate.matching_chunks(scope, rare) as found
    join chunks c on c.run_id = found.run_id and c.ordinal = found.ordinal
    where c.namespace_id = any(scope) and c.is_current
  ), heavy as materialized (
    -- A heading or a greeting says little.
    select m.*, least(1, 0.5 + length(m.words) / 20.0) * (
      select coalesce(sum(w.weight), 0) from unnest(queries, weights) as w (query, weight)
      where m.words @@ w.query
    ) as weight
    from matched m order by weight desc, run_id, ordinal limit 100
  ), measured as materialized (
    select run_id, ordinal, weight, ts_rank_cd(heavy.words, all_words, 1)::float as nearness from heavy
  ), ranked as (
    select run_id, ordinal, weight,
      row_number() over (order by weight * (1 + least(nearness, 1)) desc, run_id, ordinal) as by_weight,
      row_number() over (order by nearness desc, run_id, ordinal) as by_nearness
    from measured
  ), best as (
    select run_id, ordinal,
      (1.0 / (60 + by_weight) + 0.5 / (60 + by_nearness)) * (0.05 + 0.95 * weight / whole) as score
    from ranked
    order by score desc, run_id, ordinal limit most
  )
  select 'chunk', c.text, n.name, s.id, s.title, c.place, best.score
  from best
  join chunks c on c.run_id = best.run_id and c.ordinal = best.ordinal
  join namespaces n on n.id = c.namespace_id
  join sources s on s.id = c.source_id
$$;

-- Answers one question with facts and chunks, up to a number of each, unordered. Chunks come only from the `quotable`
-- namespaces; confidential ones return only facts. If the search times out after the facts, a row of kind `partial`
-- replaces the chunks.
create function search_knowledge(scope text[], quotable text[], asked text, entity_keys text[], most integer)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language plpgsql stable set search_path = public, pg_temp as $$
declare
  sought record;
  bounded constant integer := least(greatest(most, 0), 200);
begin
  select
    -- Frequent words find too many chunks; they still count in the chunks that rarer words find.
    any_of(array_agg(w.word) filter (where w.running <= 1000 or w.rank = 1)) as rare,
    any_of(array_agg(w.word)) as all_words,
    array_agg(any_of(array[w.word])) as queries,
    array_agg(w.weight) as weights,
    -- More than the sum of the words, so that common words alone do not reach a full score.
    0.5 + coalesce(sum(w.of_all) filter (where w.of_lexeme = 1), 0) as whole
  into sought
  from (
    select weighed.word, weighed.weight, weighed.of_all,
      sum(weighed.frequency) over (order by weighed.frequency, weighed.word) as running,
      row_number() over (order by weighed.frequency, weighed.word) as rank,
      row_number() over (partition by weighed.lexeme order by weighed.weight desc) as of_lexeme
    from weigh_words(scope, asked) as weighed
  ) as w;

  return query select * from search_facts(
    scope, entity_keys, sought.rare, sought.queries, sought.weights, sought.whole, bounded
  );
  begin
    return query select * from search_chunks(
      quotable, sought.rare, sought.queries, sought.weights, sought.all_words, sought.whole, bounded
    );
  exception when query_canceled then
    kind := 'partial';
    return next;
  end;
end
$$;

create function search_knowledge(scope text[], asked text, entity_keys text[], most integer)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable set search_path = public, pg_temp as $$
  select * from search_knowledge(scope, scope, asked, entity_keys, most)
$$;

-- Finds evidence by source and hash. Quotes come only from the `quotable` namespaces.
create function find_evidence(
  scope text[], quotable text[], kinds text[], source_ids text[], hashes text[]
)
returns table (
  place_in_list integer, kind text, text text, quote text, namespace text, source_id text, title text, place json
)
language sql stable set search_path = public, pg_temp as $$
  with named as materialized (
    select named.* from unnest(kinds, source_ids, hashes)
      with ordinality as named (kind, source_id, hash, place_in_list)
  )
  select distinct on (found.place_in_list) found.place_in_list::integer, found.kind, found.text, found.quote, n.name,
    s.id, s.title, found.place
  from (
    select named.place_in_list, named.kind, c.text, null as quote, c.namespace_id, c.source_id, c.place::text::json as place
    from named join chunks c on c.source_id = named.source_id
    where named.kind = 'chunk' and c.is_current and c.namespace_id = any(quotable)
      and encode(sha256(convert_to(c.text, 'UTF8')), 'hex') = named.hash
    union all
    select named.place_in_list, named.kind, f.statement,
      case when f.namespace_id = any(quotable) and not f.is_confided then f.evidence -> 0 ->> 'quote' end,
      f.namespace_id, f.source_id, coalesce(f.evidence -> 0 -> 'place', '{}')
    from named join facts f on f.source_id = named.source_id
    where named.kind = 'fact' and f.state = 'active' and f.superseded_at is null and f.namespace_id = any(scope)
      and encode(sha256(convert_to(f.statement, 'UTF8')), 'hex') = named.hash
  ) as found
  join namespaces n on n.id = found.namespace_id
  join sources s on s.id = found.source_id
  order by found.place_in_list
$$;

-- The corrected quotes of these sources, with the correcting fact if it is active, and the corrections that a question
-- asks for. A quote counts only if a searched chunk contains it.
create function gate.corrected(scope text[], asked text, source_ids text[])
returns table (fact_id text, source_id text, quote text, is_asked boolean)
language plpgsql stable security definer rows 10 set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  -- No row policy applies here, so limit the scope to the member's namespaces.
  if session_user = 'parley_member' then
    scope := array(select unnest(scope) intersect select unnest(gate.reach()));
  end if;
  return query with recursive corrected as (
    -- The facts that a correction replaced; if one was a correction itself, also the facts that it replaced.
    select case when c.superseded_at is null then c.id end as fact_id, old.id, old.patch_id, old.is_confided
    from facts c join facts old on old.superseded_by_patch = c.patch_id
    -- A correction is active from its approval until it is reverted.
    where c.namespace_id = any(scope) and c.is_confided and c.state = 'active'
    union
    select corrected.fact_id, old.id, old.patch_id, old.is_confided
    from corrected join facts old on old.superseded_by_patch = corrected.patch_id
    where corrected.is_confided
  ), wrong as materialized (
    select corrected.fact_id, said.subject, said.words, said.source_id, said.evidence
    from corrected join facts old on old.id = corrected.id
    cross join lateral (
      select old.subject, old.words, old.source_id, old.evidence
      union all
      select f.subject, f.words, f.source_id, f.evidence from facts f
      where f.namespace_id = old.namespace_id and f.subject_key = old.subject_key
        and f.predicate = old.predicate and f.object_key = old.object_key and f.state <> 'active'
    ) as said
  ), names as materialized (
    select tsvector_to_array(words_of(string_agg(
      concat_ws(' ', r.display_name, r.creator_name, array_to_string(r.former_names, ' ')), ' '
    ))) as words
    from reflections r where r.id in (select n.reflection_id from namespaces n where n.id = any(scope))
  )
  select w.fact_id, w.source_id, said ->> 'quote', false
  from wrong w cross join lateral json_array_elements(w.evidence) as said
  where w.source_id = any(source_ids) and exists (
    select from chunks c
    where c.source_id = w.source_id and c.is_current and c.namespace_id = any(scope)
      and c.ordinal = (said ->> 'chunk')::integer and strpos(c.text, said ->> 'quote') > 0
  )
  union
  select w.fact_id, null, null, true
  from wrong w join facts c on c.id = w.fact_id cross join lateral (
    select count(*) as telling, count(*) filter (
      where word = any(tsvector_to_array(w.words) || tsvector_to_array(c.words))
    ) as shared
    from unnest(tsvector_to_array(words_of(left(asked, 2000)))) as word
    -- Every fact about a person contains their name.
    where word <> all(tsvector_to_array(words_of(w.subject)) || (select words from names))
  ) as counted
  where counted.shared * 2 > counted.telling;
end
$$;

-- Corrections in the form of search results. The text is null if another fact has replaced the correction.
create function corrections_to(scope text[], asked text, source_ids text[])
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable set search_path = public, pg_temp as $$
  select 'correction', f.statement, n.name, s.id, s.title, json_build_object(
      'place', coalesce(f.evidence -> 0 -> 'place', '{}'), 'subject', f.subject, 'predicate', f.predicate,
      'correctedSource', found.source_id, 'quote', found.quote, 'isAsked', found.is_asked
    ), 0::double precision
  from gate.corrected(scope, asked, source_ids) as found
  left join (facts f join namespaces n on n.id = f.namespace_id join sources s on s.id = f.source_id)
    on f.id = found.fact_id
$$;

-- The same for the public. The input is limited here, where callers cannot bypass it.
create function gate.search(query text, entity_keys text[], most integer)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from public.search_knowledge((select gate.scope()), left(query, 2000), entity_keys[1:64], most)
$$;

create function gate.cite(kinds text[], source_ids text[], hashes text[])
returns table (
  place_in_list integer, kind text, text text, quote text, namespace text, source_id text, title text, place json
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from public.find_evidence(
    (select gate.scope()), (select gate.scope()), kinds[1:500], source_ids[1:500], hashes[1:500]
  )
$$;

create function gate.corrections(asked text, source_ids text[])
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from public.corrections_to((select gate.scope()), left(asked, 2000), source_ids[1:500])
$$;


-- 11  Local voice provider. It acts as an external vendor: its login sees nothing else.

-- Agents, versions, tools, secrets, webhooks, settings, tests and test runs, each in the form of the API.
create table provider.documents (
  kind text not null,
  id text collate "C" not null,
  -- Deleted together with its parent.
  parent_id text collate "C",
  body json not null,
  -- Its secrets, encrypted with a key that is not in the database.
  sealed bytea,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  primary key (kind, id)
);
create index on provider.documents (kind, created_at desc, id desc);
create index on provider.documents (parent_id) where parent_id is not null;

create table provider.conversations (
  id text collate "C" primary key,
  agent_id text not null,
  user_id text,
  status text not null check (status in ('initiated', 'in-progress', 'processing', 'done', 'failed')),
  body json not null,
  -- A person's later rating. Separate, since the body is rewritten often.
  feedback json,
  audio bytea,
  -- The lock key of the process that runs it; null once it has ended.
  holder bigint,
  started_at timestamptz(3) not null default clock_timestamp()
);
create index on provider.conversations (started_at desc, id desc);
create index on provider.conversations (holder) where holder is not null;

create table provider.signed_urls (
  signature_hash bytea primary key,
  agent_id text not null,
  -- If set, the URL is good for one connection.
  conversation_id text,
  body json not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index on provider.signed_urls (expires_at);

-- Pending webhook deliveries.
create table provider.deliveries (
  id bigint generated always as identity primary key,
  webhook_id text not null,
  conversation_id text not null,
  body text not null,
  attempts integer not null default 0,
  next_at timestamptz(3) not null default clock_timestamp()
);
create index on provider.deliveries (next_at);


-- 12  Health

-- Counts and times, by minute. Each process writes its own rows with its totals so far, so nothing counts twice.
create table health_samples (
  at timestamptz(0) not null,
  what text not null check (what in ('request', 'turn', 'session', 'cost', 'retrieval', 'model')),
  label text not null check (length(label) <= 300),
  instance text not null,
  count bigint not null,
  sum double precision not null,
  -- Counts by upper bound, as the program defines the bounds; null for untimed samples.
  spread bigint[],
  primary key (at, what, label, instance)
);

-- Failed turns, without any message text.
create table health_failures (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null,
  session_id text collate "C" not null references agent_sessions on delete cascade,
  code text not null
);
create index on health_failures (at);
create index on health_failures (session_id);

create table health_processes (
  instance text primary key,
  kind text not null check (kind in ('api', 'worker')),
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null default now()
);

-- The last result of each provider, from any process.
create table health_providers (
  name text primary key,
  worked_at timestamptz(3),
  failed_at timestamptz(3),
  failing_since timestamptz(3),
  code text,
  problem text,
  cools_until timestamptz(3)
);

-- Failed jobs that a person retried.
create table health_retries (
  job_id uuid primary key,
  at timestamptz(3) not null default now()
);


-- 13  Repeated requests

-- Requests with an idempotency key, for a day. A repeated request gets the stored response.
create table idempotent_requests (
  -- A hash of the caller, the endpoint and the key, which is not stored itself.
  id bytea primary key check (octet_length(id) = 32),
  body_hash bytea not null check (octet_length(body_hash) = 32),
  -- Rises with each attempt; an earlier one can no longer commit anything.
  attempt integer not null default 1,
  -- After this time an attempt without a response was interrupted.
  running_until timestamptz(3) not null,
  -- Set by the first transaction of the attempt that writes: from then on nothing is carried out again.
  has_written boolean not null default false,
  expires_at timestamptz(3) not null,
  -- Encrypted, since it may hold a secret that is shown once.
  response bytea
);
create index on idempotent_requests (expires_at);


-- 14  Grants

-- parley_gate owns the functions that see everything, parley_reader those that read for the public. To own a function
-- a role needs the create right in its schema, for this moment only.
grant create on schema gate to parley_gate, parley_reader;
alter function gate.scope() owner to parley_gate;
alter function gate.reaching_member() owner to parley_gate;
alter function gate.reach() owner to parley_gate;
alter function gate.reaching_person() owner to parley_gate;
alter function gate.promoted() owner to parley_gate;
alter function gate.withheld(text[]) owner to parley_gate;
alter function gate.is_withheld(text, text) owner to parley_gate;
alter function gate.matching_chunks(text[], tsquery) owner to parley_gate;
alter function gate.matching_facts(text[], tsquery) owner to parley_gate;
alter function gate.corrected(text[], text, text[]) owner to parley_gate;
alter function gate.search(text, text[], integer) owner to parley_reader;
alter function gate.cite(text[], text[], text[]) owner to parley_reader;
alter function gate.corrections(text, text[]) owner to parley_reader;
revoke create on schema gate from parley_gate, parley_reader;

grant usage on schema public to parley_serving, parley_learning, parley_member, parley_gate, parley_reader;
grant usage on schema gate
  to parley_serving, parley_learning, parley_public, parley_member, parley_gate, parley_reader;
grant usage on schema extensions to parley_serving, parley_member, parley_reader;
grant execute on all functions in schema extensions to parley_serving, parley_member, parley_reader;

-- parley_serving: the server. Settings fixed at a session's start, and times in the audit log, cannot be changed.
grant select, insert on people, person_settings, tokens, sign_ins, known_subjects,
  agent_sessions, session_messages, session_events, session_openings, media, session_media, presences,
  reflections, reflection_members, namespaces, originals, intake, public_scopes, retrieval_traces,
  runtime_syncs, server_agents, share_links, reflection_sessions, earlier_calls, held_calls, provider_events,
  health_samples, health_failures, health_processes, health_providers, health_retries, idempotent_requests
  to parley_serving;
grant select on audit_log, sources, ingest_runs, chunks, terms, patches, facts, knowledge_revision,
  voice_artifacts, artifact_ledger, voice_runtime
  to parley_serving;
grant insert (reflection_id, who, what, target) on audit_log to parley_serving;
grant update on health_samples, health_processes, health_providers to parley_serving;
grant update (body_hash, attempt, running_until, has_written, expires_at, response) on idempotent_requests to parley_serving;
grant update (tour) on person_settings to parley_serving;
grant update (revoked_at) on tokens to parley_serving;
grant update (token_id) on known_subjects to parley_serving;
grant update (
  status, title, updated_at, message_count, turn_count, event_last, event_reserved,
  lease_epoch, lease_holder, lease_turn_id, lease_from_sequence, turn_event, turn_waits, cancel_asked, costs, grants
) on agent_sessions to parley_serving;
grant update (
  display_name, creator_name, approval, publish_revision, removed_at, voice, share_ingestion, former_names,
  conversation_approval
) on reflections to parley_serving;
grant update (role, namespace_ids, capability_hash) on reflection_members to parley_serving;
grant update (is_published) on namespaces to parley_serving;
grant update (capability_hash, is_live) on public_scopes to parley_serving;
grant update (agent_id, state, fingerprint, provider_defaults, revocations) on runtime_syncs to parley_serving;
grant update (agent_id, provider_defaults) on server_agents to parley_serving;
grant update (uses, revoked_at) on share_links to parley_serving;
grant update (
  status, failure, agent_id, provider_conversation_id, transcript, ended_at, surface, reconnects,
  is_use_returned, is_outdated
) on reflection_sessions to parley_serving;
grant update (given_up_at) on earlier_calls to parley_serving;
grant delete on sign_ins, presences, reflection_members, public_scopes, runtime_syncs, earlier_calls, held_calls,
  health_samples, health_failures, health_processes, health_providers, health_retries, idempotent_requests
  to parley_serving;
grant execute on function remove_session(text), erase_sessions_of(text) to parley_serving;

-- parley_learning: background jobs. Facts begin as candidates, and only functions place and retire chunks.
grant select on agent_sessions, session_messages, session_events, session_openings, media, session_media,
  reflections, namespaces, originals, intake, sources, ingest_runs, ingest_texts, chunks, terms, patches, facts,
  runtime_syncs, share_links, reflection_sessions,
  voice_builds, voice_confirmed, voice_artifacts, artifact_ledger, voice_runtime,
  health_samples, health_processes, health_providers
  to parley_learning;
-- Shows which namespaces a person's corrections may change.
grant select (reflection_id, person_id, namespace_ids) on reflection_members to parley_learning;
grant insert on sources, ingest_runs, ingest_texts, patches,
  voice_builds, voice_confirmed, voice_artifacts, artifact_ledger, voice_runtime,
  health_samples, health_processes, health_providers
  to parley_learning;
grant insert (run_id, ordinal, reflection_id, namespace_id, source_id, text, place) on chunks to parley_learning;
grant insert (
  id, reflection_id, namespace_id, patch_id, source_id, ordinal, subject, subject_key, predicate, object, object_key,
  statement, confidence, evidence, valid_from, valid_to, is_confided
) on facts to parley_learning;
grant update on health_samples, health_processes, health_providers to parley_learning;
grant update (namespace_id, title, current_run_id) on sources to parley_learning;
grant update (
  epoch, intake_id, namespace_id, title, done, phase, phase_done, phase_total, outcome, problem,
  text_media_type, text_title, evaluation, ended_at, duplicate_of
) on ingest_runs to parley_learning;
grant update (status, evaluation, decided_by, decided_at, run_id, revision) on patches to parley_learning;
grant update (state, valid_to, supersedes_fact_id, superseded_at, superseded_by_patch, repeats_fact_id) on facts
  to parley_learning;
grant update (generation) on voice_builds, voice_confirmed to parley_learning;
grant update (generation, promoted_at) on voice_runtime to parley_learning;
grant delete on ingest_texts, chunks, health_processes to parley_learning;
grant usage on sequence knowledge_revisions to parley_learning;
grant execute on function said_at(timestamptz), discard_patch(text), retire_chunks(text), place_chunks(text),
  erase_source(text), erase_reflection(text)
  to parley_learning;

-- parley_gate: reads without row policies, only the columns that its functions need.
grant select on reflections, reflection_members, namespaces, public_scopes, withheld_sources, voice_runtime,
  voice_artifacts
  to parley_gate;
grant select (run_id, ordinal, namespace_id, source_id, text, is_current, words) on chunks to parley_gate;
grant select (
  id, namespace_id, patch_id, source_id, subject, subject_key, predicate, object_key, evidence, state, superseded_at,
  superseded_by_patch, words, is_confided
) on facts to parley_gate;

-- parley_reader and parley_member: read under row policies, write nothing.
grant select on namespaces, sources, chunks, terms, facts to parley_reader, parley_member;
grant select on patches, ingest_runs, intake, originals to parley_member;
grant select (id, removed_at) on reflections to parley_member;

-- parley_public: no table, only these functions.
grant execute on function gate.search(text, text[], integer), gate.cite(text[], text[], text[]),
  gate.corrections(text, text[])
  to parley_public;

-- parley_provider: its own schema alone.
grant usage on schema provider to parley_provider;
grant select, insert, update, delete on all tables in schema provider to parley_provider;

-- Search and its parts.
grant execute on function words_of(text)
  to parley_serving, parley_learning, parley_member, parley_gate, parley_reader;
grant execute on function any_of(text[]), weigh_words(text[], text),
  search_facts(text[], text[], tsquery, tsquery[], double precision[], double precision, integer),
  search_chunks(text[], tsquery, tsquery[], double precision[], tsquery, double precision, integer),
  search_knowledge(text[], text[], text, text[], integer),
  find_evidence(text[], text[], text[], text[], text[]), corrections_to(text[], text, text[]),
  gate.matching_chunks(text[], tsquery), gate.matching_facts(text[], tsquery),
  gate.corrected(text[], text, text[])
  to parley_serving, parley_member, parley_reader;
grant execute on function search_knowledge(text[], text, text[], integer) to parley_serving, parley_reader;
grant execute on function gate.scope() to parley_reader;
grant execute on function gate.reach(), gate.reaching_person(), gate.promoted() to parley_member;
grant execute on function gate.withheld(text[]) to parley_serving, parley_learning, parley_member, parley_reader;
grant execute on function gate.is_withheld(text, text) to parley_serving, parley_member;
grant execute on function told_to(text, json) to parley_serving, parley_learning;


-- 15  Row policies

-- The server and the jobs see every row. The public and limited members see the rows that the policies below allow.
do $$
declare
  guarded text;
begin
  foreach guarded in array array[
    'namespaces', 'sources', 'chunks', 'terms', 'facts', 'ingest_runs', 'intake', 'originals', 'patches'
  ] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format('create policy house on %I to current_user, parley_serving, parley_learning%s using (true)',
      guarded, case when guarded in ('namespaces', 'sources', 'chunks', 'terms', 'facts') then ', parley_gate' end);
  end loop;
end
$$;

-- The public, by the capability of its session. Withheld sources have no current chunks.
create policy published on namespaces for select to parley_reader using (id = any((select gate.scope())::text[]));
create policy published on terms for select to parley_reader
  using (namespace_id = any((select gate.scope())::text[]));
create policy published on chunks for select to parley_reader
  using (namespace_id = any((select gate.scope())::text[]) and is_current);
create policy published on sources for select to parley_reader using (
  namespace_id = any((select gate.scope())::text[])
  and (id, namespace_id) not in (select * from gate.withheld((select gate.scope())))
);
create policy published on facts for select to parley_reader using (
  namespace_id = any((select gate.scope())::text[])
  and (source_id, namespace_id) not in (select * from gate.withheld((select gate.scope())))
);

-- Limited members. The withheld sources are read once a statement, not once a row.
create policy reached on namespaces for select to parley_member using (id = any((select gate.reach())::text[]));
create policy reached on terms for select to parley_member
  using (namespace_id = any((select gate.reach())::text[]));
create policy reached on chunks for select to parley_member
  using (namespace_id = any((select gate.reach())::text[]) and is_current);
create policy reached on sources for select to parley_member using (
  namespace_id = any((select gate.reach())::text[])
  and (id, namespace_id) not in (select * from gate.withheld((select gate.reach())))
);
create policy reached on facts for select to parley_member using (
  namespace_id = any((select gate.reach())::text[])
  and (source_id, namespace_id) not in (select * from gate.withheld((select gate.reach())))
);
create policy reached on ingest_runs for select to parley_member
  using (namespace_id = any((select gate.reach())::text[]));
-- Requests for sources, and the member's own corrections.
create policy reached on intake for select to parley_member using (
  namespace_id = any((select gate.reach())::text[])
  and (source_id, namespace_id) not in (select * from gate.withheld((select gate.reach())))
  or kind = 'correction' and requested_by = (select gate.reaching_person())
);
create policy reached on originals for select to parley_member using (exists (
  select from intake i where i.reflection_id = originals.reflection_id and i.sha256 = originals.sha256
));
create policy reached on patches for select to parley_member using (
  exists (select from facts f where f.patch_id = patches.id)
  or exists (
    select from intake i where i.kind = 'correction' and i.reflection_id = patches.reflection_id
      and i.payload ->> 'patchId' = patches.id
  )
);

-- Facts stay until the jobs run. Full members do not see them either: a result needs its source, which is hidden.
create policy withheld on sources as restrictive for select to parley_serving
  using (not gate.is_withheld(id, namespace_id));
