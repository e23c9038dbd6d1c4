-- Facts first, since they are few; then chunks, for as long as there is time. What either looks at is bounded, however
-- much there is.

-- The words of a text. Where a script puts no spaces between them (Chinese, Japanese, Thai …) or joins much to each
-- (Korean), every two neighbouring characters count as one, and a Chinese character also by itself.
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
grant execute on function words_of(text) to parley_serving, parley_learning, parley_reader;

alter table chunks drop column words;
alter table chunks add column words tsvector not null generated always as (words_of(text)) stored;
create index chunks_words on chunks using gin (words) where is_current;
grant select (words) on chunks to parley_gate;
alter table facts drop column words;
alter table facts add column words tsvector not null generated always as (words_of(statement)) stored;
create index facts_words on facts using gin (words) where state = 'active' and superseded_at is null;
delete from terms;
insert into terms (reflection_id, namespace_id, word, chunks)
  select reflection_id, namespace_id, word, count(*)
  from chunks, unnest(tsvector_to_array(words) || ''::text) as word where is_current
  group by reflection_id, namespace_id, word;

-- A chunk's words stay in its row: what is not in it takes three more reads.
alter table chunks set (toast_tuple_target = 4080);

grant select (id, namespace_id, state, superseded_at, words) on facts to parley_gate;

-- Who says the same, or what cannot be true beside it, is found by its key. A narrower index beside it would be taken in
-- its place while nothing is known yet of how much is said of one subject.
drop index facts_by_subject;
create index facts_by_subject on facts (namespace_id, subject_key, predicate, object_key)
  where state = 'active' and superseded_at is null;

-- Under a row policy the index of words is not used, since its operator might tell of rows that are not shown. So the
-- keys are found here, where no policy is in the way, and the rows behind them are read under the caller's own.
create or replace function gate.matching_chunks(scope text[], sought tsquery)
returns table (run_id text, ordinal integer)
language sql stable security definer rows 500 set search_path = pg_catalog, pg_temp as $$
  select c.run_id, c.ordinal from public.chunks c
  where c.namespace_id = any(scope) and c.is_current and c.words @@ sought
  limit 1000
$$;

create function gate.matching_facts(scope text[], sought tsquery) returns table (id text)
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select f.id from public.facts f
  where f.namespace_id = any(scope) and f.state = 'active' and f.superseded_at is null and f.words @@ sought
  limit 300
$$;

-- The words of a question, how much each tells, and how much it would if it were found as it was asked. A word that
-- stands nowhere is taken for the ones most like it.
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
    -- Facts are put in words of their own, which need not stand in any chunk.
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
      -- Each word once, and not once for each namespace that it stands in: to compare is what takes time.
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
  -- Of a whole story the rarest; the others would take longer than they tell.
  order by 4 desc, 2 limit 16
$$;

-- By their words, and within two hops of the things that the question names. Fused by reciprocal rank; what holds more
-- of the question's weight comes first, and of what holds as much, what tells who somebody is.
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
      -- Whom a question speaks of comes first among its keys.
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
        -- From each thing a few, so that one that much is said of does not take the place of the others.
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

-- Found by the question's rarer words; of what holds most of its weight, those come first where its words stand near
-- each other.
create function search_chunks(
  scope text[], rare tsquery, queries tsquery[], weights double precision[], all_words tsquery,
  whole double precision, most integer
)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable set search_path = public, pg_temp as $$
  with matched as materialized (
    -- Joined with nothing, so that the words are unpacked once and not for each that is looked for.
    select c.run_id, c.ordinal, c.words || ''::tsvector as words
    from gate.matching_chunks(scope, rare) as found
    join chunks c on c.run_id = found.run_id and c.ordinal = found.ordinal
    where c.namespace_id = any(scope) and c.is_current
  ), heavy as materialized (
    -- A few words by themselves, as a heading or a greeting, tell little.
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

-- One question to all that the caller may see of these namespaces: so many facts and so many chunks at most, in no
-- order. When the statement's time is up after the facts, a row of kind `partial` stands in place of the chunks.
create or replace function search_knowledge(scope text[], asked text, entity_keys text[], most integer)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language plpgsql stable set search_path = public, pg_temp as $$
declare
  sought record;
  bounded constant integer := least(greatest(most, 0), 200);
begin
  select
    -- Words that stand everywhere find too much to look at; they still count in what the rarer ones find.
    any_of(array_agg(w.word) filter (where w.running <= 1000 or w.rank = 1)) as rare,
    any_of(array_agg(w.word)) as all_words,
    array_agg(any_of(array[w.word])) as queries,
    array_agg(w.weight) as weights,
    -- More than the words weigh, so that those that tell nothing apart do not add up to an answer.
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
      scope, sought.rare, sought.queries, sought.weights, sought.all_words, sought.whole, bounded
    );
  exception when query_canceled then
    kind := 'partial';
    return next;
  end;
end
$$;
grant execute on function weigh_words(text[], text),
  search_facts(text[], text[], tsquery, tsquery[], double precision[], double precision, integer),
  search_chunks(text[], tsquery, tsquery[], double precision[], tsquery, double precision, integer)
  to parley_serving, parley_reader;

-- To own a function a role must be able to make one there; only while it is given away.
grant create on schema gate to parley_gate;
alter function gate.matching_facts(text[], tsquery) owner to parley_gate;
revoke create on schema gate from parley_gate;
revoke execute on function gate.matching_facts(text[], tsquery) from public;
grant execute on function gate.matching_facts(text[], tsquery) to parley_reader, parley_serving;
