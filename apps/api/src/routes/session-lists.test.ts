import { SessionPage, SessionView } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { typedApi } from '../reflections/typed-api.fixture.ts'

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

test('[A3] an admin’s list has exactly the sessions that they may read', async () => {
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
  for (const sessionId of both) {
    const read = async (token: string) =>
      SessionView.parse((await api.call('GET', `/sessions/${sessionId}`, { token })).answer).ownerLabel
    expect([await read(api.operator), await read(api.ownerToken)]).toEqual([undefined, 'a operator'])
  }
})

test('[A3] a former member finds no session with that reflection, not even by its words', async () => {
  const person = await api.person('operator')
  const { token, personId } = person
  const set = (role: string) =>
    api.call('PUT', `/reflections/${api.reflectionId}/members`, { body: { personId, role } })
  await set('operator')
  const withAda = await api.started({}, token)
  await api.say(withAda, 'Do you know the word Fennelgate?', token)
  const plain = await api.started({ reflectionId: undefined, agentId: 'offline' }, token)
  await api.say(plain, 'Do you know the word Fennelgate?', token)
  const ids = async (query: string) =>
    (await found(query, token)).map(({ sessionId }) => sessionId).toSorted()
  const both = [withAda, plain].toSorted()
  expect([await ids(''), await ids('search=fennelgate')]).toEqual([both, both])

  await api.call('DELETE', `/reflections/${api.reflectionId}/members/${personId}`)
  expect((await api.call('GET', `/sessions/${withAda}`, { token })).status).toBe(404)
  for (const query of ['', 'search=fennelgate', 'whose=own']) expect(await ids(query)).toEqual([plain])
  expect(await ids(`reflectionId=${api.reflectionId}`)).toEqual([])

  await set('viewer')
  expect(await ids('search=fennelgate')).toEqual(both)
})
