-- Control: what serving writes of how a reflection speaks.

alter table reflections
  add column voice json,
  add column share_ingestion boolean not null default false,
  -- What its person was called by before: facts still tell of them so, and it is as private as the name that they have.
  add column former_names text[] not null default '{}';
grant update (voice, share_ingestion, former_names) on reflections to parley_serving;

-- What the provider's agent of each surface was last made from.
create table runtime_syncs (
  reflection_id text collate "C" not null references reflections,
  surface text not null check (surface in ('standard', 'memory', 'public')),
  agent_id text not null,
  -- None while it is stale: nothing that was synced counts any more.
  state json,
  -- Of all that it was made from besides artifacts.
  fingerprint text,
  -- What the provider filled in when it was made, by its own paths.
  made json,
  -- How often something that it may hold was taken back, and it was not overwritten since.
  taken_back integer not null default 0 check (taken_back >= 0),
  primary key (reflection_id, surface)
);
create index on runtime_syncs (reflection_id) where taken_back > 0;

-- Agents at the provider that are nobody's: who interviews, and who takes its persona from variables.
create table server_agents (
  kind text primary key check (kind in ('interviewer', 'generic')),
  agent_id text not null,
  -- What the provider filled in when it was made, by its own paths.
  made json
);

create table share_links (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- None: all that is published.
  namespace_ids text[],
  max_uses integer check (max_uses > 0),
  uses integer not null default 0 check (uses >= 0 and (max_uses is null or uses <= max_uses)),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_by text not null,
  created_at timestamptz(3) not null default now()
);
create index on share_links (reflection_id, created_at, id);

-- A session with a reflection, spoken or typed: what was settled at its start, and what became of its call.
create table reflection_sessions (
  session_id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  -- A visitor is somebody for this one session.
  person_id text not null,
  share_link_id text collate "C" references share_links,
  -- What the visitor comes with.
  visitor_token_hash bytea unique check (octet_length(visitor_token_hash) = 32),
  channel text not null check (channel in ('text', 'voice')),
  mode text not null check (mode in ('interview', 'reflection', 'share')),
  audience text not null check (audience in ('private', 'public')),
  surface text not null check (surface in ('standard', 'memory', 'public')),
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer', 'guest')),
  ingestion text not null check (ingestion in ('ingest', 'keep-only', 'off-record')),
  -- The exact allowlist of retrieval, by name.
  namespaces text[] not null,
  status text not null check (status in ('starting', 'active', 'failed', 'ended')),
  failure text,
  agent_id text,
  provider_conversation_id text unique,
  -- Since when it is bound to that.
  bound_at timestamptz(3),
  -- Of a call: whether what was said has come.
  transcript text not null default 'none' check (transcript in ('none', 'pending', 'stored')),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check ((audience = 'public') = (surface = 'public')),
  check (visitor_token_hash is null or (share_link_id is not null and role = 'guest')),
  check (mode <> 'interview' or audience = 'private'),
  check (status <> 'active' or channel = 'text' or provider_conversation_id is not null)
);
create index on reflection_sessions (reflection_id, created_at);
create index on reflection_sessions (person_id, reflection_id, created_at);
create index on reflection_sessions (share_link_id, created_at) where share_link_id is not null;
create index on reflection_sessions (created_at) where transcript = 'pending';
create index on reflection_sessions (created_at) where status = 'starting';

-- Calls that a session was bound to before another took their place, while nothing was heard of them.
create table earlier_calls (
  provider_conversation_id text primary key,
  session_id text collate "C" not null references reflection_sessions on delete cascade,
  bound_until timestamptz(3) not null default now()
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

-- What a provider told us of a call, once, however often it tells it.
create table provider_events (
  event_key text primary key,
  received_at timestamptz(3) not null default now()
);

grant select, insert on runtime_syncs, server_agents, share_links, reflection_sessions, provider_events
  to parley_serving;
grant update (agent_id, made) on server_agents to parley_serving;
grant update (agent_id, state, fingerprint, made, taken_back) on runtime_syncs to parley_serving;
grant delete on runtime_syncs to parley_serving;
grant select, insert, delete on earlier_calls to parley_serving;
grant update (uses, revoked_at) on share_links to parley_serving;
grant update (status, failure, agent_id, provider_conversation_id, transcript, ended_at) on reflection_sessions
  to parley_serving;
grant select on runtime_syncs, share_links, reflection_sessions to parley_learning;

-- Knowledge: what speaks for a reflection, written by background jobs alone.

-- The last number that was given out. A build has its number before it looks at what is known, so that who has the
-- higher one knows no less, whichever is done first.
create table voice_builds (
  reflection_id text collate "C" primary key references reflections,
  generation integer not null check (generation > 0)
);

create table voice_artifacts (
  reflection_id text collate "C" not null references reflections,
  generation integer not null check (generation > 0),
  -- By name, when the build began.
  published_namespaces text[] not null,
  -- None where a source of it was removed: then only the hash is left.
  payload json,
  payload_hash text not null,
  primary key (reflection_id, generation)
);

-- Each entry bears the hash of the one before it. It outlives its reflection, and holds nothing that was learned.
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

-- What serves now: capsule, narrative, dossiers and packs of one generation, which are nowhere else.
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

-- Whoever promotes: only what was judged without a reason against it, and is above all that ever served.
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
    raise exception 'generation % is not above all that served', new.generation using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger only_approved before insert or update on voice_runtime
  for each row execute function refuse_unapproved();
alter table voice_runtime enable always trigger only_approved;

-- A payload stays what it is until it is erased, which the ledger says first.
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
    raise exception '% goes with its reflection', tg_table_name using errcode = 'restrict_violation';
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

-- Takes a payload out, and says so in the ledger, in the form that ledger-entry.ts hashes. Who calls it holds the
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

grant select on voice_artifacts, artifact_ledger, voice_runtime to parley_serving;
grant select, insert on voice_builds, voice_artifacts, artifact_ledger, voice_runtime to parley_learning;
grant update (generation) on voice_builds to parley_learning;
grant update (generation, promoted_at) on voice_runtime to parley_learning;

-- What was built from a source goes with it, that which serves too: the next build takes its place.
create or replace function erase_source(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  home text := (select reflection_id from intake where source_id = target limit 1);
begin
  if home is null then
    return;
  end if;
  if not exists (select from intake where source_id = target and kind = 'remove_source')
    and not exists (select from reflections where id = home and removed_at is not null) then
    raise exception 'nobody asked to remove the source %', target using errcode = 'restrict_violation';
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
      select from json_array_elements(payload -> 'evidencePack' -> 'items') as item
      where item ->> 'sourceId' = target
    );
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

-- With a reflection go the sessions with it, whatever their turns are at: who writes in one has no lease any more.
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
grant execute on function erase_sessions_of(text) to parley_serving;

-- Of the ledger the hashes stay.
create or replace function erase_reflection(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from reflections where id = target and removed_at is not null) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(target, 0));
  delete from voice_runtime where reflection_id = target;
  delete from voice_artifacts where reflection_id = target;
  delete from voice_builds where reflection_id = target;
  -- Those that were just starting when it was removed.
  perform erase_sessions_of(target);
  delete from reflection_sessions where reflection_id = target;
  delete from share_links where reflection_id = target;
  delete from runtime_syncs where reflection_id = target;
  delete from facts where reflection_id = target;
  delete from patches where reflection_id = target;
  -- Before the chunks, so that none of their words is left to count.
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
