import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../migrate/migrate.ts'
import { getErrorCode } from './database-error.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { type FreshDatabase, freshDatabase } from '../testing/index.ts'
import { DATABASE_ROLES, type DatabaseRole, toRoleUrl } from './database-url.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase('empty')
  await migrate(fresh)
  await runSql(fresh.databaseUrl, SESSION)
  await runSql(fresh.databaseUrl, MESSAGE)
})

afterAll(() => fresh.drop())

const SESSION = `insert into agent_sessions (id, owner_id, channel, status, agent_slug, agent_snapshot, context,
    created_at, updated_at, message_count, event_last, event_reserved)
  values ('ses_' || gen_random_uuid(), 'per_owner', 'text', 'active', 'helper', '{}', '{}', now(), now(), 0, 1, 1)`
const MESSAGE = `insert into session_messages (session_id, sequence_number, id, role, content, timestamp)
  select id, (1e9 * random())::int, 'msg_1', 'user', '[]', now() from agent_sessions limit 1`
const EVENT = `insert into session_events (session_id, event_last, events)
  values (gen_random_uuid(), 1, '[]')`
const PERSON = `insert into people (id, label) values ('per_' || gen_random_uuid(), 'Ada')`
const TOKEN = `with person as (insert into people (id, label) values ('per_ada', 'Ada'))
  insert into tokens (id, person_id, label, role, kind, token_hash)
  values ('tok_1', 'per_ada', 'Ada', 'viewer', 'issued', sha256('x'))`

const REFUSED = '42501'

const WITHOUT_PUBLIC: readonly DatabaseRole[] = ['parley_public', 'parley_provider']

/** Runs a statement and rolls it back. Returns the code of Postgres's refusal, or nothing. */
async function tryAs(url: string, ...statements: readonly string[]): Promise<string | undefined> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query('begin')
    for (const statement of statements) await client.query(statement)
    return undefined
  } catch (error) {
    return getErrorCode(error) ?? String(error)
  } finally {
    await client.end()
  }
}

test.each<[DatabaseRole, 'may' | 'may not', string]>([
  ['parley_serving', 'may', 'select * from agent_sessions'],
  ['parley_serving', 'may', SESSION],
  ['parley_serving', 'may', `update agent_sessions set title = 'x', lease_epoch = lease_epoch + 1`],
  ['parley_serving', 'may not', `update agent_sessions set agent_snapshot = '{}'`],
  ['parley_serving', 'may not', `update agent_sessions set owner_id = 'per_eve'`],
  ['parley_serving', 'may not', 'delete from agent_sessions'],
  ['parley_serving', 'may', 'select * from session_messages'],
  ['parley_serving', 'may', MESSAGE],
  ['parley_serving', 'may not', `update session_messages set content = '[]'`],
  ['parley_serving', 'may not', 'delete from session_messages'],
  ['parley_serving', 'may not', 'truncate session_messages'],
  ['parley_serving', 'may', `select remove_session('ses_none')`],
  ['parley_learning', 'may not', `select remove_session('ses_none')`],
  ['parley_serving', 'may', `select erase_sessions_of('rfl_none')`],
  ['parley_learning', 'may not', `select erase_sessions_of('rfl_none')`],
  ['parley_serving', 'may', EVENT],
  ['parley_serving', 'may not', `update session_events set events = '[]'`],
  ['parley_serving', 'may not', 'delete from session_events'],
  ['parley_serving', 'may', PERSON],
  ['parley_serving', 'may', TOKEN],
  ['parley_serving', 'may', 'update tokens set revoked_at = now()'],
  ['parley_serving', 'may not', `update tokens set role = 'owner'`],
  ['parley_serving', 'may not', `update tokens set token_hash = sha256('y')`],
  ['parley_serving', 'may not', 'delete from tokens'],
  ['parley_serving', 'may', 'delete from idempotent_requests'],
  ['parley_learning', 'may not', 'select * from idempotent_requests'],
  ['parley_serving', 'may not', 'select * from migrations'],
  ['parley_serving', 'may not', 'set role parley_learning'],
  ['parley_learning', 'may', 'select * from agent_sessions'],
  ['parley_learning', 'may', 'select * from session_messages'],
  ['parley_learning', 'may', 'select * from session_events'],
  ['parley_learning', 'may not', SESSION],
  ['parley_learning', 'may not', MESSAGE],
  ['parley_learning', 'may not', EVENT],
  ['parley_learning', 'may not', `update agent_sessions set title = 'x'`],
  ['parley_learning', 'may not', 'select * from tokens'],
  ['parley_learning', 'may not', 'select * from people'],
  ['parley_member', 'may', 'select * from facts'],
  ['parley_member', 'may not', 'select * from session_messages'],
  ['parley_member', 'may not', 'set role parley_serving'],
  ['parley_public', 'may', 'select 1'],
  ['parley_public', 'may not', 'set role parley_serving'],
])('[K1] %s %s: %s', async (role, may, statement) => {
  const answer = await tryAs(toRoleUrl(fresh.databaseUrl, role), statement)
  expect(answer).toBe(may === 'may' ? undefined : REFUSED)
})

