import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRoleUrl } from '../login/database-url.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { getErrorCode } from '../login/database-error.ts'
import { type FreshDatabase, freshDatabase } from '../testing/index.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

type Role = 'parley_serving' | 'parley_learning' | 'parley_gate' | 'parley_reader' | 'parley_member'

/** r: select, a: insert, of some columns at least, d: delete; w: update of the whole row, and in brackets the columns that alone may be updated. */
const RIGHTS: Readonly<Record<string, Readonly<Partial<Record<Role, string>>>>> = {
  // Control
  reflections: {
    parley_serving:
      'ra (approval conversation_approval creator_name display_name former_names publish_revision removed_at share_ingestion voice)',
    parley_learning: 'r',
    parley_gate: 'r',
  },
  reflection_members: { parley_serving: 'rad (capability_hash namespace_ids role)', parley_gate: 'r' },
  namespaces: {
    parley_serving: 'ra (is_published)',
    parley_learning: 'r',
    parley_gate: 'r',
    parley_reader: 'r',
    parley_member: 'r',
  },
  originals: { parley_serving: 'ra', parley_learning: 'r', parley_member: 'r' },
  intake: { parley_serving: 'ra', parley_learning: 'r', parley_member: 'r' },
  public_scopes: { parley_serving: 'rad (capability_hash is_live)', parley_gate: 'r' },
  retrieval_traces: { parley_serving: 'ra' },
  audit_log: { parley_serving: 'ra' },
  sign_ins: { parley_serving: 'rad' },
  known_subjects: { parley_serving: 'ra (token_id)' },
  runtime_syncs: {
    parley_serving: 'rad (agent_id fingerprint provider_defaults revocations state)',
    parley_learning: 'r',
  },
  server_agents: { parley_serving: 'ra (agent_id provider_defaults)' },
  share_links: { parley_serving: 'ra (revoked_at uses)', parley_learning: 'r' },
  reflection_sessions: {
    parley_serving:
      'ra (agent_id ended_at failure is_outdated is_use_returned provider_conversation_id reconnects status surface transcript)',
    parley_learning: 'r',
  },
  earlier_calls: { parley_serving: 'rad (given_up_at)' },
  held_calls: { parley_serving: 'rad' },
  provider_events: { parley_serving: 'ra' },
  health_samples: { parley_serving: 'rawd', parley_learning: 'raw' },
  health_failures: { parley_serving: 'rad' },
  health_processes: { parley_serving: 'rawd', parley_learning: 'rawd' },
  health_providers: { parley_serving: 'rawd', parley_learning: 'raw' },
  health_retries: { parley_serving: 'rad' },
  person_settings: { parley_serving: 'ra (tour)' },
  idempotent_requests: {
    parley_serving: 'rad (attempt body_hash expires_at has_written response running_until)',
  },
  // Knowledge
  sources: {
    parley_serving: 'r',
    parley_learning: 'ra (current_run_id namespace_id title)',
    parley_reader: 'r',
    parley_member: 'r',
  },
  ingest_runs: {
    parley_serving: 'r',
    parley_learning:
      'ra (done duplicate_of ended_at epoch evaluation intake_id namespace_id outcome phase phase_done phase_total problem text_media_type text_title title)',
    parley_member: 'r',
  },
  ingest_texts: { parley_learning: 'rad' },
  chunks: { parley_serving: 'r', parley_learning: 'rad', parley_reader: 'r', parley_member: 'r' },
  terms: { parley_serving: 'r', parley_learning: 'r', parley_reader: 'r', parley_member: 'r' },
  withheld_sources: { parley_gate: 'r' },
  knowledge_revision: { parley_serving: 'r' },
  patches: {
    parley_serving: 'r',
    parley_learning: 'ra (decided_at decided_by evaluation revision run_id status)',
    parley_member: 'r',
  },
  facts: {
    parley_serving: 'r',
    parley_learning:
      'ra (repeats_fact_id state superseded_at superseded_by_patch supersedes_fact_id valid_to)',
    parley_reader: 'r',
    parley_member: 'r',
  },
  voice_builds: { parley_learning: 'ra (generation)' },
  voice_confirmed: { parley_learning: 'ra (generation)' },
  voice_artifacts: { parley_serving: 'r', parley_learning: 'ra', parley_gate: 'r' },
  artifact_ledger: { parley_serving: 'r', parley_learning: 'ra' },
  voice_runtime: { parley_serving: 'r', parley_learning: 'ra (generation promoted_at)', parley_gate: 'r' },
}

