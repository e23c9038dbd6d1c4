import type { Client } from 'pg'
import type { DatabaseRole } from '../login/database-url.ts'

/** What part of the server's connections each role may have, so that none takes them all. */
const SHARES: Readonly<Record<DatabaseRole, number>> = {
  parley_serving: 0.53,
  parley_learning: 0.125,
  parley_public: 0.1,
  parley_member: 0.07,
  parley_provider: 0.15,
}

/**
 * Lets our roles into our databases alone, and gives each its share of connections. The server is ours, so this holds
 * from its first start, before the migrations give the roles their passwords.
 */
export async function closeOff(owner: Client): Promise<void> {
  // Rights of databases and roles are rows that all processes change which start together.
  await owner.query(`select pg_advisory_lock(hashtext('parley: rights of the server'))`)
  await owner.query(CLOSE_DATABASES)
  const { rows } = await owner.query<{ most: number }>(MOST)
  const most = rows[0]?.most ?? 0
  for (const [role, share] of Object.entries(SHARES)) {
    await owner.query(shareOf(role, Math.floor(most * share)))
  }
}

const MOST = `select current_setting('max_connections')::int as most`

const CLOSE_DATABASES = `do $$
declare
  open_to_all name;
begin
  for open_to_all in
    select datname from pg_database
    where datname in ('postgres', 'template1') and has_database_privilege('public', oid, 'connect')
  loop
    execute format('revoke all on database %I from public', open_to_all);
  end loop;
end $$`

const shareOf = (role: string, share: number) => `do $$
begin
  if not exists (select from pg_roles where rolname = '${role}') then
    create role ${role} login connection limit ${share};
  elsif exists (select from pg_roles where rolname = '${role}' and rolconnlimit <> ${share}) then
    alter role ${role} connection limit ${share};
  end if;
end $$`
