import { RetrievalResult, Source } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { learn } from '../testing/learn.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
let reflectionId: string
let viewer: string
beforeAll(async () => {
  api = await knowledgeApi()
  reflectionId = (await api.reflection()).id
  viewer = (await api.members(reflectionId))['viewer'] ?? ''
  for (const [name, text] of Object.entries(TEXTS)) await tell(name, text)
})
afterAll(() => api[Symbol.asyncDispose]())

/** One canary to a namespace. */
const TEXTS = {
  work: 'The lighthouse survey was called Fernlight.',
  family: 'The lighthouse picnic was called Kettlewick.',
}

async function tell(namespace: string, text: string) {
  await api.call('POST', `/reflections/${reflectionId}/namespaces`, { body: { name: namespace } })
  const { answer } = await api.call('POST', `/reflections/${reflectionId}/sources`, {
    body: { title: namespace, namespace, text },
  })
  await learn(api.databaseUrl, Source.parse(answer).id)
}

const ask = (asked: object, token = viewer) =>
  api.call('POST', `/reflections/${reflectionId}/ask`, {
    token,
    body: { query: 'What was the lighthouse thing called?', ...asked },
  })
const namespacesOf = ({ answer }: { readonly answer: unknown }) =>
  [...new Set(RetrievalResult.parse(answer).evidence.map(({ namespace }) => namespace))].toSorted()
const change = (to: 'publish' | 'unpublish', ...namespaces: readonly string[]) =>
  api.call('POST', `/reflections/${reflectionId}/${to}`, { body: { namespaces } })

test('[P5] [X3] a public question finds published content only', async () => {
  expect(namespacesOf(await ask({}))).toEqual(['family', 'work'])
  expect(namespacesOf(await ask({ audience: 'private' }))).toEqual(['family', 'work'])
  expect(namespacesOf(await ask({ audience: 'public' }))).toEqual([])
  await change('publish', 'work')
  const found = await ask({ audience: 'public' })
  expect(namespacesOf(found)).toEqual(['work'])
  expect(JSON.stringify(found.answer)).toContain('Fernlight')
  const canary = await ask({ audience: 'public', query: 'Kettlewick lighthouse picnic' })
  expect(JSON.stringify(canary.answer)).not.toContain('Kettlewick')
})

test('[P6] the next question does not find an unpublished namespace', async () => {
  await change('publish', 'work', 'family')
  expect(namespacesOf(await ask({ audience: 'public' }))).toEqual(['family', 'work'])
  await change('unpublish', 'family')
  expect(namespacesOf(await ask({ audience: 'public' }))).toEqual(['work'])
  await change('unpublish', 'work')
  expect(namespacesOf(await ask({ audience: 'public' }))).toEqual([])
})

test('[X5] questions are limited for each token', async () => {
  const { token } = await api.person('viewer', { reflectionId })
  const answers = await Promise.all(Array.from({ length: 160 }, () => ask({}, token)))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.problem).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining('60 questions'),
  })
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(60)
  expect((await ask({})).status).toBe(200)
})

test('of the public’s namespaces some may be named, and no private one', async () => {
  await change('publish', 'work')
  expect(namespacesOf(await ask({ audience: 'public', namespaces: ['work'] }))).toEqual(['work'])
  expect((await ask({ audience: 'public', namespaces: ['family'] })).problem).toMatchObject({
    code: 'validation',
    detail: 'There is no published namespace family in this reflection. It has work.',
  })
  expect(namespacesOf(await ask({ namespaces: ['family'] }))).toEqual(['family'])
  expect((await ask({ audience: 'everybody' })).problem?.code).toBe('validation')
})
