-- The public's way in: a login that has no table, a function whose owner sees by row policies alone.

create schema gate;
grant usage on schema gate to parley_public, parley_reader, parley_serving;
grant usage on schema public to parley_gate, parley_reader;
grant select on public_scopes, namespaces, reflections to parley_gate;
grant select (run_id, ordinal, namespace_id, is_current, words) on chunks to parley_gate;
grant select on namespaces, sources, chunks, terms, facts to parley_reader;

create function gate.scope() returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(n.id), '{}')
  from public.public_scopes s
  join public.reflections r on r.id = s.reflection_id and r.removed_at is null
  join public.namespaces n on n.reflection_id = s.reflection_id and n.id = any(s.namespace_ids)
  where s.is_live and n.is_published and s.capability_hash = sha256(decode(
    -- Once it was set in a transaction of this connection, it is empty afterwards and not absent.
    case when current_setting('parley.scope', true) ~ '^[0-9a-f]{64}$'
      then current_setting('parley.scope', true) end,
    'hex'
  ))
$$;

do $$
declare
  guarded text;
begin
  foreach guarded in array array['namespaces', 'sources', 'chunks', 'terms', 'facts'] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format(
      'create policy house on %I to current_user, parley_serving, parley_learning, parley_gate using (true)',
      guarded
    );
    execute format(
      'create policy published on %I for select to parley_reader using (%I = any((select gate.scope())::text[]))',
      guarded, case guarded when 'namespaces' then 'id' else 'namespace_id' end
    );
  end loop;
end
$$;

-- Under a row policy the index of words is not used, since its operator might tell of rows that are not shown. So the
-- keys are found here, where no policy is in the way, and the rows behind them are read under the caller's own.
create function gate.matching_chunks(scope text[], sought tsquery)
returns table (run_id text, ordinal integer)
language sql stable security definer rows 500 set search_path = pg_catalog, pg_temp as $$
  select c.run_id, c.ordinal from public.chunks c
  where c.namespace_id = any(scope) and c.is_current and c.words @@ sought
  limit 3000
$$;

-- Any of these words, as they stand in a text search vector.
create function any_of(words text[]) returns tsquery
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
  from unnest(words) as word
$$;
grant execute on function any_of(text[]) to parley_serving, parley_reader;

