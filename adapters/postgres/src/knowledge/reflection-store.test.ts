import type { PersonId, ReflectionId, SourceId } from '@parley/contracts'
import { proposeCorrection } from '@parley/knowledge'
import { describe, expect, test } from 'vitest'
import { runSql } from '../server/testing/test-cluster.ts'
import {
  ADA,
  BEN,
  createFact,
  openIngestRun,
  ingestSource,
  useKnowledgeBase,
} from './testing/knowledge-base.ts'

const base = await useKnowledgeBase()

const createReflection = (displayName = 'Ada Holm') =>
  base.database.reflections.create({ displayName, creatorName: 'Ada', ownerId: ADA })

const NONE = 'rfl_none' as ReflectionId
const toSource = (text: string) => ({
  title: 'Notes',
  namespace: 'general',
  bytes: new TextEncoder().encode(text),
  mediaType: 'text/plain',
  fileName: 'notes.txt',
})

describe('reflections', () => {
  test('a reflection is created with its namespaces and its owner, found, changed and listed', async () => {
    const { reflections } = base.database
    const reflection = await createReflection()
    expect(reflection).toMatchObject({
      displayName: 'Ada Holm',
      approval: 'by_rule',
      publishRevision: 0,
      knowledgeRevision: 0,
      namespaces: [
        { name: 'conversations', isPublished: false },
        { name: 'general', isPublished: false },
      ],
    })
    expect(await reflections.find(reflection.id)).toEqual(reflection)
    expect(await reflections.findMember(reflection.id, ADA)).toEqual({ role: 'owner' })
    const changed = await reflections.change(reflection.id, { approval: 'by_person' }, ADA)
    expect(changed).toEqual({ ...reflection, approval: 'by_person' })
    const { items } = await reflections.list({ limit: 50, personId: ADA })
    expect(items).toContainEqual({ ...changed, role: 'owner' })
    expect((await reflections.list({ limit: 50, personId: BEN })).items).toEqual([])
  })

  test('the creator’s name stays in a change that omits it, and null removes it', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    expect(await reflections.change(id, { displayName: 'Ada H.' }, ADA)).toMatchObject({ creatorName: 'Ada' })
    expect(await reflections.change(id, { creatorName: null }, ADA)).not.toHaveProperty('creatorName')
    expect(await reflections.change(id, { creatorName: 'A. Holm' }, ADA)).toMatchObject({
      displayName: 'Ada H.',
      creatorName: 'A. Holm',
    })
    // Facts may still use it; the public does not see it.
    await reflections.change(id, { creatorName: 'Ada' }, ADA)
    await reflections.change(id, { creatorName: 'A. Winter' }, ADA)
    expect(await reflections.readFormerNames(id)).toEqual(['Ada', 'A. Holm'])
    const { id: unnamed } = await reflections.create({ displayName: 'Ada', ownerId: ADA })
    await reflections.change(unnamed, { creatorName: 'A. Holm' }, ADA)
    expect(await reflections.readFormerNames(unnamed)).toEqual([])
  })

  test('[V5] facts from conversations wait for a person, or for the rule that the owner set', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    const findApproval = async (text: string) => {
      const said = {
        title: 'Said',
        namespace: 'conversations',
        bytes: Buffer.from(text),
        mediaType: 'text/plain',
      }
      const source = await reflections.addSource(id, said, ADA)
      return (await base.learning.ingest.openRun(source.id))?.approval
    }
    expect(await findApproval('I live in Oslo.')).toBe('by_person')
    const changed = await reflections.change(id, { conversationApproval: 'by_rule' }, ADA)
    expect(changed).toMatchObject({ approval: 'by_rule', conversationApproval: 'by_rule' })
    expect(await findApproval('I live in Rome.')).toBe('by_rule')
    await reflections.change(id, { conversationApproval: 'by_person' }, ADA)
    expect(await findApproval('I live in Bern.')).toBe('by_person')
  })

  test('a list has each reflection once, page by page, newest first', async () => {
    const { reflections } = base.database
    const ids = []
    for (const name of ['One', 'Two', 'Three']) ids.unshift((await createReflection(name)).id)
    const seen = []
    let cursor: string | undefined
    do {
      const page = await reflections.list({ limit: 2, ...(cursor !== undefined && { cursor }) })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen.slice(0, 3).toSorted()).toEqual(ids.toSorted())
    expect(new Set(seen).size).toBe(seen.length)
    await expect(reflections.list({ limit: 2, cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'validation',
    })
  })

  test('[A1] roles are read from the server’s own records', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    await reflections.setMember(id, { personId: BEN, role: 'viewer' }, ADA)
    await reflections.setMember(id, { personId: BEN, role: 'operator' }, ADA)
    const listed = await reflections.list({ limit: 50, personId: BEN })
    expect(listed.items).toMatchObject([{ id, role: 'operator' }])
    expect(await reflections.listMembers(id)).toEqual([
      { personId: ADA, label: 'Ada', role: 'owner', namespaces: 'all' },
      { personId: BEN, label: 'Ben', role: 'operator', namespaces: [] },
    ])
    expect([await reflections.isAdminOfAny(ADA), await reflections.isAdminOfAny(BEN)]).toEqual([true, false])
    await reflections.removeMember(id, BEN, ADA)
    expect(await reflections.findMember(id, BEN)).toBeUndefined()
    const nobody = { personId: 'per_nobody' as PersonId, role: 'viewer' } as const
    await expect(reflections.setMember(id, nobody, ADA)).rejects.toMatchObject({ code: 'not_found' })
    await expect(reflections.setMember(NONE, nobody, ADA)).rejects.toMatchObject({
      code: 'reflection_not_found',
    })
    const audit = await runSql(
      base.databaseUrl,
      `select what, target from audit_log where reflection_id = '${id}'`,
    )
    expect(audit.map(({ what }) => what)).toEqual([
      'member_set_viewer',
      'member_namespaces_set',
      'member_set_operator',
      'member_removed',
    ])
  })

  test('[A1] of two owners removed at the same time one stays', async () => {
    const { reflections } = base.database
    const ways = [
      (id: ReflectionId, personId: PersonId) => reflections.removeMember(id, personId, ADA),
      (id: ReflectionId, personId: PersonId) => reflections.setMember(id, { personId, role: 'viewer' }, ADA),
    ]
    for (const takeAway of [...ways, ...ways, ...ways]) {
      const { id } = await createReflection()
      await reflections.setMember(id, { personId: BEN, role: 'owner' }, ADA)
      const outcomes = await Promise.allSettled([takeAway(id, ADA), takeAway(id, BEN)])
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      const owners = (await reflections.listMembers(id)).filter(({ role }) => role === 'owner')
      expect(owners).toHaveLength(1)
    }
  })

  test('[P6] publish and unpublish change all namespaces or none, and never conversations', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    await reflections.addNamespace(id, 'talks', ADA)
    await expect(reflections.addNamespace(id, 'talks', ADA)).rejects.toMatchObject({ code: 'validation' })
    const isPublished = async (name: string) =>
      (await reflections.find(id))?.namespaces.find((namespace) => namespace.name === name)?.isPublished
    await expect(reflections.publish(id, ['talks', 'letters'], ADA)).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('letters'),
    })
    expect(await isPublished('talks')).toBe(false)
    await expect(reflections.publish(id, ['talks', 'conversations'], ADA)).rejects.toMatchObject({
      code: 'validation',
    })
    expect(await reflections.publish(id, ['talks'], ADA)).toMatchObject({ publishRevision: 1 })
    expect(await isPublished('talks')).toBe(true)
    expect(await reflections.unpublish(id, ['talks'], ADA)).toMatchObject({
      reflection: { publishRevision: 2 },
      ended: [],
    })
    expect(await isPublished('talks')).toBe(false)
    const owner = `update namespaces set is_published = true where name = 'conversations'`
    await expect(runSql(base.databaseUrl, owner)).rejects.toMatchObject({ code: '23514' })
  })
})