/** Tables without knowledge: login/rights.test.ts tries their rights one by one. */
const SESSIONS = [
  'agent_sessions',
  'media',
  'migrations',
  'people',
  'presences',
  'session_events',
  'session_media',
  'session_messages',
  'session_openings',
  'tokens',
]

const KNOWLEDGE = [
  'sources',
  'ingest_runs',
  'ingest_texts',
  'chunks',
  'terms',
  'patches',
  'facts',
  'voice_builds',
  'voice_confirmed',
  'voice_artifacts',
  'artifact_ledger',
  'voice_runtime',
]

test('[K1] each role has exactly the listed rights on each table', async () => {
  const rows = await runSql(
    fresh.databaseUrl,
    `select c.relname as name, role,
       concat(
         case when has_table_privilege(role, c.oid, 'select') then 'r' end,
         case when has_any_column_privilege(role, c.oid, 'insert') then 'a' end,
         case when has_table_privilege(role, c.oid, 'update') then 'w' end,
         case when has_table_privilege(role, c.oid, 'delete') then 'd' end,
         case when has_table_privilege(role, c.oid, 'truncate, references, trigger, maintain') then '!' end,
         (select ' (' || string_agg(attname, ' ' order by attname) || ')' from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not has_table_privilege(role, c.oid, 'update')
             and has_column_privilege(role, c.oid, a.attnum, 'update'))
       ) as rights
     from pg_class c,
       unnest('{parley_serving,parley_learning,parley_public,parley_gate,parley_reader,parley_member}'::text[]) as role
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm')
       and c.relname <> all('{${SESSIONS.join(',')}}')`,
  )
  const found: Record<string, Record<string, string>> = {}
  for (const { name, role, rights } of rows) {
    found[String(name)] = { ...found[String(name)], ...(rights !== '' && { [String(role)]: String(rights) }) }
  }
  expect(found).toEqual(RIGHTS)
})

const tryAsServing = (sql: string) =>
  runSql(toRoleUrl(fresh.databaseUrl, 'parley_serving'), sql).then(() => undefined, getErrorCode)

describe('[K1] Postgres does not let the server change knowledge', () => {
  test.each(KNOWLEDGE)('%s', async (table) => {
    const [column] = await runSql(
      fresh.databaseUrl,
      `select column_name as name from information_schema.columns where table_name = '${table}' limit 1`,
    )
    for (const statement of [
      `insert into ${table} default values`,
      `update ${table} set ${String(column?.name)} = default`,
      `delete from ${table}`,
      `truncate ${table}`,
      `alter table ${table} disable row level security`,
      `drop table ${table}`,
      `lock table ${table} in access exclusive mode`,
    ]) {
      expect([statement, await tryAsServing(`begin; ${statement}`)]).toEqual([statement, '42501'])
    }
  })

  test.each(['erase_source', 'erase_reflection', 'discard_patch', 'retire_chunks', 'place_chunks'])(
    '%s()',
    async (name) => {
      expect(await tryAsServing(`select ${name}('x')`)).toBe('42501')
    },
  )
})

test('[K2] jobs can neither change the text of a fact nor delete it', async () => {
  const url = toRoleUrl(fresh.databaseUrl, 'parley_learning')
  for (const statement of [
    `update facts set statement = 'x'`,
    `update facts set evidence = '[]'`,
    `update facts set valid_from = '2000'`,
    `update facts set namespace_id = 'nsp_x'`,
    'delete from facts',
    'delete from patches',
    'truncate facts',
    `insert into facts (id, state) values ('fct_x', 'active')`,
    'update chunks set is_current = true',
    `insert into chunks (run_id, is_current) values ('ing_x', true)`,
    'update terms set chunks = 1',
    'delete from withheld_sources',
  ]) {
    await expect(runSql(url, statement)).rejects.toMatchObject({ code: '42501' })
  }
})

test('[A5] nobody changes the audit log, not even the owner of the tables', async () => {
  await runSql(fresh.databaseUrl, `insert into audit_log (who, what) values ('per_ada', 'published')`)
  for (const statement of [`update audit_log set who = 'x'`, 'delete from audit_log', 'truncate audit_log']) {
    await expect(runSql(fresh.databaseUrl, statement)).rejects.toMatchObject({ code: '23001' })
  }
})

