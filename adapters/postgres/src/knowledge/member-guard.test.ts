import { randomBytes } from 'node:crypto'
import type { ReflectionId, SourceId } from '@parley/contracts'
import type { KnowledgeReader, MemberReach } from '@parley/knowledge'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRoleUrl } from '../login/database-url.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { getErrorCode } from '../login/database-error.ts'
import {
  ADA,
  BEN,
  createFact,
  type KnowledgeBase,
  openKnowledgeBase,
  ingestSource,
} from './testing/knowledge-base.ts'

const CANARY = 'canary'
const REFUSED = '42501'
const PRIVATE = ['conversations', 'general', 'letters']

let base: KnowledgeBase
let reflectionId: ReflectionId
let login: Client

/** One in each namespace: `talks` is published, `work` is chosen for Ben, and Ben may not see the others. */
beforeAll(async () => {
  base = await openKnowledgeBase()
  const { reflections } = base.database
  reflectionId = await withCanaries('ours')
  await withCanaries('others')
  await reflections.setMember(reflectionId, { personId: BEN, role: 'viewer', namespaces: ['work'] }, ADA)
  login = new Client(toRoleUrl(base.databaseUrl, 'parley_member'))
  await login.connect()
})

afterAll(async () => {
  await login.end()
  await base.close()
})

