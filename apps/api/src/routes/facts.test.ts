import { FactHistory, FactPage, Source } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { learn } from '../testing/learn.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
let reflectionId: string
let first: string
beforeAll(async () => {
  api = await knowledgeApi()
  reflectionId = (await api.reflection('Ada Marlow')).id
  await api.call('POST', `/reflections/${reflectionId}/namespaces`, { body: { name: 'work' } })
  first = await learned(
    'general',
    'I have lived in Oslo since 2004. I was born in Bergen. My sister is called Runa.',
  )
  await learned('general', 'I have lived in Tromsø since 2020.')
  await learned('work', 'I work as a bookbinder. I was born in Bergen.')
})
afterAll(() => api[Symbol.asyncDispose]())

async function learned(namespace: string, text: string) {
  const body = { title: text, namespace, text }
  const { answer } = await api.call('POST', `/reflections/${reflectionId}/sources`, { body })
  const { id } = Source.parse(answer)
  await learn(api.databaseUrl, id)
  return id
}

const found = async (query: string) => {
  const { answer } = await api.call('GET', `/reflections/${reflectionId}/facts?${query}`)
  const page = FactPage.parse(answer)
  return { ...page, said: page.items.map(({ statement }) => statement) }
}

test('a search with a character that cannot be stored is refused as a text', async () => {
  const { status, problem } = await api.call('GET', `/reflections/${reflectionId}/facts?search=%00`)
  expect([status, problem?.detail]).toEqual([400, expect.stringMatching(/^A text contains a character/)])
})

test('facts are found by words, namespace, source and standing', async () => {
  expect((await found('search=bergen&namespace=general')).said).toHaveLength(1)
  expect((await found('search=OSL+marl&state=superseded')).said).toEqual([expect.stringContaining('Oslo')])
  expect((await found('search=oslo&state=active')).said).toEqual([])
  expect((await found('search=100%25')).said).toEqual([])
  expect((await found('namespace=work&state=active')).said).toHaveLength(2)
  expect((await found(`sourceId=${first}&state=active`)).said).toHaveLength(2)
  expect((await found(`sourceId=${first}`)).said).toHaveLength(3)
})

test('[K2] by time the latest comes first and what has no date last; by subject those of one stand together', async () => {
  const { items, count } = await found('order=time')
  expect(count).toBe(items.length)
  const dates = items.map(({ validFrom = '' }) => validFrom)
  expect(dates).toEqual(dates.toSorted().toReversed())
  expect(dates[0]).toContain('2020')
  const { items: bySubject } = await found('order=subject&state=active')
  const subjects = bySubject.map(({ subject }) => subject)
  expect(
    subjects.filter((subject, at) => subjects.indexOf(subject) < at && subjects[at - 1] !== subject),
  ).toEqual([])
})

test('any part of a long list can be read, and how long it is', async () => {
  const { items: all } = await found('order=subject&after=0')
  const part = await found('order=subject&after=2&limit=1')
  expect(part.items).toEqual([all[2]])
  expect(part.count).toBe(all.length)
  expect(await found('after=99')).toMatchObject({ items: [], count: all.length })
})

test('[K2] a fact names the facts before and after it', async () => {
  const [oslo] = (await found('search=oslo')).items
  const [tromso] = (await found('search=troms')).items
  for (const id of [oslo?.id, tromso?.id]) {
    const { answer } = await api.call('GET', `/reflections/${reflectionId}/facts/${id}/history`)
    const { items } = FactHistory.parse(answer)
    expect(items.map((fact) => fact.id)).toEqual([oslo?.id, tromso?.id])
    expect(items[0]).toMatchObject({ supersededBy: tromso?.id, validTo: tromso?.validFrom })
  }
})

test.each([
  ['facts/fct_nobody/history', 404, 'not_found'],
  ['facts?order=size', 400, 'validation'],
  ['facts?order=time&cursor=x', 400, 'validation'],
])('%s is refused', async (path, status, code) => {
  expect(await api.call('GET', `/reflections/${reflectionId}/${path}`)).toMatchObject({
    status,
    problem: { code },
  })
})
