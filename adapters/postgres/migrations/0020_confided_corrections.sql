-- Whose words were said in confidence: what such a fact says is told where it stands, the words that bear it out are not.
alter table facts add column is_confided boolean not null default false;
update facts set is_confided = true from patches p where p.id = facts.patch_id and p.origin = 'correction';
grant insert (is_confided) on facts to parley_learning;

create or replace function find_evidence(
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
