import { type SourceId, SourcePage } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { findTablesContaining } from '@parley/postgres/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendMessage } from '../testing/test-api.ts'
import { answerIn, typedApi } from './typed-api.fixture.ts'

let api: Awaited<ReturnType<typeof typedApi>>
beforeAll(async () => {
  api = await typedApi()
}, 60_000)
afterAll(() => api.dispose())

const ASKED = 'What is your boat called?'
const SECRET = 'Kettlewick'

async function sourceCalled(title: string) {
  const { answer } = await api.call('GET', `/reflections/${api.reflectionId}/sources`)
  const found = SourcePage.parse(answer).items.find((source) => source.title === title)
  if (!found) throw new Error(`There is no source ${title}.`)
  return found
}

/** As the worker does it. */
async function erase(sourceId: SourceId) {
  const stores = openLearning({ databaseUrl: api.databaseUrl })
  await stores.learning.eraseSource(sourceId)
  await stores.close()
}

test('[X5] a session that used a removed source ends, and no prompt keeps the source', async () => {
  const { reflectionId, viewer } = api
  await api.tell('diary', 'Diary', `I am Ada Winter. My boat is called ${SECRET}.`)
  await api.rebuild()
  const during = await api.started({}, viewer)
  expect(answerIn(await api.say(during, ASKED, viewer))).toContain(SECRET)
  expect(await findTablesContaining(api.databaseUrl, SECRET)).toContain('public.agent_sessions')

  const { id } = await sourceCalled('Diary')
  expect((await api.call('DELETE', `/reflections/${reflectionId}/sources/${id}`)).status).toBe(202)
  const refused = await sendMessage(api.url, { sessionId: during, token: viewer, text: ASKED })
  expect(await refused.json()).toMatchObject({
    code: 'session_ended',
    detail: expect.stringContaining('was removed. Start another one'),
  })

  await erase(id)
  expect(await findTablesContaining(api.databaseUrl, SECRET)).not.toContain('public.agent_sessions')
  await api.rebuild()
  const after = await api.started({}, viewer)
  expect(answerIn(await api.say(after, ASKED, viewer))).not.toContain(SECRET)
})
