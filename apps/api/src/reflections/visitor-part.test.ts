import { VoiceSessionResponse } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimOf } from './spoken-api.fixture.ts'
import { visitorApi } from './visitor-api.fixture.ts'

let api: Awaited<ReturnType<typeof visitorApi>>
beforeAll(async () => {
  api = await visitorApi()
  await api.learned(api.reflectionId, 'talks', 'Ada Example lives in Lisbon. Ada Example likes comets.')
  await api.publish('publish', 'talks')
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

/** Words of `essays` alone, and of `talks` alone. */
const ESSAYS = /observatory|Ankara|1954/
const TALKS = /comets|Lisbon|1961/

const { signal } = new AbortController()

/** A call by a link: what its visitor is given, and the agent that they meet. */
async function call(link: object) {
  const { token } = await api.share(link)
  const answered = await api.visit(token, { channel: 'voice' })
  expect([answered.status, answered.answer]).toEqual([201, expect.anything()])
  const { token: visitor, ...started } = answered.answer as { readonly token: string }
  const { sessionId, dynamicVariables } = VoiceSessionResponse.parse(started)
  const session = await api.database.sessionRows.find(sessionId)
  const agent = await api.provider.readAgent(session?.agentId ?? '', signal)
  if (!session || agent.kind !== 'agent') throw new Error('There is no such call')
  const prompt = agent.template.prompt.replace(
    /\{\{(\w+)\}\}/g,
    (_, name: string) => dynamicVariables[name] ?? '',
  )
  return { session, visitor, dynamicVariables, template: agent.template, prompt }
}

test('[V17] [P4] a call by a link to some namespaces gets only these', async () => {
  const part = await call({ namespaces: ['talks'] })
  expect(part.prompt).toMatch(TALKS)
  expect(JSON.stringify([part.template, part.dynamicVariables, part.prompt])).not.toMatch(ESSAYS)
  expect(part.template.toolIds).toHaveLength(1)
  expect(part.prompt).not.toContain('{{')
  const found = await api.tool('retrieve-context', {
    ...claimOf(part.session),
    query: 'observatory in Ankara',
  })
  expect(JSON.stringify(found.answer)).not.toMatch(/observatory in Ankara in 1954/)
  const kept = await api.database.sessions.find(part.session.sessionId)
  expect(kept?.session.agentSnapshot.system_prompt).toMatch(TALKS)
  expect(kept?.session.agentSnapshot.system_prompt).not.toMatch(ESSAYS)

  const whole = await call({})
  expect(whole.prompt).toMatch(TALKS)
  expect(whole.prompt).toMatch(ESSAYS)
  expect(whole.session.agentId).not.toBe(part.session.agentId)
}, 60_000)

test('[V17] links for different namespaces use the same agent, which contains none of their content', async () => {
  const [essays, talks] = [await call({ namespaces: ['essays'] }), await call({ namespaces: ['talks'] })]
  expect(essays.session.agentId).toBe(talks.session.agentId)
  expect(JSON.stringify(talks.template)).not.toMatch(ESSAYS)
  expect(JSON.stringify(talks.template)).not.toMatch(TALKS)
  expect(essays.prompt).toMatch(ESSAYS)
  expect(essays.prompt).not.toMatch(TALKS)
}, 60_000)

test('[V17] a reconnected call keeps its namespaces', async () => {
  await api.publish('unpublish', 'essays')
  const { session, visitor } = await call({})
  await api.publish('publish', 'essays')
  const again = await api.call('POST', `/sessions/${session.sessionId}/reconnect`, {}, visitor)
  expect(again.status).toBe(200)
  const { dynamicVariables } = VoiceSessionResponse.parse(again.answer)
  expect(JSON.stringify(dynamicVariables)).not.toMatch(ESSAYS)
  const bound = await api.database.sessionRows.find(session.sessionId)
  const agent = await api.provider.readAgent(bound?.agentId ?? '', signal)
  expect(JSON.stringify(agent)).not.toMatch(ESSAYS)
}, 60_000)

test('[P8] a call by a link to some namespaces is refused while the artifacts have another scope', async () => {
  await call({ namespaces: ['talks'] })
  const { token } = await api.share({ namespaces: ['talks'] })
  await api.call('POST', `${api.at}/namespaces`, { name: 'letters' })
  await api.call('POST', `${api.at}/publish`, { namespaces: ['letters'] })
  expect((await api.visit(token, { channel: 'voice' })).code).toBe('public_runtime_stale')
  await api.publish('unpublish', 'letters')
  expect((await api.visit(token, { channel: 'voice' })).status).toBe(201)
}, 60_000)

test('[P13] changes to the agent for parts are found and repaired', async () => {
  const { session, template } = await call({ namespaces: ['talks'] })
  await api.provider.updateAgent(session.agentId ?? '', { ...template, prompt: 'Tell everything.' }, signal)
  const audit = async (body: object) =>
    (await api.call('POST', `${api.at}/audit`, body)).answer as {
      readonly items: readonly { readonly surface: string; readonly status: string }[]
    }
  const drifted = { surface: 'public_part', status: 'differs' }
  expect((await audit({})).items).toContainEqual(expect.objectContaining(drifted))
  await audit({ repair: true })
  expect((await audit({})).items).toContainEqual(
    expect.objectContaining({ surface: 'public_part', status: 'as_wanted' }),
  )
}, 60_000)
