-- A viewer or operator may be let into some namespaces only: those that are published, and those that were chosen for them.

alter table reflection_members
  -- The chosen ones; null means all namespaces. Members from before keep all.
  add column namespace_ids text[],
  -- Of the 32 bytes that open the member's reach at the database; only their hash is kept.
  add column capability_hash bytea unique check (octet_length(capability_hash) = 32),
  add constraint managers_reach_all check (namespace_ids is null or role in ('operator', 'viewer')),
  add constraint reach_has_capability check ((namespace_ids is null) = (capability_hash is null));
grant update (namespace_ids, capability_hash) on reflection_members to parley_serving;
-- A correction is looked for only where its person may write.
grant select (reflection_id, person_id, namespace_ids) on reflection_members to parley_learning;

-- Whether its prompt was made for a member who does not reach everything.
alter table reflection_sessions add column is_narrowed boolean not null default false;

-- What such members read, they read through a login of its own. It stands under row policies, writes nothing, and sees
-- nothing without a capability.
do $$
begin
  if not exists (select from pg_roles where rolname = 'parley_member') then
    begin
      execute 'create role parley_member login';
    exception
      when duplicate_object or unique_violation then null;
    end;
  end if;
  execute format('grant connect on database %I to parley_member', current_database());
end
$$;
grant usage on schema public, gate, extensions to parley_member;
grant execute on all functions in schema extensions to parley_member;

grant select on reflection_members to parley_gate;
grant select on voice_runtime, voice_artifacts to parley_gate;

-- Whose capability is set: the member, and the namespaces that they reach now.
create function gate.reaching_member() returns public.reflection_members
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select m from public.reflection_members m
  join public.reflections r on r.id = m.reflection_id and r.removed_at is null
  where m.capability_hash = sha256(decode(
    case when current_setting('parley.scope', true) ~ '^[0-9a-f]{64}$'
      then current_setting('parley.scope', true) end,
    'hex'
  ))
$$;

create function gate.reach() returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(n.id), '{}')
  from gate.reaching_member() m
  join public.namespaces n on n.reflection_id = m.reflection_id
    and (n.is_published or n.id = any(m.namespace_ids))
$$;

create function gate.reaching_person() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select m.person_id from gate.reaching_member() m
$$;

-- The keys are found without a row policy in the way, so the member's reach is asked for here.
create or replace function gate.matching_chunks(scope text[], sought tsquery)
returns table (run_id text, ordinal integer)
language sql stable security definer rows 500 set search_path = pg_catalog, pg_temp as $$
  select c.run_id, c.ordinal from public.chunks c
  where c.namespace_id = any(scope) and c.is_current and c.words @@ sought
    and (session_user <> 'parley_member' or c.namespace_id = any((select gate.reach())::text[]))
  limit 1000
$$;

create or replace function gate.matching_facts(scope text[], sought tsquery) returns table (id text)
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select f.id from public.facts f
  where f.namespace_id = any(scope) and f.state = 'active' and f.superseded_at is null and f.words @@ sought
    and (session_user <> 'parley_member' or f.namespace_id = any((select gate.reach())::text[]))
  limit 300
$$;

