import { createHash, randomBytes } from 'node:crypto'
import type { ReflectionId } from '@parley/contracts'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRoleUrl } from '../login/database-url.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { getErrorCode } from '../login/database-error.ts'
import {
  ADA,
  createFact,
  type KnowledgeBase,
  openKnowledgeBase,
  ingestSource,
} from './testing/knowledge-base.ts'

const CANARY = 'canary'
const REFUSED = '42501'

let base: KnowledgeBase
let reflectionId: ReflectionId
let ours: Uint8Array
let others: Uint8Array
let ended: Uint8Array
let intruder: Client

beforeAll(async () => {
  base = await openKnowledgeBase()
  const { reflections, publicScopes } = base.database
  reflectionId = await withCanaries('ses_ours')
  ours = await publicScopes.create({ sessionId: 'ses_ours', reflectionId })
  const other = await withCanaries('ses_others')
  others = await publicScopes.create({ sessionId: 'ses_others', reflectionId: other })
  ended = await publicScopes.create({ sessionId: 'ses_ended', reflectionId })
  await publicScopes.end('ses_ended')
  await reflections.addNamespace(reflectionId, 'later', ADA)
  await ingestSource(base, reflectionId, {
    namespace: 'later',
    chunks: [`A ${CANARY} that is published later.`],
  })
  await reflections.publish(reflectionId, ['later'], ADA)
  intruder = new Client(toRoleUrl(base.databaseUrl, 'parley_public'))
  await intruder.connect()
})

afterAll(async () => {
  await intruder.end()
  await base.close()
})

/** The same words in private and in public content: a search that sees too much fails a test. */
async function withCanaries(name: string): Promise<ReflectionId> {
  const { reflections } = base.database
  const { id } = await reflections.create({ displayName: name, ownerId: ADA })
  await reflections.addNamespace(id, 'talks', ADA)
  for (const namespace of ['general', 'conversations', 'talks'] as const) {
    await ingestSource(base, id, {
      namespace,
      title: `${namespace} of ${name}`,
      chunks: [`The ${CANARY} sings of ${name} in ${namespace}.`],
      facts: [createFact('Ada', 'keeps', `${CANARY} of ${name} in ${namespace}`)],
    })
  }
  await reflections.publish(id, ['talks'], ADA)
  return id
}

const toSetScope = (capability: Uint8Array) => toSetting(Buffer.from(capability).toString('hex'))
const toSetting = (value: string) => `select set_config('parley.scope', '${value}', true)`
const SEARCH = `select * from gate.search('${CANARY} keeps', '{ada,${CANARY}}', 50)`

/** Runs statements and rolls them back. Returns the rows of the last one, or the code of the first error. */
async function tryStatements(
  ...statements: readonly string[]
): Promise<readonly Record<string, unknown>[] | string> {
  await intruder.query('begin')
  try {
    let rows: readonly Record<string, unknown>[] = []
    for (const statement of statements) rows = (await intruder.query(statement)).rows
    return rows
  } catch (error) {
    return getErrorCode(error) ?? String(error)
  } finally {
    await intruder.query('rollback')
  }
}

test('[X3] a public session sees the published content of its own reflection', async () => {
  const rows = await tryStatements(toSetScope(ours), SEARCH)
  expect(rows).toHaveLength(2)
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'chunk', namespace: 'talks', title: 'talks of ses_ours' }),
      expect.objectContaining({ kind: 'fact', namespace: 'talks', title: 'talks of ses_ours' }),
    ]),
  )
  const theirs = await tryStatements(toSetScope(others), SEARCH)
  expect(JSON.stringify(theirs)).toContain('ses_others')
  expect(JSON.stringify(theirs)).not.toContain('ses_ours')
})

const hashCapability = (capability: Uint8Array) => createHash('sha256').update(capability).digest()

