-- Nobody logs in as these. One says what a public session may see, the other looks for it under the row policies.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['parley_gate', 'parley_reader'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin', wanted);
      exception
        when duplicate_object or unique_violation then null;
      end;
    end if;
    -- Whoever gives a function away has to be a member of the role that gets it.
    if not pg_has_role(wanted, 'set') then
      execute format('grant %I to current_user', wanted);
    end if;
  end loop;
end
$$;

create schema extensions;
create extension pg_trgm with schema extensions;
create extension unaccent with schema extensions;
grant usage on schema extensions to parley_serving, parley_reader;
grant execute on all functions in schema extensions to parley_serving, parley_reader;

-- The same word is the same with and without its accents and endings.
create text search configuration parley (copy = english);
alter text search configuration parley
  alter mapping for hword, hword_part, word with extensions.unaccent, english_stem;

-- Control: what serving writes.

create table reflections (
  id text collate "C" primary key,
  display_name text not null,
  creator_name text,
  approval text not null check (approval in ('by_rule', 'by_person')),
  publish_revision integer not null default 0,
  created_at timestamptz(3) not null default now(),
  -- Gone for everybody; a job removes what it holds, and this row last.
  removed_at timestamptz(3)
);
create index on reflections (created_at, id);

create table reflection_members (
  reflection_id text collate "C" not null references reflections,
  person_id text not null references people,
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer')),
  primary key (reflection_id, person_id)
);
create index on reflection_members (person_id);

create table namespaces (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  name text not null,
  is_published boolean not null default false check (not (is_published and name = 'conversations')),
  unique (reflection_id, name)
);

-- The same bytes are kept once for each reflection, and never shared between reflections.
create table originals (
  reflection_id text collate "C" not null references reflections,
  sha256 bytea not null check (octet_length(sha256) = 32),
  bytes bytea not null,
  primary key (reflection_id, sha256)
);
alter table originals alter column bytes set storage external;

-- What serving asks background jobs for. The last one of kind `source` says what a source is now to hold.
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

-- Who may see what without being known: of the capability only its hash is kept.
create table public_scopes (
  session_id text primary key,
  capability_hash bytea not null unique check (octet_length(capability_hash) = 32),
  reflection_id text collate "C" not null references reflections,
  namespace_ids text[] not null,
  is_live boolean not null default true,
  created_at timestamptz(3) not null default now()
);
create index on public_scopes (reflection_id);

create table retrieval_traces (
  id bigint generated always as identity primary key,
  reflection_id text collate "C" not null,
  audience text not null check (audience in ('private', 'public')),
  query text not null,
  found json not null,
  took_ms real not null,
  at timestamptz(3) not null default now()
);
create index on retrieval_traces (reflection_id, at);

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

grant select, insert on reflections, reflection_members, namespaces, originals, intake, public_scopes,
  retrieval_traces, audit_log to parley_serving;
grant update (display_name, creator_name, approval, publish_revision, removed_at) on reflections
  to parley_serving;
grant update (role), delete on reflection_members to parley_serving;
grant update (is_published) on namespaces to parley_serving;
grant update (capability_hash, is_live) on public_scopes to parley_serving;
grant select on reflections, namespaces, originals, intake to parley_learning;

-- Knowledge: what background jobs write, and serving reads.

create table sources (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  namespace_id text collate "C" not null references namespaces,
  title text not null
);
create index on sources (reflection_id);

create table ingest_runs (
  id text collate "C" primary key,
  -- Rises with every run, so that it is known which of a source's versions is the later one.
  ordinal bigint generated always as identity,
  reflection_id text collate "C" not null references reflections,
  source_id text collate "C" not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  -- What asked for it last. Who asks for the same bytes again is told that they were there already.
  intake_id bigint not null,
  namespace_id text collate "C" not null references namespaces,
  title text not null,
  -- Rises each time the run is opened; who opened it before writes no more.
  epoch integer not null default 1,
  done text[] not null default '{}',
  phase text,
  phase_done integer,
  phase_total integer,
  outcome text check (outcome in ('completed', 'eval_rejected', 'failed')),
  problem text,
  text_media_type text,
  text_title text,
  evaluation json,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  -- The source was removed: of its run only the hash is left.
  erased_at timestamptz(3),
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

create table chunks (
  run_id text collate "C" not null references ingest_runs,
  ordinal integer not null,
  reflection_id text collate "C" not null,
  namespace_id text collate "C" not null,
  source_id text collate "C" not null,
  text text not null,
  place json not null,
  -- Only these are searched.
  is_current boolean not null default false,
  words tsvector not null generated always as (to_tsvector('public.parley', text)) stored,
  primary key (run_id, ordinal)
);
create index chunks_current on chunks (namespace_id) where is_current;
create index chunks_of_source on chunks (source_id) where is_current;
create index chunks_words on chunks using gin (words) where is_current;

-- In how many of a namespace's current chunks a word stands; under the empty word, how many there are.
create table terms (
  namespace_id text collate "C" not null,
  word text collate "C" not null,
  reflection_id text collate "C" not null,
  chunks integer not null,
  primary key (namespace_id, word)
);

create table patches (
  id text collate "C" primary key,
  reflection_id text collate "C" not null references reflections,
  origin text not null check (origin in ('ingest', 'correction')),
  source_id text collate "C",
  run_id text collate "C" unique references ingest_runs,
  status text not null default 'proposed' check (status in ('proposed', 'applied', 'rejected', 'reverted')),
  -- What the rules found; absent until they have looked.
  evaluation json,
  decided_by text,
  created_at timestamptz(3) not null default now(),
  decided_at timestamptz(3)
);
create index on patches (reflection_id, created_at, id);
create index on patches (source_id);

-- Of a fact only these ever change: whether it counts, and until when it was so.
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
  -- The patch that took its place, so that reverting that one brings it back.
  superseded_by_patch text collate "C",
  created_at timestamptz(3) not null default now(),
  words tsvector not null generated always as (to_tsvector('public.parley', statement)) stored
);
create index on facts (reflection_id, created_at, id);
create index on facts (patch_id);
create index on facts (source_id);
create index on facts (superseded_by_patch) where superseded_by_patch is not null;
create index facts_by_subject on facts (namespace_id, subject_key)
  where state = 'active' and superseded_at is null;
create index facts_by_object on facts (namespace_id, object_key)
  where state = 'active' and superseded_at is null;
create index facts_words on facts using gin (words) where state = 'active' and superseded_at is null;

grant select on sources, ingest_runs, chunks, terms, patches, facts to parley_serving;
grant select, insert on sources, ingest_runs, ingest_texts, chunks, terms, patches, facts to parley_learning;
grant update (namespace_id, title) on sources to parley_learning;
grant update (
  epoch, intake_id, namespace_id, title, done, phase, phase_done, phase_total, outcome, problem,
  text_media_type, text_title, evaluation, ended_at
) on ingest_runs to parley_learning;
grant delete on ingest_texts, chunks, terms to parley_learning;
grant update (is_current) on chunks to parley_learning;
grant update (chunks) on terms to parley_learning;
grant update (status, evaluation, decided_by, decided_at) on patches to parley_learning;
grant update (state, valid_to, supersedes_fact_id, superseded_at, superseded_by_patch) on facts
  to parley_learning;

-- A moment as facts write it.
create function said_at(moment timestamptz) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select to_char(moment::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
grant execute on function said_at(timestamptz) to parley_learning;

-- A run that died while it made its patch makes it anew.
create function discard_patch(of_run text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from ingest_runs where id = of_run and outcome is null for update) then
    raise exception 'the patch of a run that has ended stays' using errcode = 'restrict_violation';
  end if;
  delete from facts using patches where patches.run_id = of_run and patch_id = patches.id;
  delete from patches where run_id = of_run;
end
$$;

-- Takes the chunks out of what is searched, and their words out of the count.
create function retire_chunks(of_source text) returns void
language sql set search_path = public, pg_temp as $$
  with retired as (
    update chunks set is_current = false where source_id = of_source and is_current
    returning namespace_id, tsvector_to_array(words) || ''::text as words
  ), gone as (
    select namespace_id, word, count(*) as times from retired, unnest(retired.words) as word
    group by namespace_id, word
  ), counted as (
    select namespace_id, word, chunks - times as left_over from terms join gone using (namespace_id, word)
  ), forgotten as (
    delete from terms using counted
    where terms.namespace_id = counted.namespace_id and terms.word = counted.word and left_over <= 0
  )
  update terms set chunks = left_over from counted
  where terms.namespace_id = counted.namespace_id and terms.word = counted.word and left_over > 0
$$;

create function place_chunks(of_run text) returns void
language sql set search_path = public, pg_temp as $$
  with placed as (
    update chunks set is_current = true where run_id = of_run and not is_current
    returning reflection_id, namespace_id, tsvector_to_array(words) || ''::text as words
  )
  insert into terms (reflection_id, namespace_id, word, chunks)
  select reflection_id, namespace_id, word, count(*) from placed, unnest(placed.words) as word
  group by reflection_id, namespace_id, word
  on conflict (namespace_id, word) do update set chunks = terms.chunks + excluded.chunks
$$;

create function erase_source(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  home text := (select reflection_id from intake where source_id = target limit 1);
begin
  if home is null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(home, 0));
  update ingest_runs set erased_at = now(), outcome = 'failed', ended_at = coalesce(ended_at, now()),
    title = '', problem = null, text_title = null, evaluation = null
    where source_id = target;
  perform retire_chunks(target);
  delete from chunks using ingest_runs
    where ingest_runs.source_id = target and chunks.run_id = ingest_runs.id;
  delete from ingest_texts using ingest_runs where ingest_runs.source_id = target and run_id = ingest_runs.id;
  update facts set supersedes_fact_id = null
    where supersedes_fact_id in (select id from facts where source_id = target);
  delete from facts where source_id = target;
  delete from patches where source_id = target;
  delete from sources where id = target;
  delete from intake where source_id = target;
  delete from originals where reflection_id = home and not exists (
    select from intake where intake.reflection_id = home and intake.sha256 = originals.sha256
  );
end
$$;

create function erase_reflection(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from reflections where id = target and removed_at is not null) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(target, 0));
  delete from facts where reflection_id = target;
  delete from patches where reflection_id = target;
  delete from chunks where reflection_id = target;
  delete from terms where reflection_id = target;
  delete from ingest_texts where reflection_id = target;
  delete from ingest_runs where reflection_id = target;
  delete from sources where reflection_id = target;
  delete from retrieval_traces where reflection_id = target;
  delete from public_scopes where reflection_id = target;
  delete from intake where reflection_id = target;
  delete from originals where reflection_id = target;
  delete from namespaces where reflection_id = target;
  delete from reflection_members where reflection_id = target;
  delete from reflections where id = target;
end
$$;
create index on chunks (reflection_id);
create index on ingest_texts (reflection_id);

grant execute on function discard_patch(text), retire_chunks(text), place_chunks(text), erase_source(text),
  erase_reflection(text) to parley_learning;
