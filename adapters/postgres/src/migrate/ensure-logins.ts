import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { DATABASE_ROLES, type DatabaseRole, passwordOf, urlAs } from '../login/database-url.ts'
import { GuardedClient } from '../login/guarded-client.ts'
import { codeOf } from '../server/unavailable.ts'

/** Gives each role the password that follows from DATABASE_URL, unless it has it already. */
export async function ensureLogins(owner: Client, databaseUrl: string): Promise<void> {
  const answers = await Promise.all(DATABASE_ROLES.map((role) => tryLogin(databaseUrl, role)))
  for (const [index, role] of DATABASE_ROLES.entries()) {
    if (answers[index] === 'refused') await setPassword(owner, databaseUrl, role)
  }
  await owner.query(BOUND_PUBLIC)
}

// What the public's login is given where it asks for nothing else: a search takes less than a second. Where its role is
// another's to alter, it is left as it is.
const BOUND_PUBLIC = `do $$
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
    raise notice 'The time that parley_public may take is not bounded: its role is another''s.';
  end
  $$`

async function setPassword(owner: Client, databaseUrl: string, role: DatabaseRole): Promise<void> {
  try {
    await owner.query(`alter role ${role} login password '${scramVerifier(passwordOf(databaseUrl, role))}'`)
  } catch (error) {
    // The role is the whole server's, so the migration of another database may have been quicker.
    if ((await tryLogin(databaseUrl, role)) === 'refused') throw error
  }
}

async function tryLogin(databaseUrl: string, role: DatabaseRole): Promise<'let-in' | 'refused'> {
  const client = new GuardedClient({
    connectionString: urlAs(databaseUrl, role),
    application_name: 'parley-migrate',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return 'let-in'
  } catch (error) {
    if (['28P01', '28000'].includes(codeOf(error) ?? '')) return 'refused'
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

/** What Postgres keeps of a password. Made here, so that no statement log ever shows the password itself. */
function scramVerifier(password: string): string {
  const iterations = 4_096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyFor = (purpose: string) => createHmac('sha256', salted).update(purpose).digest()
  const storedKey = createHash('sha256').update(keyFor('Client Key')).digest('base64')
  const serverKey = keyFor('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
