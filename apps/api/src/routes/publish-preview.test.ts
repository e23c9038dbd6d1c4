import { PublishPreview, ReflectionSummary, Source } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { learn } from '../testing/learn.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
let reflectionId: string
beforeAll(async () => {
  api = await knowledgeApi()
  reflectionId = (await api.reflection('Ada Marlow')).id
  for (const [namespace, text] of Object.entries(TEXTS)) {
    await api.call('POST', `/reflections/${reflectionId}/namespaces`, { body: { name: namespace } })
    const body = { title: namespace, namespace, text }
    const { answer } = await api.call('POST', `/reflections/${reflectionId}/sources`, { body })
    await learn(api.databaseUrl, Source.parse(answer).id)
  }
})
afterAll(() => api[Symbol.asyncDispose]())

const TEXTS = {
  work: 'I have lived in Oslo since 2004. I work as a bookbinder.',
  family: 'My sister is called Kettlewick.',
}

const preview = async (namespaces: readonly string[], publish: boolean, token = api.ownerToken) => {
  const body = { namespaces, publish }
  const asked = await api.call('POST', `/reflections/${reflectionId}/publish-preview`, { token, body })
  return { ...asked, preview: PublishPreview.safeParse(asked.answer).data }
}

test('[P5] a preview shows exactly what would be public, and changes nothing', async () => {
  const before = await api.call('GET', `/reflections/${reflectionId}`)
  const { preview: work } = await preview(['work'], true)
  expect(work).toMatchObject({ published: ['work'], facts: 2, refused: [], links: 0, visitors: 0 })
  expect(work?.dossier.added.join()).toContain('Oslo')
  expect(work?.prompt).toContain('bookbinder')
  expect(JSON.stringify(work)).not.toContain('Kettlewick')
  expect(await api.call('GET', `/reflections/${reflectionId}`)).toEqual(before)
})

test('[P6] it shows removed content and affected links', async () => {
  await api.call('POST', `/reflections/${reflectionId}/publish`, { body: { namespaces: ['work', 'family'] } })
  for (const namespaces of [undefined, ['work'], ['family']]) {
    await api.call('POST', `/reflections/${reflectionId}/share-links`, {
      body: { ...(namespaces && { namespaces }) },
    })
  }
  const { preview: less } = await preview(['family'], false)
  expect(less).toMatchObject({ published: ['work'], facts: 1, links: 2 })
  expect(less?.dossier.removed.join()).toContain('Kettlewick')
  expect(less?.dossier.kept.length).toBe(2)
  const { preview: same } = await preview(['family'], true)
  expect(same).toMatchObject({ facts: 0, dossier: { added: [], removed: [] } })
})

test('[P11] a publish with a preview hash publishes exactly the preview, or nothing', async () => {
  const { id } = await api.reflection('Ada Marlow')
  const at = (path: string) => `/reflections/${id}/${path}`
  const add = async (title: string, text: string) => {
    const body = { title, namespace: 'general', text }
    return Source.parse((await api.call('POST', at('sources'), { body })).answer).id
  }
  const look = async (publish: boolean) => {
    const body = { namespaces: ['general'], publish }
    return PublishPreview.parse((await api.call('POST', at('publish-preview'), { body })).answer)
  }
  const publish = (previewHash: string) =>
    api.call('POST', at('publish'), { body: { namespaces: ['general'], previewHash } })
  const refused = { status: 409, problem: { code: 'preview_outdated' } }

  await learn(api.databaseUrl, await add('Letter', TEXTS.work))
  const first = await look(true)
  expect(first.sources).toMatchObject([{ title: 'Letter' }])

  // A source is added and learned after the preview.
  const secondId = await add('Secret', TEXTS.family)
  expect(await publish(first.previewHash)).toMatchObject(refused)
  const second = await look(true)
  expect(second.sources.map(({ title }) => title)).toEqual(['Secret', 'Letter'])
  await learn(api.databaseUrl, secondId)
  expect(await publish(second.previewHash)).toMatchObject(refused)
  expect((await api.call('GET', `/reflections/${id}`)).answer).toMatchObject({
    publishRevision: 0,
    namespaces: expect.arrayContaining([{ name: 'general', isPublished: false }]),
  })
  expect((await api.call('GET', at('audit'))).answer).toEqual({ items: [] })

  const third = await look(true)
  expect(await look(true)).toEqual(third)
  expect((await publish(third.previewHash)).status).toBe(200)
  expect(await publish(third.previewHash)).toMatchObject(refused)

  // An unpublish needs no current preview.
  await add('Another', 'I was born in Bergen.')
  const less = { body: { namespaces: ['general'] } }
  expect((await api.call('POST', at('unpublish'), less)).status).toBe(200)
  expect((await publish('made-up')).problem?.code).toBe('validation')
})

test.each([
  [['conversations'], 'conversations'],
  [['nowhere'], 'There is no namespace nowhere. There are: family, general, work.'],
])('%j cannot be published, and the error says why', async (namespaces, why) => {
  expect(await preview(namespaces, true)).toMatchObject({
    status: 400,
    problem: { code: 'validation', detail: expect.stringContaining(why) },
  })
})

test('a preview is for admins', async () => {
  const { operator = '' } = await api.members(reflectionId)
  expect((await preview(['work'], true, operator)).status).toBe(403)
})

test('the summary counts sources and facts', async () => {
  const { answer } = await api.call('GET', `/reflections/${reflectionId}/summary`)
  const { sources, waiting, namespaces } = ReflectionSummary.parse(answer)
  expect({ sources, waiting }).toEqual({ sources: { learned: 2, busy: 0, wrong: 0 }, waiting: 0 })
  expect(namespaces).toContainEqual({ name: 'work', sources: 1, facts: 2 })
  expect(namespaces).toContainEqual({ name: 'conversations', sources: 0, facts: 0 })
})

test('the overview and the preview count the same sources and facts, in every state', async () => {
  const { id } = await api.reflection('Ada Marlow')
  const at = (path: string) => `/reflections/${id}/${path}`
  const add = async (title: string, text: string) => {
    const body = { title, namespace: 'general', text }
    return Source.parse((await api.call('POST', at('sources'), { body })).answer).id
  }
  await learn(api.databaseUrl, await add('Letter', TEXTS.work))
  await learn(api.databaseUrl, await add('The same fact again', 'Hello. I work as a bookbinder.'))
  const removed = await add('Removed', 'I was born in Bergen.')
  await learn(api.databaseUrl, removed)
  expect((await api.call('DELETE', at(`sources/${removed}`))).status).toBe(202)
  await fail(await add('Broken', 'Cannot be read.'))
  await add('Not read yet', 'I was born in Vadso.')

  const body = { namespaces: ['general'], publish: true }
  const asked = await api.call('POST', at('publish-preview'), { body })
  const { sources, facts } = PublishPreview.parse(asked.answer)
  expect(sources.map(({ title }) => title)).toEqual(['Not read yet', 'The same fact again', 'Letter'])
  const summary = ReflectionSummary.parse((await api.call('GET', at('summary'))).answer)
  expect(summary.sources).toEqual({ learned: 2, busy: 1, wrong: 1 })
  expect(summary.namespaces).toContainEqual({ name: 'general', sources: sources.length, facts })
  expect(facts).toBe(2)
})

async function fail(sourceId: Source['id']) {
  const learning = openLearning({ databaseUrl: api.databaseUrl })
  const run = await learning.ingest.openRun(sourceId)
  if (run) await learning.ingest.fail(run, 'It cannot be read.')
  await learning.close()
}