-- One question to all that the caller may see of these namespaces. Chunks are found by the question's rarer words, facts
-- by its words and within two hops of the things it names; what each way found is fused by reciprocal rank, and what
-- holds more of the question's weight comes first. A word that stands nowhere is taken for the ones most like it.
create function search_knowledge(scope text[], asked text, entity_keys text[], most integer)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable set search_path = public, extensions, pg_temp as $$
  with lexemes as materialized (
    select lexeme collate "C" as lexeme
    from unnest(tsvector_to_array(to_tsvector('public.parley', left(asked, 2000)))) as lexeme limit 40
  ), known as materialized (
    select lexeme, lexeme as word, sum(t.chunks)::float as frequency, 1.0::float as closeness
    from lexemes join terms t on t.word = lexeme and t.namespace_id = any(scope)
    group by lexeme
  ), stated as materialized (
    -- Facts are put in words of their own, which need not stand in any chunk.
    select lexeme, lexeme as word, 1::float as frequency, 1::float as closeness
    from lexemes
    where lexeme not in (select lexeme from known) and exists (
      select from facts f
      where f.namespace_id = any(scope) and f.state = 'active' and f.superseded_at is null
        and f.words @@ any_of(array[lexeme])
    )
  ), unknown as (
    select lexeme from lexemes
    where length(lexeme) >= 4
      and lexeme not in (select lexeme from known union all select lexeme from stated)
    order by length(lexeme) desc limit 3
  ), guessed as materialized (
    select lexeme, guess.* from unknown cross join lateral (
      select t.word, sum(t.chunks)::float as frequency, similarity(t.word, lexeme)::float * 0.8 as closeness
      from terms t
      where t.namespace_id = any(scope)
        and t.word >= left(lexeme, 1) and t.word < chr(ascii(lexeme) + 1)
        and length(t.word) between length(lexeme) - 2 and length(lexeme) + 2
        and similarity(t.word, lexeme) >= 0.35
      group by t.word order by closeness desc limit 3
    ) as guess
  ), weighed as materialized (
    select lexeme, word, frequency,
      closeness * ln(1 + (greatest(held.chunks, frequency) - frequency + 0.5) / (frequency + 0.5)) as weight,
      any_of(array[word]) as query,
      sum(frequency) over (order by frequency, word) as running,
      row_number() over (order by frequency, word) as place
    from (select * from known union all select * from stated union all select * from guessed) as words,
      (select coalesce(sum(t.chunks), 0)::float as chunks from terms t
        where t.namespace_id = any(scope) and t.word = '') as held
  ), sought as materialized (
    -- Words that stand everywhere find too much to look at; they still count in what the rarer ones find.
    select any_of(array_agg(word) filter (where running <= 1000 or place = 1)) as rare,
      any_of(array_agg(word)) as all_words,
      -- More than the words weigh, so that those that tell nothing apart do not add up to an answer.
      0.5 + coalesce((select sum(best) from (select max(weight) as best from weighed group by lexeme) as per), 0)
        as weight
    from weighed
  ), matched as materialized (
    -- Joined with nothing, so that the words are unpacked once and not for each that is looked for.
    select c.run_id, c.ordinal, c.words || ''::tsvector as words
    from gate.matching_chunks(scope, (select rare from sought)) as found
    join chunks c on c.run_id = found.run_id and c.ordinal = found.ordinal
    where c.namespace_id = any(scope) and c.is_current
  ), measured as (
    select m.run_id, m.ordinal,
      (select coalesce(sum(w.weight), 0) from weighed w where m.words @@ w.query) as weight,
      ts_rank_cd(m.words, (select all_words from sought), 1)::float as nearness
    from matched m
  ), ranked_chunks as (
    select run_id, ordinal, weight,
      row_number() over (order by weight * (1 + least(nearness, 1)) desc, run_id, ordinal) as by_weight,
      row_number() over (order by nearness desc, run_id, ordinal) as by_nearness
    from measured
  ), near as materialized (
    select f.id, f.subject_key, f.object_key from facts f
    where cardinality(entity_keys) > 0 and f.namespace_id = any(scope)
      and f.state = 'active' and f.superseded_at is null
      and (f.subject_key = any(entity_keys) or f.object_key = any(entity_keys))
    limit 50
  ), reached as materialized (
    select array(select subject_key from near union select object_key from near) as keys
  ), named as (
    select id, min(hop) as hop from (
      select id, 1 as hop from near
      union all (
        select f.id, 2 from facts f
        where exists (select from near) and f.namespace_id = any(scope)
          and f.state = 'active' and f.superseded_at is null
          and (f.subject_key = any((select keys from reached)::text[])
            or f.object_key = any((select keys from reached)::text[]))
        limit 100
      )
      union all (
        select f.id, 3 from facts f
        where f.namespace_id = any(scope) and f.state = 'active' and f.superseded_at is null
          and f.words @@ (select rare from sought)
        limit 300
      )
    ) as ways
    group by id
  ), ranked_facts as (
    select id, hop, weight,
      row_number() over (order by weight desc, hop, id) as by_weight,
      row_number() over (order by hop, weight desc, id) as by_hop
    from named cross join lateral (
      select coalesce(sum(w.weight), 0) as weight from weighed w
      join facts f on f.id = named.id and f.words @@ w.query
    ) as measured
  ), fused as (
    select 'chunk' as kind, run_id, ordinal, null as fact_id,
      (1.0 / (60 + by_weight) + 0.5 / (60 + by_nearness)) * (0.05 + 0.95 * weight / (select weight from sought))
        as score
    from ranked_chunks where by_weight <= 100 or by_nearness <= 20
    union all
    select 'fact', null, null, id,
      (1.0 / (60 + by_weight) + 0.5 / (60 + by_hop))
        * (case hop when 1 then 0.2 when 2 then 0.15 else 0.05 end + 0.8 * weight / (select weight from sought))
    from ranked_facts where by_weight <= 100 or by_hop <= 20
  ), best as (
    select * from fused order by score desc, kind, run_id, ordinal, fact_id limit least(greatest(most, 0), 200)
  )
  select best.kind, coalesce(c.text, f.statement), n.name, s.id, s.title,
    coalesce(c.place, f.evidence -> 0 -> 'place', '{}'), best.score
  from best
  left join chunks c on c.run_id = best.run_id and c.ordinal = best.ordinal
  left join facts f on f.id = best.fact_id
  join namespaces n on n.id = coalesce(c.namespace_id, f.namespace_id)
  join sources s on s.id = coalesce(c.source_id, f.source_id)
  order by best.score desc, best.kind, best.run_id, best.ordinal, best.fact_id
$$;
grant execute on function search_knowledge(text[], text, text[], integer) to parley_serving, parley_reader;

create function gate.search(query text, entity_keys text[], most integer)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from public.search_knowledge((select gate.scope()), query, entity_keys, most)
$$;

-- To own a function a role must be able to make one there; only while it is given away.
grant create on schema gate to parley_gate, parley_reader;
alter function gate.scope() owner to parley_gate;
alter function gate.matching_chunks(text[], tsquery) owner to parley_gate;
alter function gate.search(text, text[], integer) owner to parley_reader;
revoke create on schema gate from parley_gate, parley_reader;
grant usage on schema gate to parley_gate;
revoke execute on function gate.scope(), gate.matching_chunks(text[], tsquery),
  gate.search(text, text[], integer) from public;
grant execute on function gate.scope() to parley_reader;
grant execute on function gate.matching_chunks(text[], tsquery) to parley_reader, parley_serving;
grant execute on function gate.search(text, text[], integer) to parley_public;
