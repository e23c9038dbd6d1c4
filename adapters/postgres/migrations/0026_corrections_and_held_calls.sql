-- What an approved correction corrects is told no more, also where the words still stand in a passage.

create index facts_of_corrections on facts (namespace_id) where is_confided;
-- Finds who said again, in vain, what was corrected.
create index facts_not_active on facts (namespace_id, subject_key, predicate, object_key) where state <> 'active';

-- Which words of these sources were corrected, and by which fact, if that still counts; and which corrections a question
-- asks for. Words count only where a passage that is searched holds them.
create function gate.corrected(scope text[], asked text, source_ids text[])
returns table (fact_id text, source_id text, quote text, is_asked boolean)
language plpgsql stable security definer rows 10 set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  -- No row policy is in the way here, so the member's reach is asked for.
  if session_user = 'parley_member' then
    scope := array(select unnest(scope) intersect select unnest(gate.reach()));
  end if;
  return query with recursive corrected as (
    -- What a correction took the place of; and where that was a correction, what it had taken the place of.
    select case when c.superseded_at is null then c.id end as fact_id, old.id, old.patch_id, old.is_confided
    from facts c join facts old on old.superseded_by_patch = c.patch_id
    -- A correction is active from when it is approved until it is reverted.
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
    -- Everything that is known of somebody has their name.
    where word <> all(tsvector_to_array(words_of(w.subject)) || (select words from names))
  ) as counted
  where counted.shared * 2 > counted.telling;
end
$$;

-- In the shape of what is found. The text is that of the correction, or null where another fact took its place since.
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
grant execute on function corrections_to(text[], text, text[]) to parley_serving, parley_reader;

create function gate.corrections(asked text, source_ids text[])
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from public.corrections_to((select gate.scope()), left(asked, 2000), source_ids[1:500])
$$;

grant select (patch_id, subject, subject_key, predicate, object_key, source_id, evidence, superseded_by_patch, is_confided)
  on facts to parley_gate;
grant select (source_id, text) on chunks to parley_gate;
grant execute on function words_of(text) to parley_gate;

-- To own a function a role must be able to make one there; only while it is given away.
grant create on schema gate to parley_gate, parley_reader;
alter function gate.corrected(text[], text, text[]) owner to parley_gate;
alter function gate.corrections(text, text[]) owner to parley_reader;
revoke create on schema gate from parley_gate, parley_reader;
revoke execute on function gate.corrected(text[], text, text[]), gate.corrections(text, text[]) from public;
grant execute on function gate.corrected(text[], text, text[]) to parley_reader, parley_serving;
grant execute on function gate.corrections(text, text[]) to parley_public;

-- Members who do not reach everything read through a login of their own, which gets its rights to the rest next.
do $$
begin
  if not exists (select from pg_roles where rolname = 'parley_member') then
    begin
      execute 'create role parley_member login';
    exception
      when duplicate_object or unique_violation then null;
    end;
  end if;
end
$$;
grant execute on function corrections_to(text[], text, text[]), gate.corrected(text[], text, text[]) to parley_member;

-- Transcripts that came before that of an earlier call of their session, until the earlier one is heard or given up.
-- They go with the session.
create table held_calls (
  provider_conversation_id text primary key,
  session_id text collate "C" not null references agent_sessions on delete cascade,
  call json not null,
  started_at timestamptz(3) not null
);
create index on held_calls (session_id);
grant select, insert, delete on held_calls to parley_serving;

alter table earlier_calls
  -- The order in which others took their place: two may do so within a millisecond.
  add column ordinal bigint generated always as identity,
  -- Nothing was heard of it in time. What comes of it later is still stored.
  add column given_up_at timestamptz(3);
grant update (given_up_at) on earlier_calls to parley_serving;
