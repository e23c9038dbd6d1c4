-- What people said in confidence is learned from, and not quoted: of some namespaces only facts are found. `quotable` are
-- those of the scope whose chunks are searched too.
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
      quotable, sought.rare, sought.queries, sought.weights, sought.all_words, sought.whole, bounded
    );
  exception when query_canceled then
    kind := 'partial';
    return next;
  end;
end
$$;
grant execute on function search_knowledge(text[], text[], text, text[], integer) to parley_serving, parley_reader;

create or replace function search_knowledge(scope text[], asked text, entity_keys text[], most integer)
returns table (
  kind text, text text, namespace text, source_id text, title text, place json, score double precision
)
language sql stable set search_path = public, pg_temp as $$
  select * from search_knowledge(scope, scope, asked, entity_keys, most)
$$;

-- Whether facts of conversations wait for a person, or become active by rule: the owner says.
alter table reflections add column conversation_approval text not null default 'by_person'
  check (conversation_approval in ('by_rule', 'by_person'));
grant update (conversation_approval) on reflections to parley_serving;

-- How often a session was connected anew.
alter table reflection_sessions add column reconnects integer not null default 0;
-- Of the link that it came by: whoever finds that it did not start gives the use back, once.
alter table reflection_sessions add column is_use_given_back boolean not null default false;
-- A call of the public that was on when something was unpublished: the prompt that it would go on with in writing holds it.
alter table reflection_sessions add column is_outdated boolean not null default false;
grant update (reconnects, is_use_given_back, is_outdated) on reflection_sessions to parley_serving;
