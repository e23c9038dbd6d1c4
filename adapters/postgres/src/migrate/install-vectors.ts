import { type Client, escapeIdentifier } from 'pg'
import { codeOf } from '../server/unavailable.ts'

/** Makes what keeps and finds vectors, where the server has pgvector and lets us. Any number of processes may do it. */
export async function installVectors(owner: Client): Promise<void> {
  const { rows } = await owner.query<{ state: 'installed' | 'possible' | 'impossible' }>(STATE)
  if (rows[0]?.state !== 'possible') return
  await owner.query('begin')
  try {
    await owner.query('select pg_advisory_xact_lock(hashtext($1))', [LOCK])
    const { rows: again } = await owner.query<{ state: string }>(STATE)
    if (again[0]?.state === 'possible') {
      await owner.query('create extension if not exists vector with schema extensions')
      const { rows: homes } = await owner.query<{ home: string }>(HOME)
      await owner.query(tablesWith(escapeIdentifier(homes[0]?.home ?? 'extensions')))
    }
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    // To make this extension may be left to the server's own administrator; all works without it.
    if (codeOf(error) !== NOT_ALLOWED) throw error
  }
}

const LOCK = 'parley: installing vectors'
const NOT_ALLOWED = '42501'

const STATE = `select case
    when to_regclass('public.chunk_embeddings') is not null then 'installed'
    when exists (select from pg_available_extensions where name = 'vector') then 'possible'
    else 'impossible'
  end as state`

/** An administrator may have made the extension before us, elsewhere. */
const HOME = `select nspname as home from pg_extension join pg_namespace n on n.oid = extnamespace
  where extname = 'vector'`

const tablesWith = (extension: string) => `
  grant usage on schema ${extension} to parley_serving, parley_learning, parley_reader, parley_member;
  do $$
  declare
    needed regprocedure;
  begin
    -- Whoever made the extension, functions that a database's default takes from all are given to those who need them.
    for needed in
      select objid::regprocedure from pg_depend
      where classid = 'pg_proc'::regclass and refclassid = 'pg_extension'::regclass and deptype = 'e'
        and refobjid = (select oid from pg_extension where extname = 'vector')
    loop
      execute format('grant execute on function %s to parley_serving, parley_learning, parley_reader, parley_member', needed);
    end loop;
  end
  $$;

  create table chunk_embeddings (
    run_id text collate "C" not null,
    ordinal integer not null,
    namespace_id text collate "C" not null,
    -- Vectors of two models have nothing to do with each other.
    model text not null,
    embedding ${extension}.vector not null,
    primary key (run_id, ordinal),
    foreign key (run_id, ordinal) references chunks on delete cascade
  )
  -- A vector stays in its row, up to some 2000 numbers: each one is looked at, and elsewhere takes five times as long.
  with (toast_tuple_target = 8160);
  create index on chunk_embeddings (namespace_id, model);
  grant select on chunk_embeddings to parley_serving, parley_reader, parley_member;
  grant select, insert, update (model, embedding) on chunk_embeddings to parley_learning;

  alter table chunk_embeddings enable row level security;
  alter table chunk_embeddings force row level security;
  create policy house on chunk_embeddings to current_user, parley_serving, parley_learning using (true);
  create policy published on chunk_embeddings for select to parley_reader
    using (namespace_id = any((select gate.scope())::text[]));
  create policy reached on chunk_embeddings for select to parley_member
    using (namespace_id = any((select gate.reach())::text[]));

  -- The nearest of what the caller may see of these namespaces, with how near: 1 is the same direction.
  create function search_vectors(scope text[], asked real[], asked_of text, most integer)
  returns table (
    kind text, text text, namespace text, source_id text, title text, place json, score double precision
  )
  language sql stable set search_path = public, ${extension}, pg_temp as $$
    with nearest as materialized (
      select c.run_id, c.ordinal, e.embedding <=> (select asked::vector) as distance
      from chunk_embeddings e join chunks c on c.run_id = e.run_id and c.ordinal = e.ordinal
      where e.namespace_id = any(scope) and e.model = asked_of and c.namespace_id = any(scope) and c.is_current
      order by distance, c.run_id, c.ordinal limit least(greatest(most, 0), 200)
    )
    select 'chunk', c.text, n.name, s.id, s.title, c.place, 1 - nearest.distance
    from nearest
    join chunks c on c.run_id = nearest.run_id and c.ordinal = nearest.ordinal
    join namespaces n on n.id = c.namespace_id
    join sources s on s.id = c.source_id
  $$;
  grant execute on function search_vectors(text[], real[], text, integer)
    to parley_serving, parley_reader, parley_member;

  create function gate.search_vectors(asked real[], asked_of text, most integer)
  returns table (
    kind text, text text, namespace text, source_id text, title text, place json, score double precision
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select * from public.search_vectors((select gate.scope()), asked, asked_of, most)
  $$;
  -- To own a function a role must be able to make one there; only while it is given away.
  grant create on schema gate to parley_reader;
  alter function gate.search_vectors(real[], text, integer) owner to parley_reader;
  revoke create on schema gate from parley_reader;
  revoke execute on function gate.search_vectors(real[], text, integer) from public;
  grant execute on function gate.search_vectors(real[], text, integer) to parley_public`
