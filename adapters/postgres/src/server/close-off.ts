import type { Client } from 'pg'
import type { DatabaseRole } from '../login/database-url.ts'

/** How many connections of the server's 200 each role may have, so that none takes them all. */
const SHARES: Readonly<Record<DatabaseRole, number>> = {
  parley_serving: 120,
  parley_learning: 25,
  parley_public: 20,
  parley_provider: 30,
}

/**
 * Lets our roles into our databases alone, and gives each its share of connections. The server is ours, so this holds
 * from its first start, before the migrations give the roles their passwords.
 */
export async function closeOff(owner: Client): Promise<void> {
  // Rights of databases and roles are rows that all processes change which start together.
  await owner.query(`select pg_advisory_lock(hashtext('parley: rights of the server'))`)
  await owner.query(CLOSE_DATABASES)
  for (const [role, share] of Object.entries(SHARES)) await owner.query(shareOf(role, share))
}

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
