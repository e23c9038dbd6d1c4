-- What an approved correction corrects is told no more, also where the words still stand in a passage.

create index facts_of_corrections on facts (namespace_id) where is_confided;
-- Finds who said again, in vain, what was corrected.
create index facts_not_active on facts (namespace_id, subject_key, predicate, object_key) where state <> 'active';

-- Which words of these sources were corrected, and by which fact, if that is active; and which corrections a question
-- asks for. Words count only where a passage that is searched holds them.
create function gate.corrected(scope text[], asked text, source_ids text[])
returns table (fact_id text, source_id text, quote text, is_asked boolean)
language sql stable security definer rows 10 set search_path = public, pg_temp as $$
  with recursive corrections as materialized (
    select c.patch_id, case when c.state = 'active' and c.superseded_at is null then c.id end as fact_id
    from facts c join patches p on p.id = c.patch_id
    where c.namespace_id = any(scope) and c.is_confided and p.origin = 'correction' and p.status = 'applied'
  ), corrected as (
    -- What a correction took the place of; and where that was a correction, what it had taken the place of.
    select c.fact_id, old.id, old.patch_id, old.is_confided
    from corrections c join facts old on old.superseded_by_patch = c.patch_id
    union
    select corrected.fact_id, old.id, old.patch_id, old.is_confided
    from corrected join facts old on old.superseded_by_patch = corrected.patch_id
    where corrected.is_confided
  ), wrong as materialized (
    select corrected.fact_id, said.subject, said.words, said.source_id, said.evidence, said.patch_id
    from corrected join facts old on old.id = corrected.id
    cross join lateral (
      select old.subject, old.words, old.source_id, old.evidence, old.patch_id
      union all
      select f.subject, f.words, f.source_id, f.evidence, f.patch_id from facts f
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
  from wrong w join patches p on p.id = w.patch_id cross join lateral json_array_elements(w.evidence) as said
  where w.source_id = any(source_ids) and exists (
    select from chunks c
    where c.run_id = p.run_id and c.ordinal = (said ->> 'chunk')::integer and c.is_current
      and c.namespace_id = any(scope)
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
  where counted.shared * 2 > counted.telling
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
grant select (id, origin, status, run_id) on patches to parley_gate;
grant execute on function words_of(text) to parley_gate;

-- To own a function a role must be able to make one there; only while it is given away.
grant create on schema gate to parley_gate, parley_reader;
alter function gate.corrected(text[], text, text[]) owner to parley_gate;
alter function gate.corrections(text, text[]) owner to parley_reader;
revoke create on schema gate from parley_gate, parley_reader;
revoke execute on function gate.corrected(text[], text, text[]), gate.corrections(text, text[]) from public;
grant execute on function gate.corrected(text[], text, text[]) to parley_reader, parley_serving;
grant execute on function gate.corrections(text, text[]) to parley_public;
