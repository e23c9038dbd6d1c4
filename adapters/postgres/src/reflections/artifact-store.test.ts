import { createHash } from 'node:crypto'
import { type ReflectionId, type StoredGeneration, VoiceArtifacts } from '@parley/contracts'
import { rebuildVoice, verifyLedger } from '@parley/reflections'
import { describe, expect, test } from 'vitest'
import { ADA, createFact, ingestSource, useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'
import { toRoleUrl } from '../login/database-url.ts'
import { runSql } from '../server/testing/test-cluster.ts'

const base = await useKnowledgeBase()

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function newReflection(): Promise<ReflectionId> {
  const { reflections } = base.database
  const { id } = await reflections.create({ displayName: 'Ada Winter', creatorName: 'A. W.', ownerId: ADA })
  await reflections.addNamespace(id, 'essays', ADA)
  await reflections.addNamespace(id, 'diary', ADA)
  return id
}

const rebuild = (id: ReflectionId) => rebuildVoice(id, base.learning.artifacts, sha256)

const toHomeFact = (place: string) => createFact('Ada Winter', 'lives_in', place)

/** An evaluated build that a test finishes later. */
async function prepareBuild(id: ReflectionId) {
  const { artifacts } = base.learning
  const build = await artifacts.begin(id)
  if (!build) throw new Error(`There is no ${id}`)
  await artifacts.addCandidate(build, await readPromoted(id))
  return build
}

async function readPromoted(id: ReflectionId): Promise<VoiceArtifacts> {
  const promoted = await base.database.runtime.readPromoted(id)
  if (!promoted) throw new Error(`Nothing of ${id} serves`)
  return promoted.artifacts
}

/** The builds that wait for a worker. */
const listWaitingJobs = async (id: ReflectionId) =>
  (
    await runSql(
      base.databaseUrl,
      `select from pgboss.job where name = 'rebuild-voice' and singleton_key = '${id}' and state = 'created'`,
    )
  ).length

/** Simulates that workers left all builds in this state. */
const leaveBuilds = (id: ReflectionId, state: 'completed' | 'failed') =>
  runSql(
    base.databaseUrl,
    `update pgboss.job set state = '${state}' where name = 'rebuild-voice' and singleton_key = '${id}'`,
  )

describe('[P11] [X4] a missing build', () => {
  test('is requested again once it was given up, but not twice', async () => {
    const id = await newReflection()
    await rebuild(id)
    await leaveBuilds(id, 'completed')
    await base.learning.artifacts.requestMissingBuilds('periodically')
    expect(await listWaitingJobs(id)).toBe(0)
    await ingestSource(base, id, { namespace: 'essays', chunks: ['one'], facts: [toHomeFact('Oslo')] })
    await leaveBuilds(id, 'failed')
    for (const _ of ['once', 'and again']) await base.learning.artifacts.requestMissingBuilds('periodically')
    expect(await listWaitingJobs(id)).toBe(1)
  })

  test('is requested if the live one has another scope; after a rejection only at a start', async () => {
    const id = await newReflection()
    await rebuild(id)
    await base.database.reflections.publish(id, ['essays'], ADA)
    await leaveBuilds(id, 'completed')
    await base.learning.artifacts.requestMissingBuilds('periodically')
    expect(await listWaitingJobs(id)).toBe(0)
    await base.learning.artifacts.requestMissingBuilds('at-start')
    expect(await listWaitingJobs(id)).toBe(1)

    await runSql(base.databaseUrl, `delete from pgboss.job where singleton_key = '${id}'`)
    await base.learning.artifacts.requestMissingBuilds('periodically')
    expect(await listWaitingJobs(id)).toBe(1)
    await rebuild(id)
    await leaveBuilds(id, 'completed')
    await base.learning.artifacts.requestMissingBuilds('at-start')
    expect(await listWaitingJobs(id)).toBe(0)
  })
})

async function findLedgerFaults(id: ReflectionId) {
  const { items, live } = await base.database.runtime.readLedger(id, { limit: 1_000 })
  const stored = new Map<number, StoredGeneration | undefined>()
  for (const { generation } of items) {
    stored.set(generation, await base.database.runtime.readGeneration(id, generation))
  }
  const ledger = { reflectionId: id, entries: items.toReversed(), live }
  return verifyLedger(ledger, (generation) => stored.get(generation), sha256)
}

const listStages = async (id: ReflectionId) =>
  (await base.database.runtime.readLedger(id, { limit: 1_000 })).items
    .toReversed()
    .map(({ generation, stage }) => `${generation} ${stage}`)

describe('artifacts in Postgres', () => {
  test('[P1] are built from active facts, stored, evaluated and promoted, and the ledger verifies', async () => {
    const id = await newReflection()
    expect(await rebuild(id)).toBe('promoted')
    await ingestSource(base, id, {
      namespace: 'essays',
      chunks: ['I live in Oslo.'],
      facts: [toHomeFact('Oslo')],
    })
    const waiting = { namespace: 'diary', chunks: ['I live in Rome.'], facts: [toHomeFact('Rome')] }
    await ingestSource(base, id, { ...waiting, verdict: 'ask' })
    expect(await rebuild(id)).toBe('promoted')

    const promoted = await base.database.runtime.readPromoted(id)
    expect(promoted?.generation).toBe(2)
    expect(VoiceArtifacts.parse(promoted?.artifacts).capsule).toMatchObject({ facts: 1, sources: 1 })
    expect(JSON.stringify(promoted)).not.toContain('Rome')
    expect(await listStages(id)).toEqual([
      '1 candidate',
      '1 evaluated',
      '1 promoted',
      '2 candidate',
      '2 evaluated',
      '2 promoted',
    ])
    expect(await findLedgerFaults(id)).toEqual([])
  })

  test('[P5] contain nothing private in their public part, and private facts displace no public ones', async () => {
    const id = await newReflection()
    const many = Array.from({ length: 450 }, (_, index) => toHomeFact(`Canary-${index}`))
    await ingestSource(base, id, {
      namespace: 'essays',
      chunks: ['I live in Oslo.'],
      facts: [toHomeFact('Oslo')],
    })
    await base.database.reflections.publish(id, ['essays'], ADA)
    await rebuild(id)
    const before = (await readPromoted(id)).reflection_voice_dossier.public
    await ingestSource(base, id, { namespace: 'diary', chunks: ['I live everywhere.'], facts: many })
    await rebuild(id)
    const { reflection_voice_dossier, prompt_packs, voice_evidence_pack } = await readPromoted(id)
    expect(reflection_voice_dossier.public).toEqual(before)
    const open = JSON.stringify([
      reflection_voice_dossier.public,
      prompt_packs.public_standard,
      prompt_packs.public_emerging,
    ])
    expect(open).toContain('Oslo')
    expect(open).not.toMatch(/Canary|A\. W\./)
    expect(voice_evidence_pack.items.length).toBe(401)
    expect(JSON.stringify(reflection_voice_dossier.private)).toMatch(/Canary/)
  })

  test('[P5] are hidden from the public once a source in them leaves the published namespaces', async () => {
    const id = await newReflection()
    const { reflections, runtime, syncs } = base.database
    const said = { chunks: ['I live in Oslo.'], facts: [toHomeFact('Oslo')] }
    const sourceId = await ingestSource(base, id, { ...said, namespace: 'essays' })
    await reflections.publish(id, ['essays'], ADA)
    await rebuild(id)
    const readPublicArtifacts = async () =>
      (await runtime.readPromoted(id, 'public'))?.artifacts.reflection_voice_dossier.public.narrative
    const preview = async () => runtime.previewPublish(id, { namespaces: ['diary'], publish: true })
    expect(await readPublicArtifacts()).toContain('Oslo')
    expect((await preview())?.dossier.kept).toHaveLength(1)

    // Requested and not learned yet.
    const bytes = new TextEncoder().encode('I live in Oslo.')
    const moved = { title: 'Notes', namespace: 'diary', bytes, mediaType: 'text/plain' }
    expect(await reflections.addSource(id, moved, ADA, sourceId)).toMatchObject({
      endedSessions: { ended: [] },
    })
    expect(await readPublicArtifacts()).toBeUndefined()
    expect(await runtime.readPromoted(id, 'private')).toBeDefined()
    expect((await syncs.read(id))?.promoted?.isPublic).toBe(false)
    expect(await preview()).toMatchObject({ facts: 0, dossier: { removed: [], kept: [], added: [] } })
    expect(await rebuild(id)).toBe('promoted')
    expect(await readPublicArtifacts()).toBe('')
    expect((await syncs.read(id))?.promoted?.isPublic).toBe(true)

    // Its new facts wait for a person and never become active.
    await ingestSource(base, id, { ...said, namespace: 'diary', sourceId, verdict: 'ask' })
    await rebuild(id)
    expect(await readPublicArtifacts()).toBe('')
  })

  test('list facts about the creator before others', async () => {
    const id = await newReflection()
    const facts = [
      createFact('Bruno', 'likes', 'tea'),
      toHomeFact('Oslo'),
      createFact('Ada', 'likes', 'rain'),
    ]
    await ingestSource(base, id, { chunks: ['Bruno likes tea.'], facts })
    const build = await base.learning.artifacts.begin(id)
    expect(build?.input.evidence.map(({ statement }) => statement)).toEqual([
      'Ada Winter lives in Oslo.',
      'Ada likes rain.',
      'Bruno likes tea.',
    ])
  })

  test('[P9] keep the highest generation in whatever order builds end, and finish each once', async () => {
    const id = await newReflection()
    await rebuild(id)
    const { artifacts } = base.learning
    const approved = { verdict: 'approved', reasons: [] } as const
    const builds = [await prepareBuild(id), await prepareBuild(id), await prepareBuild(id)]
    const [first, second, third] = builds
    if (!first || !second || !third) throw new Error('Three were begun')
    expect(await artifacts.finish(second, approved)).toBe('promoted')
    expect(await artifacts.finish(first, approved)).toBe('outrun')
    expect(await artifacts.finish(second, approved)).toBe('promoted')
    expect(await artifacts.finish(third, { verdict: 'rejected', reasons: ['hash: made up'] })).toBe(
      'rejected',
    )
    expect((await base.database.runtime.readPromoted(id))?.generation).toBe(second.generation)
    expect((await listStages(id)).slice(-6)).toEqual([
      '3 evaluated',
      '3 promoted',
      '2 evaluated',
      '2 outrun',
      '4 evaluated',
      '4 rejected',
    ])
    expect(await findLedgerFaults(id)).toMatchObject([
      { problem: expect.stringContaining('verdict on generation 4') },
    ])
  })

  test('[P9] a build equal to the live artifacts leaves no generation, unless another may still replace them', async () => {
    const id = await newReflection()
    expect(await rebuild(id)).toBe('promoted')
    expect([await rebuild(id), await rebuild(id)]).toEqual(['unchanged', 'unchanged'])
    expect(await listStages(id)).toHaveLength(3)

    // It began before the change was reverted, so it knows less than the next build.
    await base.database.reflections.publish(id, ['essays'], ADA)
    const early = await base.learning.artifacts.begin(id)
    await base.database.reflections.unpublish(id, ['essays'], ADA)
    expect(await rebuild(id)).toBe('promoted')
    if (!early) throw new Error('It was begun')
    await base.learning.artifacts.addCandidate(early, await readPromoted(id))
    expect(await base.learning.artifacts.finish(early, { verdict: 'approved', reasons: [] })).toBe('outrun')
    expect(await rebuild(id)).toBe('unchanged')

    await base.database.reflections.publish(id, ['essays'], ADA)
    expect(await rebuild(id)).toBe('promoted')
    expect((await findLedgerFaults(id)).filter(({ problem }) => !problem.includes('verdict'))).toEqual([])
  })

  test('[P9] a later build knows every earlier change', async () => {
    const id = await newReflection()
    const early = await base.learning.artifacts.begin(id)
    await ingestSource(base, id, { chunks: ['I live in Oslo.'], facts: [toHomeFact('Oslo')] })
    const late = await base.learning.artifacts.begin(id)
    expect(early?.input.evidence).toEqual([])
    expect(late?.input.evidence).toHaveLength(1)
    expect(late?.generation).toBe(2)
  })

  test('[X5] artifacts built from a source are erased with it, also unfinished ones; their hash stays', async () => {
    const id = await newReflection()
    const sourceId = await ingestSource(base, id, {
      chunks: ['I live in Oslo.'],
      facts: [toHomeFact('Oslo')],
    })
    await rebuild(id)
    const build = await base.learning.artifacts.begin(id)
    const built = await readPromoted(id)
    await base.database.reflections.removeSource(id, sourceId, ADA)
    // Before any job has run.
    expect(await base.database.runtime.readPromoted(id, 'private')).toBeUndefined()
    expect((await base.database.syncs.read(id))?.promoted).toBeUndefined()
    await base.learning.learning.eraseSource(sourceId)
    expect(await base.database.runtime.readPromoted(id, 'private')).toBeUndefined()
    expect(await base.database.runtime.readGeneration(id, 1)).toEqual({
      generation: 1,
      publishedNamespaces: [],
    })
    if (!build) throw new Error('It was begun')
    await expect(base.learning.artifacts.addCandidate(build, built)).rejects.toMatchObject({
      code: 'source_not_found',
    })
    expect(await rebuild(id)).toBe('promoted')
    expect(await listStages(id)).toContain('1 erased')
    expect(JSON.stringify(await readPromoted(id))).not.toContain('Oslo')
    expect(await findLedgerFaults(id)).toEqual([])
  })

  test('[X5] the ledger of a removed reflection keeps only hashes', async () => {
    const id = await newReflection()
    await ingestSource(base, id, { chunks: ['I live in Oslo.'], facts: [toHomeFact('Oslo')] })
    await rebuild(id)
    await runSql(
      base.databaseUrl,
      `insert into runtime_syncs (reflection_id, surface, agent_id) values ('${id}', 'public', 'agent_1');
       insert into share_links (id, reflection_id, token_hash, created_by)
         values ('lnk_1', '${id}', sha256('made up'), '${ADA}');
       insert into reflection_sessions (session_id, reflection_id, person_id, share_link_id, channel, mode, session_audience, surface,
         role, ingestion, namespaces, status)
       values ('ses_1', '${id}', '${ADA}', 'lnk_1', 'text', 'share', 'public', 'public', 'guest', 'keep-only', '{}', 'active')`,
    )
    await base.database.reflections.remove(id, ADA)
    expect(await rebuild(id)).toBe('gone')
    expect(await base.database.runtime.readPromoted(id)).toBeUndefined()
    await base.learning.learning.eraseReflection(id)
    for (const table of [
      'voice_runtime',
      'voice_artifacts',
      'voice_builds',
      'voice_confirmed',
      'share_links',
      'runtime_syncs',
    ]) {
      expect(await runSql(base.databaseUrl, `select from ${table} where reflection_id = '${id}'`)).toEqual([])
    }
    const left = await runSql(base.databaseUrl, `select * from artifact_ledger where reflection_id = '${id}'`)
    expect(left).toHaveLength(3)
    expect(JSON.stringify(left)).not.toContain('Oslo')
  })
})

describe('rules that the database itself enforces', () => {
  test('[P9] nobody changes or removes a ledger entry, not even the owner of the tables', async () => {
    const id = await newReflection()
    await rebuild(id)
    for (const statement of [
      `update artifact_ledger set reasons = '["x"]'`,
      'delete from artifact_ledger',
      'truncate artifact_ledger',
    ]) {
      await expect(runSql(base.databaseUrl, statement)).rejects.toMatchObject({ code: '23001' })
      await expect(runSql(toRoleUrl(base.databaseUrl, 'parley_learning'), statement)).rejects.toMatchObject({
        code: '42501',
      })
    }
  })

  test.each(['voice_runtime', 'voice_builds'])('[P9] nobody lowers the generation of %s', async (table) => {
    const id = await newReflection()
    await rebuild(id)
    await base.database.reflections.change(id, { displayName: 'Ada' }, ADA)
    await rebuild(id)
    for (const url of [base.databaseUrl, toRoleUrl(base.databaseUrl, 'parley_learning')]) {
      for (const lower of ['generation', 'generation - 1']) {
        await expect(
          runSql(url, `update ${table} set generation = ${lower} where reflection_id = '${id}'`),
        ).rejects.toMatchObject({ code: '23001' })
      }
    }
    await expect(
      runSql(toRoleUrl(base.databaseUrl, 'parley_learning'), `delete from ${table}`),
    ).rejects.toMatchObject({ code: '42501' })
  })

  test.each<[string, string]>([
    ['erase a payload without an entry', 'update voice_artifacts set payload = null'],
    ['change a payload', `update voice_artifacts set payload = '{}'`],
    ['change the published namespaces', `update voice_artifacts set published_namespaces = '{diary}'`],
    ['remove what serves', 'delete from voice_runtime'],
    ['remove a payload', 'delete from voice_artifacts where generation = 1'],
    ['remove the last number', 'delete from voice_builds'],
  ])(
    '[P9] nobody can %s while the reflection exists, not even the owner of the tables',
    async (_, statement) => {
      const id = await newReflection()
      await rebuild(id)
      const of = `${statement} ${statement.includes(' where ') ? 'and' : 'where'} reflection_id = '${id}'`
      await expect(runSql(base.databaseUrl, of)).rejects.toMatchObject({ code: '23001' })
    },
  )

  test('[P9] a generation that was rejected, not evaluated or is not the highest cannot be promoted', async () => {
    const id = await newReflection()
    await rebuild(id)
    const { artifacts } = base.learning
    const [judged, unjudged] = [await prepareBuild(id), await prepareBuild(id)]
    await artifacts.finish(judged, { verdict: 'rejected', reasons: ['hash: made up'] })
    const learning = toRoleUrl(base.databaseUrl, 'parley_learning')
    for (const { generation } of [judged, unjudged]) {
      const promote = `update voice_runtime set generation = ${generation} where reflection_id = '${id}'`
      await expect(runSql(learning, promote)).rejects.toMatchObject({ code: '23001' })
    }
    await tamper('delete from voice_runtime', id)
    const back = `insert into voice_runtime (reflection_id, generation) values ('${id}', 1)`
    await expect(runSql(base.databaseUrl, back)).rejects.toMatchObject({ code: '23001' })
  })

  test.each<[string, string, RegExp]>([
    [
      'a payload that is put out',
      `update voice_artifacts set payload = null`,
      /is gone, and no entry says so/,
    ],
    [
      'a payload',
      `update voice_artifacts set payload = replace(payload::text, 'Oslo', 'Rome')::json`,
      /is not the one that was kept/,
    ],
    ['a payload that is gone', `delete from voice_runtime; delete from voice_artifacts`, /is missing/],
    ['a reason', `update artifact_ledger set reasons = '["x"]' where stage = 'evaluated'`, /its hash/],
    ['a time', `update artifact_ledger set at = at - interval '1 day' where position = 2`, /its hash/],
    ['an entry that is gone', `delete from artifact_ledger where position = 2`, /stands where entry 2/],
    ['a promotion that is gone', `delete from artifact_ledger where position = 3`, /generation 1 serves/],
    ['what serves', `update voice_runtime set generation = 0`, /generation 0 serves/],
    [
      'the published namespaces',
      `update voice_artifacts set published_namespaces = '{diary}'`,
      /verdict on generation 1/,
    ],
  ])('[P9] a change of %s outside our code is detected', async (_, tampering, problem) => {
    const id = await newReflection()
    await ingestSource(base, id, { chunks: ['I live in Oslo.'], facts: [toHomeFact('Oslo')] })
    await rebuild(id)
    expect(await findLedgerFaults(id)).toEqual([])
    await tamper(tampering, id)
    expect((await findLedgerFaults(id)).map((fault) => fault.problem).join('\n')).toMatch(problem)
  })
})

const GUARDED = ['artifact_ledger', 'voice_runtime', 'voice_artifacts']

const switchTriggers = (how: string) =>
  GUARDED.map((table) => `alter table ${table} ${how} trigger user`).join(';')

/** Acts as the owner of the tables, who can disable their triggers and keys. */
async function tamper(statements: string, id: ReflectionId): Promise<void> {
  const of = statements
    .split(';')
    .map(
      (statement) =>
        `${statement} ${statement.includes(' where ') ? 'and' : 'where'} reflection_id = '${id}'`,
    )
  await runSql(
    base.databaseUrl,
    `${switchTriggers('disable')};
     alter table voice_runtime drop constraint if exists voice_runtime_reflection_id_generation_fkey;
     ${of.join(';')};
     ${switchTriggers('enable')};
     alter table artifact_ledger enable always trigger append_only;
     alter table voice_runtime enable always trigger only_higher;
     alter table voice_runtime enable always trigger only_approved;
     alter table voice_runtime enable always trigger with_reflection;
     alter table voice_artifacts enable always trigger only_erased;
     alter table voice_artifacts enable always trigger with_reflection`,
  )
}