-- What the promoted artifacts were built from, as far as the member reaches it.
create function gate.promoted()
returns table (generation integer, display_name text, creator_name text, former_names json, evidence json)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select a.generation, a.payload #>> '{reflection_voice_dossier,private,displayName}',
    a.payload #>> '{reflection_voice_dossier,private,creatorName}',
    coalesce(a.payload #> '{reflection_voice_dossier,private,formerNames}', '[]'),
    (select coalesce(json_agg(item order by place), '[]')
      from json_array_elements(a.payload #> '{voice_evidence_pack,items}') with ordinality as items (item, place)
      join public.namespaces n on n.reflection_id = a.reflection_id and n.name = item ->> 'namespace'
      where n.id = any((select gate.reach())::text[]) and not gate.is_withheld(item ->> 'sourceId', n.id))
  from gate.reaching_member() m
  join public.voice_runtime v on v.reflection_id = m.reflection_id
  join public.voice_artifacts a on a.reflection_id = v.reflection_id and a.generation = v.generation
  where a.payload is not null
$$;

-- To own a function a role must be able to make one there; only while it is given away.
grant create on schema gate to parley_gate;
alter function gate.reaching_member() owner to parley_gate;
alter function gate.reach() owner to parley_gate;
alter function gate.reaching_person() owner to parley_gate;
alter function gate.promoted() owner to parley_gate;
revoke create on schema gate from parley_gate;
revoke execute on function gate.reaching_member(), gate.reach(), gate.reaching_person(), gate.promoted() from public;
grant execute on function gate.reach(), gate.reaching_person(), gate.promoted(), gate.is_withheld(text, text),
  gate.matching_chunks(text[], tsquery), gate.matching_facts(text[], tsquery) to parley_member;
grant execute on function any_of(text[]), words_of(text), weigh_words(text[], text),
  search_facts(text[], text[], tsquery, tsquery[], double precision[], double precision, integer),
  search_chunks(text[], tsquery, tsquery[], double precision[], tsquery, double precision, integer),
  search_knowledge(text[], text[], text, text[], integer),
  find_evidence(text[], text[], text[], text[], text[]) to parley_member;

grant select (id, removed_at) on reflections to parley_member;
grant select on namespaces, sources, chunks, terms, facts, patches, ingest_runs, intake, originals to parley_member;

create policy reached on namespaces for select to parley_member using (id = any((select gate.reach())::text[]));
create policy reached on terms for select to parley_member
  using (namespace_id = any((select gate.reach())::text[]));
create policy reached on chunks for select to parley_member
  using (namespace_id = any((select gate.reach())::text[]) and is_current);
create policy reached on sources for select to parley_member
  using (namespace_id = any((select gate.reach())::text[]) and not gate.is_withheld(id, namespace_id));
create policy reached on facts for select to parley_member
  using (namespace_id = any((select gate.reach())::text[]) and not gate.is_withheld(source_id, namespace_id));

do $$
declare
  guarded text;
begin
  foreach guarded in array array['ingest_runs', 'intake', 'originals', 'patches'] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format('create policy house on %I to current_user, parley_serving, parley_learning using (true)', guarded);
  end loop;
end
$$;
create policy reached on ingest_runs for select to parley_member
  using (namespace_id = any((select gate.reach())::text[]));
-- Requests for sources, and the member's own corrections.
create policy reached on intake for select to parley_member using (
  namespace_id = any((select gate.reach())::text[]) and not gate.is_withheld(source_id, namespace_id)
  or kind = 'correction' and requested_by = (select gate.reaching_person())
);
create policy reached on originals for select to parley_member using (exists (
  select from intake i where i.reflection_id = originals.reflection_id and i.sha256 = originals.sha256
));
create policy reached on patches for select to parley_member using (
  exists (select from facts f where f.patch_id = patches.id)
  or exists (
    select from intake i where i.kind = 'correction' and i.reflection_id = patches.reflection_id
      and i.payload ->> 'patchId' = patches.id
  )
);

-- Where vectors are kept already.
do $$
declare
  home text := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'vector');
  needed regprocedure;
begin
  if to_regclass('public.chunk_embeddings') is null then
    return;
  end if;
  execute format('grant usage on schema %I to parley_member', home);
  for needed in
    select objid::regprocedure from pg_depend
    where classid = 'pg_proc'::regclass and refclassid = 'pg_extension'::regclass and deptype = 'e'
      and refobjid = (select oid from pg_extension where extname = 'vector')
  loop
    execute format('grant execute on function %s to parley_member', needed);
  end loop;
  grant select on chunk_embeddings to parley_member;
  create policy reached on chunk_embeddings for select to parley_member
    using (namespace_id = any((select gate.reach())::text[]));
  grant execute on function search_vectors(text[], real[], text, integer) to parley_member;
end
$$;
