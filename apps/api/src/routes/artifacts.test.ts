import { createHash } from 'node:crypto'
import { LedgerPage, type ReflectionId, StoredGeneration, VoiceArtifacts } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { rebuildVoice } from '@parley/reflections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

let api: Awaited<ReturnType<typeof knowledgeApi>>
let learning: ReturnType<typeof openLearning>
let id: ReflectionId
beforeAll(async () => {
  api = await knowledgeApi()
  learning = openLearning(api)
  id = (await api.reflection('Ava')).id
  await rebuildVoice(id, learning.artifacts, sha256)
  await api.call('PATCH', `/reflections/${id}`, { body: { displayName: 'Ada' } })
  await rebuildVoice(id, learning.artifacts, sha256)
})
afterAll(async () => {
  await learning.close()
  await api[Symbol.asyncDispose]()
})

test('[P9] the ledger comes in pages, latest first, with what serves', async () => {
  const read = async (query: string) =>
    LedgerPage.parse((await api.call('GET', `/reflections/${id}/artifacts${query}`)).answer)
  const first = await read('?limit=4')
  expect(first.items.map(({ position, stage }) => `${position} ${stage}`)).toEqual([
    '6 promoted',
    '5 evaluated',
    '4 candidate',
    '3 promoted',
  ])
  expect(first.live).toBe(2)
  const rest = await read(`?cursor=${first.nextCursor}`)
  expect(rest.items.map(({ position }) => position)).toEqual([2, 1])
  expect(rest.nextCursor).toBeUndefined()
  expect((await api.call('GET', `/reflections/${id}/artifacts?cursor=x`)).problem?.code).toBe('validation')
})

test('a reflection without a build has an empty version history', async () => {
  const { id: other } = await api.reflection('New')
  expect((await api.call('GET', `/reflections/${other}/artifacts`)).answer).toEqual({ items: [] })
})

test('[P1] a generation is read as it is stored', async () => {
  const { answer } = await api.call('GET', `/reflections/${id}/artifacts/2`)
  const { artifacts, ...about } = StoredGeneration.parse(answer)
  expect(about).toEqual({ generation: 2, publishedNamespaces: [] })
  expect(VoiceArtifacts.parse(artifacts).capsule.displayName).toBe('Ada')
})

test.each([
  ['3', 404],
  ['0', 400],
  ['x', 400],
  ['99999999999', 400],
])('the generation %s is answered with %i', async (generation, status) => {
  expect((await api.call('GET', `/reflections/${id}/artifacts/${generation}`)).status).toBe(status)
})