describe('[X3] nothing is seen', () => {
  test.each<[string, () => readonly string[]]>([
    ['without a scope', () => []],
    ['with an empty one', () => [toSetting('')]],
    ['with a random one', () => [toSetScope(randomBytes(32))]],
    ['with the hash of a capability', () => [toSetScope(hashCapability(ours))]],
    ['with the id of a session', () => [toSetting('ses_ours')]],
    ['with the id of a namespace', () => [toSetting(String(reflectionId))]],
    ['with part of a capability', () => [toSetScope(ours.slice(0, 31))]],
    ['with a capability and more', () => [toSetScope(Buffer.concat([ours, Buffer.of(0)]))]],
    ['with upper case and blanks', () => [toSetting(`${Buffer.from(ours).toString('hex').toUpperCase()} `)]],
    ['with what breaks out of quotes', () => [toSetting(`'' or true --`)]],
    ['once the session has ended', () => [toSetScope(ended)]],
    ['once the scope is set back', () => [toSetScope(ours), `set local parley.scope = ''`]],
    ['once the scope is reset', () => [toSetScope(ours), 'reset parley.scope']],
  ])('%s', async (_, statements) => {
    expect(await tryStatements(...statements(), SEARCH)).toEqual([])
  })

  test('in the next transaction of the same connection', async () => {
    expect(await tryStatements(toSetScope(ours), SEARCH)).not.toEqual([])
    expect(await tryStatements(SEARCH)).toEqual([])
  })
})

test('[X3] a scope that has ended leaves nothing behind', async () => {
  const rows = await runSql(base.databaseUrl, 'select session_id from public_scopes order by session_id')
  expect(rows).toEqual([{ session_id: 'ses_others' }, { session_id: 'ses_ours' }])
})

describe('[X3] Postgres refuses the public login', () => {
  test.each([
    'set role parley_serving',
    'set role parley_learning',
    'set role parley_reader',
    'set role parley_gate',
    'set role parley',
    'set session authorization parley_serving',
    'set session authorization parley',
    `select set_config('role', 'parley_serving', false)`,
    `select set_config('session_authorization', 'parley', false)`,
    'create table gate.mine (id int)',
    'create table public.mine (id int)',
    'create temporary table mine (id int)',
    'create temporary view mine as select 1',
    'create schema mine',
    'create function gate.mine() returns int language sql as $$ select 1 $$',
    'create function gate.scope() returns text[] language sql as $$ select null $$',
    'alter function gate.scope() owner to parley_public',
    `copy (select 1) to program 'true'`,
    `copy (select 1) to '/tmp/parley-never'`,
    `select pg_read_file('/etc/hostname')`,
    `select lo_import('/etc/hostname')`,
    'select * from pg_authid',
    'select * from pg_shadow',
    'select * from pg_statistic',
    'select gate.scope()',
    `select gate.matching_chunks('{}', 'canary')`,
    `select public.search_knowledge('{}', 'x', '{}', 1)`,
    `select public.find_evidence('{}', '{}', '{chunk}', '{src_x}', '{x}')`,
    `select public.erase_source('src_x')`,
    `select public.discard_patch('ing_x')`,
    `select public.remove_session('ses_x')`,
    `select extensions.similarity('a', 'b')`,
    'select * from pgboss.job',
    `alter role parley_public bypassrls`,
    `set log_statement = 'all'`,
    `set session_replication_role = 'replica'`,
    `load 'auto_explain'`,
    `do $$ begin execute 'set role parley_reader'; end $$`,
    `select gate.withheld('{}')`,
    'select pg_advisory_lock(1)',
    `select pg_advisory_xact_lock(hashtextextended('rfl_x', 0))`,
    'select pg_try_advisory_lock_shared(1)',
    `select lo_from_bytea(0, 'kept')`,
    'select lo_create(0)',
    `select pg_logical_emit_message(false, 'x', 'y')`,
    'select pg_terminate_backend(pid) from pg_stat_activity',
    'select pg_cancel_backend(pid) from pg_stat_activity',
    'select pg_sleep(1)',
    `select pg_sleep_for('1 second')`,
    `select pg_total_relation_size('pg_class')`,
    'select pg_database_size(current_database())',
  ])('%s', async (statement) => {
    expect(await tryStatements(statement)).toBe(REFUSED)
  })

  test('to change to another role by reset role', async () => {
    expect(
      await tryStatements('reset role', 'reset session authorization', 'select current_user as who'),
    ).toEqual([{ who: 'parley_public' }])
  })

  test('any right on any table or view of ours, or on a column of one', async () => {
    const allowed = await runSql(
      base.databaseUrl,
      `select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'gate', 'extensions', 'pgboss') and c.relkind in ('r', 'p', 'v', 'm')
         and (has_table_privilege('parley_public', c.oid, 'delete, truncate, trigger, maintain')
           or has_any_column_privilege('parley_public', c.oid, 'select, insert, update, references'))`,
    )
    expect(allowed).toEqual([])
  })

  test('to read a table, with row security switched off or on, with a scope or without', async () => {
    const tables = await runSql(
      base.databaseUrl,
      `select tablename from pg_tables where schemaname = 'public'`,
    )
    expect(tables.length).toBeGreaterThan(20)
    for (const { tablename } of tables) {
      expect(await tryStatements(toSetScope(ours), `select from public.${String(tablename)}`)).toBe(REFUSED)
      expect(await tryStatements(`explain select from public.${String(tablename)}`)).toBe(REFUSED)
    }
    expect(await tryStatements(toSetScope(ours), 'set local row_security = off', SEARCH)).toBe(REFUSED)
  })

  test('to call any function of ours but the search, its corrections and its citations', async () => {
    const functions = await runSql(
      base.databaseUrl,
      `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname in ('public', 'gate', 'extensions', 'pgboss')
         and has_schema_privilege('parley_public', n.oid, 'usage')
         and has_function_privilege('parley_public', p.oid, 'execute') order by 1`,
    )
    expect(functions).toEqual([
      { name: 'gate.cite(text[],text[],text[])' },
      { name: 'gate.corrections(text,text[])' },
      { name: 'gate.search(text,text[],integer)' },
    ])
  })
})