describe('[K4] sources', () => {
  test('more concurrent uploads than connections are all stored', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    const texts = Array.from({ length: 40 }, (_, index) => toSource(`Note ${index}.`))
    await Promise.all(texts.map((text) => reflections.addSource(id, text, ADA)))
    const { items } = await reflections.listSources(id, { limit: 100 })
    expect(items).toHaveLength(40)
  })

  test('a source is listed at once and shows its progress', async () => {
    const { reflections } = base.database
    const { ingest } = base.learning
    const { id } = await createReflection()
    const source = await reflections.addSource(id, toSource('I live in Oslo.'), ADA)
    expect(source).toMatchObject({ state: 'queued', bytes: 15, fileName: 'notes.txt', chunks: 0, facts: 0 })
    const run = await openIngestRun(base.learning, source.id)
    await ingest.recordPhase(run, 'facts', { done: 1, total: 3 })
    const running = { state: 'running', phase: 'facts', progress: { done: 1, total: 3 } }
    expect(await reflections.findSource(id, source.id)).toMatchObject(running)
    await ingest.fail(run, 'Nothing in it can be read. Save it as text.')
    expect(await reflections.findSource(id, source.id)).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('Save it'),
    })
    expect((await reflections.listSources(id, { limit: 5 })).items).toHaveLength(1)
    const other = await createReflection()
    expect(await reflections.findSource(other.id, source.id)).toBeUndefined()
    await expect(reflections.addSource(other.id, toSource('x'), ADA, source.id)).rejects.toMatchObject({
      code: 'source_not_found',
    })
    await expect(
      reflections.addSource(id, { ...toSource('x'), namespace: 'letters' }, ADA),
    ).rejects.toMatchObject({ code: 'validation' })
  })

  test('sources of one namespace are listed page by page', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    await reflections.addNamespace(id, 'letters', ADA)
    const add = (namespace: string, title: string) =>
      reflections.addSource(id, { ...toSource(title), namespace, title }, ADA)
    for (const title of ['One', 'Two', 'Three']) {
      await add('letters', title)
      await add('general', `Not ${title}`)
    }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const asked = { limit: 2, namespace: 'letters', ...(cursor !== undefined && { cursor }) }
      const page = await reflections.listSources(id, asked)
      seen.push(...page.items.map(({ title }) => title))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen.toSorted()).toEqual(['One', 'Three', 'Two'])
    const elsewhere = { limit: 2, namespace: 'nowhere' }
    expect(await reflections.listSources(id, elsewhere)).toEqual({ items: [] })
  })

  test('identical bytes are duplicate_skipped, and a failed run is resumed', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    const sourceId = await ingestSource(base, id, { chunks: ['I live in Oslo.'] })
    expect(await reflections.findSource(id, sourceId)).toMatchObject({ state: 'completed', chunks: 1 })
    expect(await reflections.addSource(id, toSource('I live in Oslo.'), ADA, sourceId)).toMatchObject({
      id: sourceId,
      state: 'duplicate_skipped',
    })
    expect(await base.learning.ingest.openRun(sourceId)).toBeUndefined()

    const failing = await reflections.addSource(id, toSource('Another one.'), ADA)
    const run = await openIngestRun(base.learning, failing.id)
    await base.learning.ingest.recordPhase(run, 'read', 'done')
    await base.learning.ingest.fail(run, 'The disk was full.')
    await reflections.addSource(id, toSource('Another one.'), ADA, failing.id)
    expect(await openIngestRun(base.learning, failing.id)).toMatchObject({ id: run.id, done: ['read'] })
  })

  test('bytes that return after another version, or move to another namespace, are learned again', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    await reflections.addNamespace(id, 'letters', ADA)
    const sourceId = await ingestSource(base, id, { chunks: ['I live in Oslo.'], facts: toHomeFact('Oslo') })
    const { items: first } = await reflections.listPatches(id, { limit: 9 })
    await ingestSource(base, id, { sourceId, chunks: ['I live in Rome.'], facts: toHomeFact('Rome') })
    expect(await reflections.addSource(id, toSource('I live in Oslo.'), ADA, sourceId)).toMatchObject({
      state: 'queued',
    })
    await ingestSource(base, id, { sourceId, chunks: ['I live in Oslo.'], facts: toHomeFact('Oslo') })
    expect(await reflections.findSource(id, sourceId)).toMatchObject({
      state: 'completed',
      chunks: 1,
      facts: 1,
    })
    await ingestSource(base, id, {
      sourceId,
      namespace: 'letters',
      chunks: ['I live in Oslo.'],
      facts: toHomeFact('Oslo'),
    })
    const { items } = await reflections.listFacts(id, { limit: 9, state: 'active' })
    expect(items).toMatchObject([{ object: 'Oslo', namespace: 'letters' }])
    const { items: patches } = await reflections.listPatches(id, { limit: 9 })
    expect(patches).toHaveLength(4)
    expect(patches.map((patch) => patch.id)).toContain(first[0]?.id)
  })

  test('[X4] a run of an earlier version writes nothing once another version is opened', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    const sourceId = await ingestSource(base, id, { chunks: ['I live in Oslo.'] })
    await reflections.addSource(id, toSource('I live in Rome.'), ADA, sourceId)
    const rome = await openIngestRun(base.learning, sourceId)
    await reflections.addSource(id, toSource('I live in Oslo.'), ADA, sourceId)
    expect(await base.learning.ingest.openRun(sourceId)).toBeUndefined()
    await expect(base.learning.ingest.apply(rome, 'completed')).rejects.toMatchObject({ code: 'internal' })
    expect(await reflections.findSource(id, sourceId)).toMatchObject({
      state: 'duplicate_skipped',
      chunks: 1,
    })
  })

  test('[X4] an earlier opener of a run writes nothing once another process has opened it', async () => {
    const { reflections } = base.database
    const { ingest } = base.learning
    const { id } = await createReflection()
    const { id: sourceId } = await reflections.addSource(id, toSource('Taken for dead.'), ADA)
    const before = await openIngestRun(base.learning, sourceId)
    const after = await openIngestRun(base.learning, sourceId)
    const refused = { code: 'internal', message: expect.stringContaining('another worker') }
    await expect(ingest.saveChunks(before, [])).rejects.toMatchObject(refused)
    await expect(ingest.savePatch(before, [])).rejects.toMatchObject(refused)
    await expect(ingest.apply(before, 'completed')).rejects.toMatchObject(refused)
    await ingest.fail(before, 'It did not look like it.')
    expect(await reflections.findSource(id, sourceId)).toMatchObject({ state: 'running' })
    await ingest.apply(after, 'completed')
    expect(await reflections.findSource(id, sourceId)).toMatchObject({ state: 'completed' })
  })

  test('a removed source leaves nothing but the hash of its run', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    const facts = [createFact('Ada', 'lives_in', 'Oslo')]
    const kept = await ingestSource(base, id, { chunks: ['Ada lives in Oslo, by the water.'], facts })
    const gone = await ingestSource(base, id, { chunks: ['Ada hid a zanzibar in Oslo.'], facts })
    const running = await reflections.addSource(id, toSource('Under way.'), ADA)
    const run = await openIngestRun(base.learning, running.id)
    for (const sourceId of [gone, running.id]) {
      await reflections.removeSource(id, sourceId, ADA)
      await reflections.removeSource(id, sourceId, ADA)
      expect(await reflections.findSource(id, sourceId)).toMatchObject({ state: 'removing' })
      await base.learning.learning.eraseSource(sourceId)
      await base.learning.learning.eraseSource(sourceId)
      expect(await reflections.findSource(id, sourceId)).toBeUndefined()
    }
    // Cached answers have an earlier revision.
    expect((await reflections.find(id))?.publishRevision).toBe(2)
    await expect(base.learning.ingest.saveChunks(run, [])).rejects.toMatchObject({ code: 'internal' })
    await expect(base.learning.ingest.apply(run, 'completed')).rejects.toMatchObject({ code: 'internal' })
    expect(await reflections.findSource(id, kept)).toMatchObject({ chunks: 1, facts: 1 })
    expect(await listMentions('zanzibar')).toEqual([])
    const words = await runSql(
      base.databaseUrl,
      `select word, chunks from terms where reflection_id = '${id}'`,
    )
    expect(words).toContainEqual({ word: 'oslo', chunks: 1 })
    await expect(reflections.removeSource(id, gone, ADA)).rejects.toMatchObject({ code: 'source_not_found' })
  })

  test('a removed reflection is hidden at once, and its job deletes everything', async () => {
    const { reflections, publicScopes } = base.database
    const { id } = await createReflection()
    await ingestSource(base, id, {
      chunks: ['The quokka is mine.'],
      facts: [createFact('Ada', 'keeps', 'a quokka')],
    })
    await publicScopes.create({ sessionId: `ses_${id}`, reflectionId: id })
    await base.learning.learning.eraseReflection(id)
    expect(await reflections.find(id)).toBeDefined()
    await reflections.remove(id, ADA)
    expect(await reflections.find(id)).toBeUndefined()
    expect(await reflections.findMember(id, ADA)).toBeUndefined()
    await base.learning.learning.eraseReflection(id)
    await base.learning.learning.eraseReflection(id)
    expect(await listMentions('quokka')).toEqual([])
    expect(await runSql(base.databaseUrl, `select from reflections where id = '${id}'`)).toEqual([])
    await expect(reflections.remove(id, ADA)).rejects.toMatchObject({ code: 'reflection_not_found' })
  })
})

