-- Words are counted with the chunks that they stand in, whoever places, retires or deletes these.

create function count_words_in() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Two that count the words of one namespace wait for each other.
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

delete from terms;
insert into terms (reflection_id, namespace_id, word, chunks)
select reflection_id, namespace_id, word, count(*)
from chunks, unnest(tsvector_to_array(words) || ''::text) as word
where is_current
group by reflection_id, namespace_id, word;

revoke insert, delete on terms from parley_learning;
revoke update (chunks) on terms from parley_learning;

-- The namespaces that a source was in and is to be in no more: all of them once it is to go. From the moment that this is
-- asked for nothing of it is found there, however long the jobs take.
create table withheld_sources (
  namespace_id text collate "C" not null references namespaces,
  source_id text collate "C" not null,
  primary key (namespace_id, source_id)
);
create index on withheld_sources (source_id);

create or replace function retire_chunks(of_source text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update chunks set is_current = false where source_id = of_source and is_current
$$;

create or replace function place_chunks(of_run text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update chunks set is_current = true
  where run_id = of_run and not is_current and not exists (
    select from withheld_sources w where w.namespace_id = chunks.namespace_id and w.source_id = chunks.source_id
  )
$$;

-- Chunks come to be searched by these functions, or not at all.
revoke insert on chunks from parley_learning;
grant insert (run_id, ordinal, reflection_id, namespace_id, source_id, text, place) on chunks to parley_learning;
revoke update (is_current) on chunks from parley_learning;

create function withhold_source(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  wanted record;
begin
  -- Of two that ask at once, the one that comes second sees what the first one asked for.
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
  -- A job that places chunks at this moment is done then, and the next one sees what is withheld.
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

select withhold_source(source_id) from (
  select source_id from intake where kind in ('source', 'remove_source')
  group by source_id having count(distinct namespace_id) > 1 or bool_or(kind = 'remove_source')
) as moved;

create function gate.withheld(scope text[]) returns table (source_id text, namespace_id text)
language sql stable security definer rows 10 set search_path = pg_catalog, pg_temp as $$
  select w.source_id, w.namespace_id from public.withheld_sources w where w.namespace_id = any(scope)
$$;
grant select on withheld_sources to parley_gate;

-- What is withheld is current nowhere.
alter policy published on chunks using (namespace_id = any((select gate.scope())::text[]) and is_current);
alter policy published on facts using (
  namespace_id = any((select gate.scope())::text[])
  and (source_id, namespace_id) not in (select * from gate.withheld((select gate.scope())))
);
alter policy published on sources using (
  namespace_id = any((select gate.scope())::text[])
  and (id, namespace_id) not in (select * from gate.withheld((select gate.scope())))
);

-- Facts stay as they are until the jobs have looked; what members find names its source, which they do not see then.
create function gate.is_withheld(source text, namespace text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from public.withheld_sources w where w.namespace_id = namespace and w.source_id = source
  )
$$;
create policy withheld on sources as restrictive for select to parley_serving
  using (not gate.is_withheld(id, namespace_id));

-- What the public sends is bounded here, where nobody can leave that out.
create or replace function gate.search(query text, entity_keys text[], most integer)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from public.search_knowledge((select gate.scope()), left(query, 2000), entity_keys[1:64], most)
$$;

-- To own a function a role must be able to make one there; only while it is given away.
grant create on schema gate to parley_gate;
alter function gate.withheld(text[]) owner to parley_gate;
alter function gate.is_withheld(text, text) owner to parley_gate;
revoke create on schema gate from parley_gate;
revoke execute on function gate.withheld(text[]), gate.is_withheld(text, text) from public;
grant execute on function gate.withheld(text[]) to parley_reader;
grant execute on function gate.is_withheld(text, text) to parley_serving;

-- Nothing is erased unless serving asked for it.
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

create or replace function erase_reflection(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from reflections where id = target and removed_at is not null) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(target, 0));
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

-- A patch goes forward only, and what was decided of it is written with that, once.
create function keep_patch_forward() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if new.status <> old.status then
    if (old.status, new.status) not in (
      ('proposed', 'applied'), ('proposed', 'rejected'), ('applied', 'reverted')
    ) then
      raise exception 'a patch that is % does not become %', old.status, new.status
        using errcode = 'restrict_violation';
    end if;
  elsif (new.decided_by, new.decided_at) is distinct from (old.decided_by, old.decided_at) then
    raise exception 'who decided a patch is written when it is decided' using errcode = 'restrict_violation';
  end if;
  if new.run_id is distinct from old.run_id and new.run_id is not null then
    raise exception 'a patch stays with its run, or leaves it' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger forward_only before update on patches for each row execute function keep_patch_forward();
alter table patches enable always trigger forward_only;

-- A fact counts by its patch; one that was rejected comes back only as what bears out another that has ended.
create function keep_fact_forward() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if new.state <> old.state and (old.state, new.state) not in (
    ('candidate', 'active'), ('candidate', 'rejected'), ('active', 'rejected')
  ) and not (old.state = 'rejected' and new.state = 'active' and old.repeats_fact_id is not null) then
    raise exception 'a fact that is % does not become %', old.state, new.state
      using errcode = 'restrict_violation';
  end if;
  if new.superseded_at is distinct from old.superseded_at and old.superseded_at is not null
    and not (new.superseded_at is null and old.superseded_by_patch is not null and new.superseded_by_patch is null)
  then
    raise exception 'a fact that has ended comes back only with what took its place'
      using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger forward_only before update on facts for each row execute function keep_fact_forward();
alter table facts enable always trigger forward_only;

-- A fact begins as a candidate, a patch as proposed, unless there was nothing to correct.
revoke insert on facts from parley_learning;
grant insert (
  id, reflection_id, namespace_id, patch_id, source_id, ordinal, subject, subject_key, predicate, object, object_key,
  statement, confidence, evidence, valid_from, valid_to
) on facts to parley_learning;

create function refuse_decided_patch() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'a patch does not begin as %', new.status using errcode = 'restrict_violation';
end
$$;
create trigger begins_undecided before insert on patches for each row
  when (new.status not in ('proposed', 'rejected')) execute function refuse_decided_patch();
alter table patches enable always trigger begins_undecided;

-- When something was done is the database's word.
revoke insert on audit_log from parley_serving;
grant insert (reflection_id, who, what, target) on audit_log to parley_serving;

-- For which reflection a token was made; those who have nothing to do with it do not see the token.
alter table tokens add column reflection_id text collate "C";
update tokens set reflection_id = minted.reflection_id from audit_log minted
  where minted.what = 'token_minted' and minted.target = tokens.id;

-- What anybody who can log in may do by Postgres' default, and the public's login is not to: hold locks that others
-- wait for, store, end the connections of its own role, idle, measure what it cannot read.
do $$
declare
  common regprocedure;
  others text := (
    select string_agg(rolname, ', ') from pg_roles
    where rolname in ('parley_serving', 'parley_learning', 'parley_provider')
  );
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    raise notice 'Only a superuser can take common functions from all: the public’s login keeps them here.';
    return;
  end if;
  for common in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace
      and p.proname ~ '^(pg_(try_)?advisory_.*|lo_.*|loread|lowrite|pg_sleep.*|pg_logical_emit_message|pg_(terminate|cancel)_backend|pg_(relation|table|indexes|total_relation|database|tablespace)_size)$'
  loop
    execute format('revoke execute on function %s from public', common);
    execute format('grant execute on function %s to %s', common, others);
  end loop;
end
$$;