async function withCanaries(name: string): Promise<ReflectionId> {
  const { reflections } = base.database
  const { id } = await reflections.create({ displayName: name, ownerId: ADA })
  for (const namespace of ['letters', 'talks', 'work']) await reflections.addNamespace(id, namespace, ADA)
  for (const namespace of [...PRIVATE, 'talks', 'work']) {
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

async function readReachOfBen(): Promise<MemberReach> {
  const reach = (await base.database.reflections.findMember(reflectionId, BEN))?.reach
  if (!reach) throw new Error('Ben reaches everything')
  return reach
}

/** Runs statements as the member login. Returns the rows of the last one, or the code of the first error. */
async function tryStatements(
  ...statements: readonly string[]
): Promise<readonly Record<string, unknown>[] | string> {
  await login.query('begin')
  try {
    let rows: readonly Record<string, unknown>[] = []
    for (const statement of statements) rows = (await login.query(statement)).rows
    return rows
  } catch (error) {
    return getErrorCode(error) ?? String(error)
  } finally {
    await login.query('rollback')
  }
}

const toSetReach = (capability: Uint8Array) =>
  `select set_config('parley.scope', '${Buffer.from(capability).toString('hex')}', true)`

test('[A1] a member reads the published namespaces and the chosen ones', async () => {
  const { reflections } = base.database
  expect(await reflections.findMember(reflectionId, BEN)).toMatchObject({
    role: 'viewer',
    reach: { chosen: ['work'], namespaces: ['talks', 'work'] },
  })
  expect(await reflections.findMember(reflectionId, ADA)).toEqual({ role: 'owner' })
  const [mine] = (await reflections.list({ limit: 5, personId: BEN })).items
  expect(mine?.namespaces.map(({ name }) => name)).toEqual(['talks', 'work'])
})

describe('[X3] a query without any filter shows a member nothing more', () => {
  const TABLES = {
    namespaces: 'name',
    sources: 'title',
    chunks: 'text',
    facts: 'statement',
    terms: 'namespace_id',
    ingest_runs: 'title',
    intake: 'title',
    patches: 'source_id',
    originals: `convert_from(bytes, 'UTF8')`,
  }

  test.each(Object.entries(TABLES))('of %s', async (table, column) => {
    const { capability } = await readReachOfBen()
    const filterless = `select ${column} as shown from ${table}`
    const shown = JSON.stringify(await tryStatements(toSetReach(capability), filterless))
    expect(shown.length).toBeGreaterThan(2)
    for (const hidden of [...PRIVATE, 'others']) expect(shown).not.toContain(hidden)
    expect(await tryStatements(filterless)).toEqual([])
    expect(await tryStatements(toSetReach(randomBytes(32)), filterless)).toEqual([])
  })

  test('of the searches and of the evidence behind prompts, whatever namespaces are requested', async () => {
    const { capability } = await readReachOfBen()
    const all = `(select array_agg(id) from namespaces)`
    const hidden = await runSql(
      base.databaseUrl,
      `select id from namespaces where name <> all('{talks,work}')`,
    )
    const ids = `'{${hidden.map(({ id }) => String(id)).join(',')}}'::text[]`
    const found = await tryStatements(
      toSetReach(capability),
      `select * from search_knowledge(${all} || ${ids}, ${all} || ${ids}, '${CANARY} keeps', '{ada}', 50)`,
    )
    expect(found).toHaveLength(4)
    expect(
      await tryStatements(toSetReach(capability), `select * from gate.matching_chunks(${ids}, 'canari')`),
    ).toEqual([])
    expect(
      await tryStatements(toSetReach(capability), `select * from gate.matching_facts(${ids}, 'canari')`),
    ).toEqual([])
  })
})

describe('[X3] Postgres refuses the login of members', () => {
  test.each([
    'set role parley_serving',
    'set role parley_gate',
    'select * from reflection_members',
    'select * from voice_artifacts',
    'select * from agent_sessions',
    'select * from session_messages',
    'select display_name from reflections',
    'select gate.reaching_member()',
    `select gate.search('x', '{}', 1)`,
    `update facts set state = 'rejected'`,
    'delete from intake',
    'create table public.mine (id int)',
    'create temporary table mine (id int)',
    'select pg_advisory_lock(1)',
  ])('%s', async (statement) => {
    expect(await tryStatements(toSetReach((await readReachOfBen()).capability), statement)).toBe(REFUSED)
  })

  test('the public login sees nothing with a member’s capability', async () => {
    const { capability } = await readReachOfBen()
    const found = await base.database.retriever.searchPublic(
      capability,
      { query: CANARY, entityKeys: ['ada'], limit: 20 },
      new AbortController().signal,
    )
    expect(found.evidence).toEqual([])
  })
})

describe('[A1] reading as a member', () => {
  const page = { limit: 50 }
  const findFact = async (namespace: string) => {
    const { items } = await base.database.reflections.listFacts(reflectionId, { ...page, namespace })
    const [{ id, patchId, evidence }] = items as [(typeof items)[number]]
    return { id, patchId, sourceId: evidence[0]?.sourceId }
  }

  test.each<[string, (reader: KnowledgeReader) => Promise<unknown>]>([
    ['sources', (reader) => reader.listSources(reflectionId, page)],
    ['facts', (reader) => reader.listFacts(reflectionId, page)],
    [
      'facts in order',
      (reader) => reader.listFactSection(reflectionId, { after: 0, limit: 50, order: 'subject' }),
    ],
    ['patches', (reader) => reader.listPatches(reflectionId, page)],
    ['the summary', (reader) => reader.countKnowledge(reflectionId, {})],
  ])('%s: those of their namespaces', async (_, read) => {
    const reader = base.database.reflections.openMemberReader((await readReachOfBen()).capability)
    const shown = JSON.stringify(await read(reader))
    for (const seen of ['talks', 'work']) expect(shown).toContain(seen)
    for (const hidden of PRIVATE) expect(shown).not.toContain(hidden)
  })

  test('a single record by its id: none of another namespace', async () => {
    const { reflections } = base.database
    const reader = reflections.openMemberReader((await readReachOfBen()).capability)
    const letters = await findFact('letters')
    const work = await findFact('work')
    expect(await reader.readFactHistory(reflectionId, letters.id)).toEqual([])
    expect(await reader.readFactHistory(reflectionId, work.id)).toHaveLength(1)
    expect(await reader.findPatch(reflectionId, letters.patchId)).toBeUndefined()
    expect(await reader.findPatch(reflectionId, work.patchId)).toMatchObject({ id: work.patchId })
    if (!letters.sourceId || !work.sourceId) throw new Error('facts without a source')
    expect(await reader.findSource(reflectionId, letters.sourceId)).toBeUndefined()
    expect(await reader.findSource(reflectionId, work.sourceId)).toMatchObject({ namespace: 'work' })
    const from = { after: 0, limit: 5 }
    expect(await reader.readSourceText(reflectionId, letters.sourceId, from)).toEqual({ items: [], count: 0 })
  })

  test('[K5] [P4] a search covers only the member’s namespaces, even if it names others', async () => {
    const { capability } = await readReachOfBen()
    const found = await base.database.retriever.searchPrivate(
      reflectionId,
      undefined,
      { query: `${CANARY} keeps`, entityKeys: ['ada'], limit: 50 },
      new AbortController().signal,
      capability,
    )
    expect(new Set(found.evidence.map(({ namespace }) => namespace))).toEqual(new Set(['talks', 'work']))
  })
})

test('[A1] namespaces that were unpublished or withdrawn from a member are hidden from the next statement', async () => {
  const { reflections } = base.database
  const { capability } = await readReachOfBen()
  const names = async () =>
    (await tryStatements(toSetReach(capability), 'select name from namespaces order by name')) as readonly {
      readonly name: string
    }[]
  const change = (namespaces: string[]) =>
    reflections.setMember(reflectionId, { personId: BEN, role: 'viewer', namespaces }, ADA)
  await change(['letters'])
  expect(await names()).toEqual([{ name: 'letters' }, { name: 'talks' }])
  await reflections.unpublish(reflectionId, ['talks'], ADA)
  expect(await names()).toEqual([{ name: 'letters' }])
  await reflections.removeMember(reflectionId, BEN, ADA)
  expect(await names()).toEqual([])
  await reflections.publish(reflectionId, ['talks'], ADA)
  await change(['work'])
  expect(await names()).toEqual([{ name: 'talks' }, { name: 'work' }])
})

test('[A1] a source that leaves a member’s namespaces, or is being removed, is hidden at once', async () => {
  const { reflections } = base.database
  const { id } = await reflections.create({ displayName: 'Moved', ownerId: ADA })
  for (const namespace of ['vault', 'work']) await reflections.addNamespace(id, namespace, ADA)
  await reflections.setMember(id, { personId: BEN, role: 'viewer', namespaces: ['work'] }, ADA)
  const reach = (await reflections.findMember(id, BEN))?.reach
  if (!reach) throw new Error('Ben reaches everything')
  const reader = reflections.openMemberReader(reach.capability)
  const seen = async () => ({
    sources: (await reader.listSources(id, { limit: 50 })).items.map(({ title }) => title),
    facts: (await reader.listFacts(id, { limit: 50 })).items.map(({ object }) => object),
  })
  const told = (title: string, namespace: string, sourceId?: SourceId) =>
    ingestSource(base, id, {
      title,
      namespace,
      chunks: [`Of ${title}.`],
      facts: [createFact('Ada', 'keeps', title)],
      ...(sourceId && { sourceId }),
    })
  const moved = await told('moved', 'work')
  const removed = await told('removed', 'work')
  await told('kept', 'work')
  expect((await seen()).sources.toSorted()).toEqual(['kept', 'moved', 'removed'])
  const bytes = new TextEncoder().encode('Of moved, elsewhere.')
  await reflections.addSource(
    id,
    { title: 'moved', namespace: 'vault', bytes, mediaType: 'text/plain' },
    ADA,
    moved,
  )
  await reflections.removeSource(id, removed, ADA)
  expect(await seen()).toEqual({ sources: ['kept'], facts: ['kept'] })
})

test('[A1] a new viewer reads the published namespaces; a role keeps its namespaces, and admins read all', async () => {
  const { reflections } = base.database
  const { id } = await reflections.create({ displayName: 'Roles', ownerId: ADA })
  const set = async (member: { role: 'admin' | 'operator' | 'viewer'; namespaces?: 'all' | string[] }) => {
    await reflections.setMember(id, { personId: BEN, ...member }, ADA)
    return (await reflections.listMembers(id)).find(({ personId }) => personId === BEN)?.namespaces
  }
  expect(await set({ role: 'viewer' })).toEqual([])
  expect(await set({ role: 'viewer', namespaces: ['general'] })).toEqual(['general'])
  expect(await set({ role: 'operator' })).toEqual(['general'])
  expect(await set({ role: 'admin' })).toBe('all')
  expect(await set({ role: 'viewer' })).toEqual([])
  expect(await set({ role: 'viewer', namespaces: 'all' })).toBe('all')
  expect(await set({ role: 'operator' })).toBe('all')
  await expect(set({ role: 'admin', namespaces: ['general'] })).rejects.toMatchObject({ code: 'validation' })
  await expect(set({ role: 'viewer', namespaces: ['nowhere'] })).rejects.toMatchObject({
    code: 'validation',
    detail: { message: expect.stringContaining('There are: conversations, general') as string },
  })
  const { items } = await reflections.listAuditEntries(id, { limit: 50 })
  const told = items.filter(({ what }) => what === 'member_namespaces_set').map(({ target }) => target)
  expect(told.toReversed()).toEqual([
    `${BEN}: the published ones`,
    `${BEN}: the published ones, general`,
    `${BEN}: the published ones`,
    `${BEN}: all`,
  ])
})

test('[A1] a member keeps their namespaces when the password behind the capabilities changes', async () => {
  const { reflections } = base.database
  await reflections.setMember(reflectionId, { personId: BEN, role: 'viewer', namespaces: ['work'] }, ADA)
  await runSql(
    base.databaseUrl,
    `update reflection_members set capability_hash = sha256('old') where person_id = '${BEN}' and reflection_id = '${reflectionId}'`,
  )
  const reader = reflections.openMemberReader((await readReachOfBen()).capability)
  expect((await reader.listSources(reflectionId, { limit: 50 })).items).not.toEqual([])
})
