-- What was looked up in a session is kept with it, and goes with it. Of the evidence there is no word: its source and
-- its hash find it again, where it still stands and may still be told.
alter table retrieval_traces add column session_id text collate "C" references agent_sessions on delete cascade;
create index on retrieval_traces (session_id, id) where session_id is not null;

-- The evidence that is named so, of what the caller may see of these namespaces. `quotable` are those whose words are
-- shown too.
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
      case when f.namespace_id = any(quotable) then f.evidence -> 0 ->> 'quote' end, f.namespace_id, f.source_id,
      coalesce(f.evidence -> 0 -> 'place', '{}')
    from named join facts f on f.source_id = named.source_id
    where named.kind = 'fact' and f.state = 'active' and f.superseded_at is null and f.namespace_id = any(scope)
      and encode(sha256(convert_to(f.statement, 'UTF8')), 'hex') = named.hash
  ) as found
  join namespaces n on n.id = found.namespace_id
  join sources s on s.id = found.source_id
  order by found.place_in_list
$$;
grant execute on function find_evidence(text[], text[], text[], text[], text[]) to parley_serving, parley_reader;

create function gate.cite(kinds text[], source_ids text[], hashes text[])
returns table (
  place_in_list integer, kind text, text text, quote text, namespace text, source_id text, title text, place json
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from public.find_evidence(
    (select gate.scope()), (select gate.scope()), kinds[1:500], source_ids[1:500], hashes[1:500]
  )
$$;

-- To own a function a role must be able to make one there; only while it is given away.
grant create on schema gate to parley_reader;
alter function gate.cite(text[], text[], text[]) owner to parley_reader;
revoke create on schema gate from parley_reader;
revoke execute on function gate.cite(text[], text[], text[]) from public;
grant execute on function gate.cite(text[], text[], text[]) to parley_public;
