import { CONVERSATIONS, type PersonId, type ReflectionId, Source, SourceText } from '@parley/contracts'
import { openDatabase } from '@parley/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { learn } from '../testing/learn.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
let reflectionId: string
beforeAll(async () => {
  api = await knowledgeApi()
  reflectionId = (await api.reflection()).id
})
afterAll(() => api[Symbol.asyncDispose]())

const PARAGRAPHS = Array.from(
  { length: 12 },
  (_, at) => `Letter ${at + 1}. ${'The rain fell on the harbour all day. '.repeat(24)}`,
)

async function learned(title: string, text: string) {
  const body = { title, namespace: 'general', text }
  const { id } = Source.parse(
    (await api.call('POST', `/reflections/${reflectionId}/sources`, { body })).answer,
  )
  await learn(api.databaseUrl, id)
  return id
}

const textOf = async (sourceId: string, from = '', token = api.ownerToken) => {
  const asked = await api.call('GET', `/reflections/${reflectionId}/sources/${sourceId}/text${from}`, {
    token,
  })
  return { ...asked, text: SourceText.safeParse(asked.answer).data }
}

test('a source’s text is read in order, from any passage', async () => {
  const id = await learned('Letters', PARAGRAPHS.join('\n\n'))
  const { text: whole } = await textOf(id, '?limit=200')
  expect(whole?.count).toBe(whole?.items.length)
  expect(whole?.items.map(({ ordinal }) => ordinal)).toEqual(whole?.items.map((_, at) => at + 1))
  const read = whole?.items.map(({ text }) => text).join(' ') ?? ''
  for (const at of PARAGRAPHS.keys()) expect(read).toContain(`Letter ${at + 1}.`)
  const { text: rest } = await textOf(id, '?after=2&limit=1')
  expect(rest).toEqual({ count: whole?.count, items: [whole?.items[2]] })
})

test('words are found in their passage, with the passages before it', async () => {
  const id = await learned('More letters', `${PARAGRAPHS.join('\n\n')}\n\nGoodbye, Oslo.`)
  const { text } = await textOf(id, `?words=${encodeURIComponent('Letter 10.')}&limit=10`)
  const found = text?.items.find(({ ordinal }) => ordinal === text.foundAt)
  expect(found?.text).toContain('Letter 10.')
  expect(text?.items[0]?.ordinal).toBe((text?.foundAt ?? 0) - 3)
  const { text: none } = await textOf(id, '?words=nowhere')
  expect(none?.foundAt).toBeUndefined()
  expect(none?.items[0]?.ordinal).toBe(1)
})

test('a new version replaces the text; a source in removal has no text', async () => {
  const id = await learned('A note', 'I live in Oslo.')
  const path = `/reflections/${reflectionId}/sources/${id}`
  await api.call('PUT', path, { body: { title: 'A note', namespace: 'general', text: 'I live in Bergen.' } })
  await learn(api.databaseUrl, id)
  expect((await textOf(id)).text?.items).toMatchObject([{ text: 'I live in Bergen.' }])
  await api.call('DELETE', path)
  expect((await textOf(id)).text).toEqual({ items: [], count: 0 })
})

/** A transcript as a session adds it. */
async function said(text: string) {
  const database = await openDatabase({ databaseUrl: api.databaseUrl })
  const source = {
    title: 'Said',
    namespace: CONVERSATIONS,
    bytes: Buffer.from(text),
    mediaType: 'text/plain',
  }
  const { id } = await database.reflections.addSource(
    reflectionId as ReflectionId,
    source,
    'per_1' as PersonId,
  )
  await database.close()
  await learn(api.databaseUrl, id)
  return id
}

test('only admins of the same reflection read transcripts', async () => {
  const id = await said('I live in Oslo.')
  const members = await api.members(reflectionId)
  for (const role of ['viewer', 'operator']) {
    expect(await textOf(id, '', members[role])).toMatchObject({
      status: 404,
      problem: { code: 'source_not_found' },
    })
  }
  expect((await textOf(id, '', members['admin'])).status).toBe(200)
  const other = await api.reflection('Grace')
  expect(await api.call('GET', `/reflections/${other.id}/sources/${id}/text`)).toMatchObject({
    status: 404,
    problem: { code: 'source_not_found' },
  })
})

test.each([['limit=0'], ['limit=201'], ['after=-1'], ['words=']])('%s is refused', async (wrong) => {
  const id = await learned(`Refused ${wrong}`, `I live in Oslo. ${wrong}`)
  expect(await textOf(id, `?${wrong}`)).toMatchObject({ status: 400, problem: { code: 'validation' } })
})
