import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Client, escapeIdentifier } from 'pg'
import { PlatformError } from '@parley/contracts'
import { computeSha256 } from '../hashes.ts'
import { areJobsInstalled, installJobs } from '../jobs/queues.ts'
import { toPlatformError, getErrorCode } from '../login/database-error.ts'
import { DATABASE_ROLES, type DatabaseRole, derivePassword, describeDatabase } from '../login/database-url.ts'
import { GuardedClient, toConnectionConfig } from '../login/guarded-client.ts'

export interface MigrateOptions {
  readonly databaseUrl: string
  readonly onStep?: (step: string) => void
}

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url))
const TABLE = 'migrations'
const NO_SUCH_TABLE = '42P01'

/** Creates or updates the tables and roles. Safe to run concurrently. */
export async function migrate({ databaseUrl, onStep = () => {} }: MigrateOptions): Promise<void> {
  // Refuses a URL without a password first.
  derivePassword(databaseUrl, 'parley_serving')
  const client = new GuardedClient({
    connectionString: databaseUrl,
    application_name: 'parley-migrate',
    connectionTimeoutMillis: 10_000,
  })
  try {
    await client.connect()
    const missing = await listMissingMigrations(client, databaseUrl)
    if (missing.length > 0) {
      onStep(`Migrating the database: ${missing.join(', ')}`)
      await runMissingMigrations(client)
    }
    await installVectors(client)
    if (!(await areJobsInstalled(client))) await installJobs(client)
    await ensureLogins(client, databaseUrl)
  } catch (error) {
    throw toPlatformError(error, databaseUrl)
  } finally {
    await client.end().catch(() => {})
  }
}

async function listMissingMigrations(client: Client, databaseUrl: string): Promise<readonly string[]> {
  const ours = await listOwnMigrations()
  const done = await listDoneMigrations(client)
  const foreign = done.filter((name) => !ours.includes(name))
  if (foreign.length === 0) return ours.filter((name) => !done.includes(name))
  throw new PlatformError('config_invalid', {
    message: `The database ${describeDatabase(databaseUrl)} was migrated by another version of Parley (${foreign.join(', ')}). Use that version, or set DATABASE_URL to another database.`,
  })
}

async function listOwnMigrations(): Promise<readonly string[]> {
  const files = await readdir(FOLDER)
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted()
}

async function listDoneMigrations(client: Client): Promise<readonly string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(`select name from public.${TABLE}`)
    return rows.map(({ name }) => name)
  } catch (error) {
    if (getErrorCode(error) === NO_SUCH_TABLE) return []
    throw error
  }
}

// Checked first, since the runner would hide the code of this error.
const REQUIRE_CREATE_RIGHT = `do $$ begin
  if not has_schema_privilege('public', 'create') then
    raise insufficient_privilege using message = 'permission denied for schema public';
  end if;
end $$`

/** If another process runs them first, we wait for its lock, and then nothing is left to do. */
async function runMissingMigrations(client: Client): Promise<void> {
  await client.query(REQUIRE_CREATE_RIGHT)
  // Slow to load and rarely needed.
  const { runner } = await import('node-pg-migrate')
  await runner({
    dbClient: client,
    dir: FOLDER,
    direction: 'up',
    schema: 'public',
    migrationsTable: TABLE,
    singleTransaction: true,
    advisoryLockMode: 'wait',
    log: () => {},
  })
}

/** Sets each role's password, derived from DATABASE_URL, unless it is set already. */
async function ensureLogins(owner: Client, databaseUrl: string): Promise<void> {
  const logins = await Promise.all(DATABASE_ROLES.map((role) => tryLogin(databaseUrl, role)))
  for (const [index, role] of DATABASE_ROLES.entries()) {
    if (logins[index] === 'refused') await setPassword(owner, databaseUrl, role)
  }
  await owner.query(LIMIT_PUBLIC)
}