/** References by source and hash to all evidence in the database. */
async function citeEverything(capability: Uint8Array): Promise<readonly unknown[]> {
  const [named = {}] = await runSql(
    base.databaseUrl,
    `select array_agg(kind) as kinds, array_agg(source_id) as sources, array_agg(hash) as hashes from (
       select 'chunk' as kind, source_id, encode(sha256(convert_to(text, 'UTF8')), 'hex') as hash from chunks
       union all select 'fact', source_id, encode(sha256(convert_to(statement, 'UTF8')), 'hex') from facts
     ) as everything`,
  )
  const lists = ['kinds', 'sources', 'hashes'].map(
    (list) => `'{${(named[list] as readonly string[]).join(',')}}'`,
  )
  const rows = await tryStatements(toSetScope(capability), `select * from gate.cite(${lists.join(', ')})`)
  return typeof rows === 'string' ? [rows] : rows
}

test('[P5] a session that cites all evidence gets only the evidence that it may see', async () => {
  const found = JSON.stringify(await citeEverything(ours))
  expect(found).toContain('sings of ses_ours in talks')
  expect(found).not.toMatch(/general|conversations|ses_others|published later/)
  expect(await citeEverything(ended)).toEqual([])
  expect(await citeEverything(randomBytes(32))).toEqual([])
})

test('[X3] a query plan does not reveal the content of the tables', async () => {
  const plans = []
  for (const word of [CANARY, 'nowhere']) {
    plans.push(await tryStatements(toSetScope(ours), `explain select * from gate.search('${word}', '{}', 5)`))
  }
  expect(plans[0]).toEqual(plans[1])
  expect(JSON.stringify(plans[0])).toContain('Function Scan')
})

test('[X3] objects in another search path have no effect', async () => {
  expect(
    await tryStatements(toSetScope(ours), 'set local search_path = pg_temp, gate, public', SEARCH),
  ).toHaveLength(2)
})