test.each(DATABASE_ROLES)('[K1] %s cannot create anything in the database', async (role) => {
  const url = toRoleUrl(fresh.databaseUrl, role)
  expect(await tryAs(url, 'create table mine (id int)')).toBe(
    WITHOUT_PUBLIC.includes(role) ? '3F000' : REFUSED,
  )
  expect(await tryAs(url, 'create table public.mine (id int)')).toBe(REFUSED)
  expect(await tryAs(url, 'create temporary table mine (id int)')).toBe(REFUSED)
  expect(await tryAs(url, 'create schema mine')).toBe(REFUSED)
})

test.each(['statement_timeout', 'idle_in_transaction_session_timeout'])(
  '[X3] parley_public has a %s unless it asks for another',
  async (name) => {
    const rows = await runSql(
      toRoleUrl(fresh.databaseUrl, 'parley_public'),
      `select current_setting('${name}') as bound`,
    )
    expect(rows).toEqual([{ bound: '10s' }])
  },
)

test('[X3] parley_public has no right on any of our tables or functions', async () => {
  const url = toRoleUrl(fresh.databaseUrl, 'parley_public')
  const tables = await runSql(
    fresh.databaseUrl,
    `select tablename from pg_tables where schemaname = 'public'`,
  )
  expect(tables.length).toBeGreaterThan(5)
  for (const { tablename } of tables) {
    expect(await tryAs(url, `select from public.${String(tablename)}`)).toBe(REFUSED)
  }
  const functions = await runSql(
    fresh.databaseUrl,
    `select p.oid::regprocedure from pg_proc p where pronamespace = 'public'::regnamespace
       and has_function_privilege('parley_public', p.oid, 'execute')`,
  )
  expect(functions).toEqual([])
})

test('an unknown login cannot connect', async () => {
  const name = `stranger_${randomBytes(6).toString('hex')}`
  await runSql(fresh.databaseUrl, `create role ${name} login password 'stranger'`)
  const url = new URL(fresh.databaseUrl)
  url.username = name
  url.password = 'stranger'
  await expect(tryAs(url.href, 'select 1')).rejects.toMatchObject({ code: REFUSED })
  await runSql(fresh.databaseUrl, `drop role ${name}`)
})

describe('[S10] messages are append-only in the database itself, also for the owner of the tables', () => {
  const APPEND_ONLY = '23001'
  const REPLICA = `set local session_replication_role = 'replica'`

  test.each([
    `update session_messages set content = '[]'`,
    'delete from session_messages',
    `with removed as (select set_config('parley.removed_session', session_id, true) from session_messages)
       delete from session_messages where exists (select from removed)`,
    'truncate session_messages',
    `insert into session_messages (session_id, sequence_number, id, role, content, timestamp)
       select session_id, sequence_number, id, role, content, timestamp from session_messages
       on conflict (session_id, sequence_number) do update set content = '[]'`,
  ])('%s', async (statement) => {
    expect(await tryAs(fresh.databaseUrl, statement)).toBe(APPEND_ONLY)
    expect(await tryAs(fresh.databaseUrl, REPLICA, statement)).toBe(APPEND_ONLY)
  })
})