// Default timeouts of the public login: a search takes less than a second. Skipped if we may not alter its role.
const LIMIT_PUBLIC = `do $$
  begin
    perform pg_advisory_xact_lock(hashtext('parley: bounds of the public'));
    if exists (
      select from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
      where d.datname = current_database() and s.setrole = 'parley_public'::regrole
        and s.setconfig @> '{statement_timeout=10s,idle_in_transaction_session_timeout=10s}'
    ) then
      return;
    end if;
    execute format('alter role parley_public in database %I set statement_timeout = %L', current_database(), '10s');
    execute format('alter role parley_public in database %I set idle_in_transaction_session_timeout = %L',
      current_database(), '10s');
  exception when insufficient_privilege then
    raise notice 'parley_public gets no default timeouts: its role belongs to another user.';
  end
  $$`

async function setPassword(owner: Client, databaseUrl: string, role: DatabaseRole): Promise<void> {
  try {
    await owner.query(
      `alter role ${role} login password '${createScramVerifier(derivePassword(databaseUrl, role))}'`,
    )
  } catch (error) {
    // Roles belong to the whole server, so the migration of another database may have been faster.
    if ((await tryLogin(databaseUrl, role)) === 'refused') throw error
  }
}

async function tryLogin(databaseUrl: string, role: DatabaseRole): Promise<'accepted' | 'refused'> {
  const client = new GuardedClient(toConnectionConfig(databaseUrl, role, 'parley-migrate'))
  try {
    await client.connect()
    return 'accepted'
  } catch (error) {
    if (['28P01', '28000'].includes(getErrorCode(error) ?? '')) return 'refused'
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

/** The form in which Postgres stores a password. Computed here, so that no statement log shows the password. */
function createScramVerifier(password: string): string {
  const iterations = 4_096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const derivePart = (purpose: string) => createHmac('sha256', salted).update(purpose).digest()
  const storedKey = computeSha256(derivePart('Client Key')).toString('base64')
  const serverKey = derivePart('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

/** Creates the tables and functions for vectors, if the server has pgvector and lets us. Safe to run concurrently. */
export async function installVectors(owner: Client): Promise<void> {
  const { rows } = await owner.query<{ state: 'installed' | 'possible' | 'impossible' }>(READ_VECTOR_STATE)
  if (rows[0]?.state !== 'possible') return
  await owner.query('begin')
  try {
    await owner.query('select pg_advisory_xact_lock(hashtext($1))', [LOCK])
    const { rows: recheck } = await owner.query<{ state: string }>(READ_VECTOR_STATE)
    if (recheck[0]?.state === 'possible') {
      await owner.query('create extension if not exists vector with schema extensions')
      const { rows: homes } = await owner.query<{ home: string }>(FIND_EXTENSION_SCHEMA)
      await owner.query(buildVectorSchema(escapeIdentifier(homes[0]?.home ?? 'extensions')))
    }
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    // Only the server's administrator may be allowed to create it; everything works without it.
    if (getErrorCode(error) !== NOT_ALLOWED) throw error
  }
}

const LOCK = 'parley: installing vectors'
const NOT_ALLOWED = '42501'

const READ_VECTOR_STATE = `select case
    when to_regclass('public.chunk_embeddings') is not null then 'installed'
    when exists (select from pg_available_extensions where name = 'vector') then 'possible'
    else 'impossible'
  end as state`

/** An administrator may have created the extension before us, in another schema. */
const FIND_EXTENSION_SCHEMA = `select nspname as home from pg_extension join pg_namespace n on n.oid = extnamespace
  where extname = 'vector'`

const buildVectorSchema = (extension: string) => `
  grant usage on schema ${extension} to parley_serving, parley_learning, parley_reader, parley_member;
  do $$
  declare
    needed regprocedure;
  begin
    -- Default privileges may have revoked its functions from all, so grant them to the roles that need them.
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
    -- Vectors of different models cannot be compared.
    model text not null,
    embedding ${extension}.vector not null,
    primary key (run_id, ordinal),
    foreign key (run_id, ordinal) references chunks on delete cascade
  )
  -- Keeps a vector of up to some 2000 numbers in its row: a search reads each one, which takes five times as long elsewhere.
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

  -- The nearest chunks that the caller may see in these namespaces; a score of 1 is the same direction.
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
  -- To own a function a role needs the create right in its schema, for this moment only.
  grant create on schema gate to parley_reader;
  alter function gate.search_vectors(real[], text, integer) owner to parley_reader;
  revoke create on schema gate from parley_reader;
  revoke execute on function gate.search_vectors(real[], text, integer) from public;
  grant execute on function gate.search_vectors(real[], text, integer) to parley_public`