test('[X3] a mistake in our own query shows nothing private', async () => {
  const namespaces = await runSql(base.databaseUrl, 'select id from namespaces')
  const all = namespaces.map(({ id }) => String(id))
  // Simulates a query without any filter, over every namespace.
  await runSql(
    base.databaseUrl,
    `create function gate.careless() returns setof text language sql security definer
       set search_path = public, pg_temp as $$
         select text from chunks union all select statement from facts union all select title from sources
         union all select name from namespaces union all select word from terms
         union all select text from search_knowledge('{${all.join(',')}}', '${CANARY} keeps', '{ada}', 200)
       $$;
     grant create on schema gate to parley_reader;
     alter function gate.careless() owner to parley_reader;
     revoke create on schema gate from parley_reader;
     grant execute on function gate.careless() to parley_public`,
  )
  expect(await tryStatements('select gate.careless()')).toEqual([])
  const rows = JSON.stringify(await tryStatements(toSetScope(ours), 'select gate.careless()'))
  expect(rows).toContain('sings of ses_ours in talks')
  expect(rows).not.toMatch(/general|conversations|ses_others|published later/)
})

test('[P6] after an unpublish returned, the next statement of a running session sees none of it', async () => {
  const { reflections } = base.database
  const now = [toSetScope(ours), SEARCH]
  expect(await tryStatements(...now)).toHaveLength(2)
  await intruder.query('begin')
  await intruder.query(toSetScope(ours))
  expect((await intruder.query(SEARCH)).rows).toHaveLength(2)
  await reflections.unpublish(reflectionId, ['talks'], ADA)
  expect((await intruder.query(SEARCH)).rows).toEqual([])
  await intruder.query('rollback')
  // The scope stays as it was at the start: after publishing again it has the same namespaces.
  await reflections.publish(reflectionId, ['talks'], ADA)
  expect(await tryStatements(...now)).toHaveLength(2)
})

test.each(['\u{D7FF}'.repeat(5), '\u{10FFFF}'.repeat(5), `${CANARY} \u{10FFFF}x\u{D7FF}yz`])(
  '[X3] a question of the last letters that there are is one like any other: %j',
  async (question) => {
    const { retriever } = base.database
    const search = { query: question, entityKeys: [], limit: 5 }
    const { evidence } = await retriever.searchPublic(ours, search, new AbortController().signal)
    expect(evidence).toHaveLength(question.includes(CANARY) ? 2 : 0)
  },
)

const named = (keys: readonly string[]) =>
  tryStatements(toSetScope(ours), `select * from gate.search('nothing', '{${keys.join(',')}}', 5)`)

test('[X3] a public search uses no more than 64 names', async () => {
  const others63 = Array.from({ length: 63 }, (_, n) => `k${n}`)
  expect(await named([...others63, 'ada'])).toHaveLength(1)
  expect(await named([...others63, 'k63', 'ada'])).toEqual([])
})

test('[P4] a scope of given namespaces never grows, and a removed reflection shows nothing', async () => {
  const { publicScopes, reflections, retriever } = base.database
  const search = { query: CANARY, entityKeys: [], limit: 20 }
  const none = new AbortController().signal
  const id = await withCanaries('ses_narrow')
  const narrow = await publicScopes.create({
    sessionId: 'ses_narrow',
    reflectionId: id,
    namespaces: ['general'],
  })
  expect((await retriever.searchPublic(narrow, search, none)).evidence).toEqual([])
  const wide = await publicScopes.create({ sessionId: 'ses_wide', reflectionId: id })
  expect((await retriever.searchPublic(wide, search, none)).evidence).not.toEqual([])
  // The same in every process.
  expect(publicScopes.getCapability('ses_wide')).toEqual(wide)
  await publicScopes.create({ sessionId: 'ses_narrow', reflectionId: id })
  expect((await retriever.searchPublic(narrow, search, none)).evidence).toEqual([])
  await reflections.remove(id, ADA)
  expect((await retriever.searchPublic(wide, search, none)).evidence).toEqual([])
})
