import { SessionPage } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { typedApi } from '../voice/typed-api.fixture.ts'

let api: Awaited<ReturnType<typeof typedApi>>
beforeAll(async () => {
  api = await typedApi()
  await api.tell('diary', 'A diary', 'Ada Winter works as a gardener.')
  await api.rebuild()
}, 60_000)
afterAll(() => api.dispose())

async function found(query: string, token: string) {
  return SessionPage.parse((await api.call('GET', `/sessions?${query}`, { token })).answer).items
}

test('[A3] an admin finds in the list what they may read, and nothing else', async () => {
  const withAda = await api.started({}, api.operator)
  const plain = await api.started({ reflectionId: undefined }, api.operator)
  const { token: stranger } = await api.person('admin')
  const idsOf = async (query: string, token: string) =>
    (await found(query, token)).map(({ sessionId }) => sessionId).toSorted()
  const both = [withAda, plain].toSorted()

  expect(await idsOf('', api.operator)).toEqual(both)
  expect(await idsOf('whose=all', api.admin)).toEqual([withAda])
  expect(await idsOf('whose=all', api.ownerToken)).toEqual(both)
  expect(await idsOf('whose=all', stranger)).toEqual([plain])
  expect(await idsOf(`reflectionId=${api.reflectionId}&whose=all`, stranger)).toEqual([])
  expect(await idsOf(`reflectionId=${api.reflectionId}&whose=all`, api.admin)).toEqual([withAda])
  expect(await idsOf(`reflectionId=${api.reflectionId}`, api.operator)).toEqual([withAda])

  const [own] = await found(`reflectionId=${api.reflectionId}`, api.operator)
  expect([own?.reflectionId, own?.ownerLabel]).toEqual([api.reflectionId, undefined])
  const [seen] = await found(`reflectionId=${api.reflectionId}&whose=all`, api.admin)
  expect([seen?.reflectionId, seen?.ownerLabel]).toEqual([api.reflectionId, 'a operator'])
})