test('[A5] the server login cannot set the time of an entry', async () => {
  const statement = `insert into audit_log (who, what, at) values ('per_ada', 'published', '2001-01-01')`
  expect(await tryAsServing(statement)).toBe('42501')
})

const tryAsLearning = (sql: string) =>
  runSql(toRoleUrl(fresh.databaseUrl, 'parley_learning'), `begin; ${sql}; rollback`).then(
    () => undefined,
    getErrorCode,
  )

describe('[K3] jobs decide a patch once and cannot go back', () => {
  beforeAll(async () => {
    await runSql(
      fresh.databaseUrl,
      `insert into reflections (id, display_name, approval) values ('rfl_one', 'One', 'by_rule');
       insert into namespaces (id, reflection_id, name) values ('nsp_one', 'rfl_one', 'general');
       insert into originals (reflection_id, sha256, bytes) values ('rfl_one', sha256('x'), 'x');
       insert into intake (reflection_id, kind, source_id, namespace_id, title, media_type, sha256, requested_by)
         values ('rfl_one', 'source', 'src_one', 'nsp_one', 'One', 'text/plain', sha256('x'), 'per_ada');
       insert into patches (id, reflection_id, origin, source_id)
         select 'pat_' || status, 'rfl_one', 'ingest', 'src_one'
         from unnest('{proposed,applied,rejected,reverted}'::text[]) as status;
       update patches set status = 'rejected', decided_by = 'rule', decided_at = now() where id = 'pat_rejected';
       update patches set status = 'applied', decided_by = 'rule', decided_at = now()
         where id in ('pat_applied', 'pat_reverted');
       update patches set status = 'reverted', decided_at = now() where id = 'pat_reverted';
       insert into facts (id, reflection_id, namespace_id, patch_id, source_id, ordinal, subject, subject_key, predicate,
           object, object_key, statement, confidence, evidence)
         select 'fct_' || state, 'rfl_one', 'nsp_one', 'pat_applied', 'src_one', 0, 's', 's', 'p', 'o', 'o', 'S p o.', 1, '[]'
         from unnest('{candidate,active,rejected,ended}'::text[]) as state;
       update facts set state = 'active' where id in ('fct_active', 'fct_ended');
       update facts set state = 'rejected' where id = 'fct_rejected';
       update facts set superseded_at = now() where id = 'fct_ended'`,
    )
  })

  test.each([
    `update patches set status = 'proposed' where id = 'pat_applied'`,
    `update patches set status = 'applied' where id = 'pat_rejected'`,
    `update patches set status = 'applied' where id = 'pat_reverted'`,
    `update patches set status = 'reverted' where id = 'pat_proposed'`,
    `update patches set decided_by = 'per_x' where id = 'pat_applied'`,
    `update patches set decided_at = now() where id = 'pat_proposed'`,
    `update patches set run_id = 'ing_x' where id = 'pat_proposed'`,
    `insert into patches (id, reflection_id, origin, status) values ('pat_x', 'rfl_one', 'ingest', 'applied')`,
    `update facts set state = 'candidate' where id = 'fct_rejected'`,
    `update facts set state = 'active' where id = 'fct_rejected'`,
    `update facts set state = 'candidate' where id = 'fct_active'`,
    `update facts set superseded_at = null where id = 'fct_ended'`,
    `update facts set superseded_at = '2001-01-01' where id = 'fct_ended'`,
    `select erase_source('src_one')`,
  ])('%s', async (statement) => {
    expect(await tryAsLearning(statement)).toBe('23001')
  })

  test.each([
    `update patches set status = 'applied', decided_by = 'rule', decided_at = now() where id = 'pat_proposed'`,
    `update patches set status = 'reverted', decided_by = 'per_x', decided_at = now() where id = 'pat_applied'`,
    `update facts set state = 'active' where id = 'fct_candidate'`,
    `update facts set state = 'rejected' where id = 'fct_active'`,
  ])('but it can %s', async (statement) => {
    expect(await tryAsLearning(statement)).toBeUndefined()
  })
})

test('row policies are forced on all tables that public searches read', async () => {
  const rows = await runSql(
    fresh.databaseUrl,
    `select relname as name from pg_class
     where relrowsecurity and relforcerowsecurity and has_table_privilege('parley_reader', oid, 'select')
       and relnamespace = 'public'::regnamespace order by relname`,
  )
  const readable = Object.entries(RIGHTS).filter(([, rights]) => rights.parley_reader !== undefined)
  expect(rows.map(({ name }) => name)).toEqual(readable.map(([name]) => name).toSorted())
})
