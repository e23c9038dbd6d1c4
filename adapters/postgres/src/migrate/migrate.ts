import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PlatformError } from '@parley/contracts'
import type { Client } from 'pg'
import { areJobsInstalled, installJobs } from '../jobs/install-jobs.ts'
import { asPlatformError } from '../login/database-error.ts'
import { passwordOf, placeOf } from '../login/database-url.ts'
import { GuardedClient } from '../login/guarded-client.ts'
import { codeOf } from '../server/unavailable.ts'
import { ensureLogins } from './ensure-logins.ts'
import { installVectors } from './install-vectors.ts'

export interface MigrateOptions {
  readonly databaseUrl: string
  readonly onStep?: (what: string) => void
}

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url))
const TABLE = 'migrations'
const NO_SUCH_TABLE = '42P01'

/** Brings the database up to this program's tables and roles. Any number of processes may do it at once. */
export async function migrate({ databaseUrl, onStep = () => {} }: MigrateOptions): Promise<void> {
  // Refuses a URL without a password before anything is done.
  passwordOf(databaseUrl, 'parley_serving')
  const client = new GuardedClient({
    connectionString: databaseUrl,
    application_name: 'parley-migrate',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const missing = await missingMigrations(client, databaseUrl)
    if (missing.length > 0) {
      onStep(`Migrating the database: ${missing.join(', ')}`)
      await runMissing(client)
    }
    await installVectors(client)
    if (!(await areJobsInstalled(client))) await installJobs(client)
    await ensureLogins(client, databaseUrl)
  } catch (error) {
    throw asPlatformError(error, databaseUrl)
  } finally {
    await client.end().catch(() => {})
  }
}

async function missingMigrations(client: Client, databaseUrl: string): Promise<readonly string[]> {
  const ours = await ourMigrations()
  const done = await doneMigrations(client)
  const foreign = done.filter((name) => !ours.includes(name))
  if (foreign.length === 0) return ours.filter((name) => !done.includes(name))
  throw new PlatformError('config_invalid', {
    message: `The database ${placeOf(databaseUrl)} was migrated by a newer Parley (${foreign.join(', ')}). Update this one, or set DATABASE_URL to another database.`,
  })
}

async function ourMigrations(): Promise<readonly string[]> {
  const files = await readdir(FOLDER)
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted()
}

async function doneMigrations(client: Client): Promise<readonly string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(`select name from public.${TABLE}`)
    return rows.map(({ name }) => name)
  } catch (error) {
    if (codeOf(error) === NO_SUCH_TABLE) return []
    throw error
  }
}

// Asked in advance, since the runner would keep the code of this refusal to itself.
const MAY_MIGRATE = `do $$ begin
  if not has_schema_privilege('public', 'create') then
    raise insufficient_privilege using message = 'permission denied for schema public';
  end if;
end $$`

/** Another process may run them first: we wait for its lock, and then there is nothing left to do. */
async function runMissing(client: Client): Promise<void> {
  await client.query(MAY_MIGRATE)
  // Slow to load and seldom needed.
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