const toHomeFact = (where: string) => [createFact('Ada', 'lives_in', where)]
const ask = async (id: ReflectionId, where: string, sourceId?: SourceId) => {
  const told = { chunks: [`Ada lives in ${where}.`], facts: toHomeFact(where), verdict: 'ask' } as const
  const source = await ingestSource(base, id, { ...told, ...(sourceId && { sourceId }) })
  const { items } = await base.database.reflections.listPatches(id, { limit: 50 })
  const patch = items.find((item) => item.sourceId === source && item.status === 'proposed')
  if (!patch) throw new Error('There is no patch')
  return { patch, source }
}
const listActiveFacts = async (id: ReflectionId) => {
  const { items } = await base.database.reflections.listFacts(id, { limit: 50, state: 'active' })
  return items.map(({ object }) => object).toSorted()
}

describe('[K3] patches', () => {
  test('a patch waits for a person; the first decision is applied, later ones are refused', async () => {
    const { reflections } = base.database
    const { learning } = base.learning
    const { id } = await createReflection()
    const { patch } = await ask(id, 'Oslo')
    expect(patch).toMatchObject({ origin: 'ingest', facts: [{ state: 'candidate', object: 'Oslo' }] })
    expect(await listActiveFacts(id)).toEqual([])
    await reflections.review(id, patch.id, 'approve', ADA)
    await expect(reflections.review(id, patch.id, 'revert', ADA)).rejects.toMatchObject({
      code: 'patch_not_pending',
    })
    await learning.applyReview(patch.id, 'approve', ADA)
    await learning.applyReview(patch.id, 'reject', BEN)
    expect(await reflections.findPatch(id, patch.id)).toMatchObject({ status: 'applied', decidedBy: ADA })
    expect(await listActiveFacts(id)).toEqual(['Oslo'])
    await expect(reflections.review(id, patch.id, 'approve', ADA)).rejects.toMatchObject({
      code: 'patch_not_pending',
    })
    const other = await createReflection()
    await expect(reflections.review(other.id, patch.id, 'revert', ADA)).rejects.toMatchObject({
      code: 'not_found',
    })

    await learning.applyReview(patch.id, 'revert', ADA)
    expect(await listActiveFacts(id)).toEqual([])
    expect(await reflections.findPatch(id, patch.id)).toMatchObject({
      status: 'reverted',
      facts: [{ state: 'rejected' }],
    })
    const { patch: unwanted } = await ask(id, 'Rome')
    await learning.applyReview(unwanted.id, 'reject', BEN)
    expect(await reflections.findPatch(id, unwanted.id)).toMatchObject({ status: 'rejected', decidedBy: BEN })
    expect((await reflections.listPatches(id, { limit: 9, status: 'reverted' })).items).toHaveLength(1)
  })

  test('[K2] a later version ends the facts of the earlier one, and reverting it restores them', async () => {
    const { reflections } = base.database
    const { learning } = base.learning
    const { id } = await createReflection()
    const first = await ask(id, 'Oslo')
    await learning.applyReview(first.patch.id, 'approve', ADA)
    const second = await ask(id, 'Bergen', first.source)
    expect(await listActiveFacts(id)).toEqual(['Oslo'])
    await learning.applyReview(second.patch.id, 'approve', ADA)
    expect(await listActiveFacts(id)).toEqual(['Bergen'])
    const [oslo] = (await reflections.findPatch(id, first.patch.id))?.facts ?? []
    const after = await reflections.findPatch(id, second.patch.id)
    const [bergen] = after?.facts ?? []
    expect(bergen).toMatchObject({ supersedesFactId: oslo?.id })
    expect(bergen).not.toHaveProperty('supersededAt')
    expect(oslo).toMatchObject({
      state: 'active',
      supersededAt: expect.stringMatching(/^\d{4}-/),
      supersededBy: bergen?.id,
    })
    expect(after?.supersedes).toEqual([oslo])
    expect((await reflections.listFacts(id, { limit: 9 })).items).toContainEqual(oslo)

    const third = await ask(id, 'Rome', first.source)
    await learning.applyReview(third.patch.id, 'approve', ADA)
    // The fact that Bergen replaced does not return while Rome is active.
    await learning.applyReview(second.patch.id, 'revert', ADA)
    expect(await listActiveFacts(id)).toEqual(['Rome'])
    await learning.applyReview(third.patch.id, 'revert', ADA)
    expect(await listActiveFacts(id)).toEqual(['Oslo'])
    const [back] = (await reflections.findPatch(id, first.patch.id))?.facts ?? []
    expect(back?.validTo).toBeUndefined()
    expect(back).not.toHaveProperty('supersededAt')
  })

  test('a patch lists the facts that it supersedes, without those of removed sources', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    const first = await ask(id, 'Oslo')
    await base.learning.learning.applyReview(first.patch.id, 'approve', ADA)
    const { patchId } = await reflections.proposeCorrection(
      id,
      { fact: first.patch.facts[0]?.id ?? '', correction: 'Ada lives in Bergen.' },
      ADA,
    )
    await proposeCorrection(patchId, base.learning.learning)
    const listStatements = async () => {
      const { items } = await reflections.listPatches(id, { limit: 9 })
      return items.map(({ id: each, supersedes }) => [each, supersedes.map(({ statement }) => statement)])
    }
    expect(await listStatements()).toEqual([
      [patchId, ['Ada lives in Oslo.']],
      [first.patch.id, []],
    ])
    await reflections.removeSource(id, first.source, ADA)
    await base.learning.learning.eraseSource(first.source)
    expect(await listStatements()).toEqual([[patchId, []]])
  })

  test('a waiting patch is rejected when a later version of its source arrives', async () => {
    const { reflections } = base.database
    const { id } = await createReflection()
    const first = await ask(id, 'Oslo')
    await ask(id, 'Bergen', first.source)
    expect(await reflections.findPatch(id, first.patch.id)).toMatchObject({
      status: 'rejected',
      decidedBy: 'rule',
    })
  })
})

/** The tables that still contain a word. */
async function listMentions(word: string): Promise<readonly string[]> {
  const tables = await runSql(
    base.databaseUrl,
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  const found = await Promise.all(
    tables.map(async ({ relname }) => {
      const sql = `select from ${String(relname)} t where t::text ilike '%${word}%' limit 1`
      return (await runSql(base.databaseUrl, sql)).length > 0 ? [String(relname)] : []
    }),
  )
  return found.flat()
}
