import { SessionView, VoiceSessionResponse } from '@parley/contracts'
import { expect } from 'vitest'
import { claimOf } from '../../apps/api/src/reflections/spoken-api.fixture.ts'
import { holdCall } from '../support/hold-call.ts'
import { waitUntilPasses, type PlantingContext } from './planting-context.ts'

/** Plants canaries in private conversations, typed and spoken, and in the data of their members. */
export async function plantConversations(garden: PlantingContext): Promise<void> {
  const { api, reflectionId, plant, mark } = garden
  const label = plant('the label of a member')
  const { answer } = await api.call('POST', '/tokens', { label, role: 'operator', reflectionId })
  const operator = answer as { readonly token: string; readonly personId: string }
  mark('the token of a member', operator.token)
  mark('the id of a member', operator.personId)
  const { personId } = (await api.call('GET', '/me')).answer as { readonly personId: string }
  mark('the id of the owner', personId)

  await Promise.all([
    plantTypedSession(garden, 'the owner'),
    plantTypedSession(garden, 'a member', operator.token),
    plantTypedSession(garden, 'a member off the record', operator.token, { offRecord: true }),
    plantTypedSession(garden, 'an interview', operator.token, { agentType: 'interviewer' }),
    plantCall(garden, operator.token),
  ])
}

const BOAT = 'What is your boat called?'

async function plantTypedSession(
  { api, reflectionId, plant, mark }: PlantingContext,
  whose: string,
  token?: string,
  more: object = {},
): Promise<void> {
  const title = `About ${plant(`the title of a session of ${whose}`)}`
  const start = { channel: 'text', reflectionId, title, ...more }
  const { sessionId } = SessionView.parse((await api.call('POST', '/sessions', start, token)).answer)
  mark(`the id of a session of ${whose}`, sessionId)
  const readSession = async () =>
    SessionView.parse((await api.call('GET', `/sessions/${sessionId}`, undefined, token)).answer)
  for (const text of [`I adopted a cat called ${plant(`a message of ${whose}`)}.`, BOAT]) {
    expect(await api.call('POST', `/sessions/${sessionId}/messages`, { text }, token)).toMatchObject({
      status: 202,
    })
    await waitUntilPasses(async () => expect((await readSession()).openTurn).toBeUndefined())
  }
  await api.call('POST', `/sessions/${sessionId}/end`, {}, token)
}

/** A call whose agent searches, adds a source and proposes a correction. */
async function plantCall({ api, reflectionId, plant }: PlantingContext, token: string): Promise<void> {
  const start = { channel: 'voice', reflectionId, title: `About ${plant('the title of a call')}` }
  const started = await api.call('POST', '/sessions', start, token)
  const { sessionId, signedUrl = '', dynamicVariables } = VoiceSessionResponse.parse(started.answer)
  const session = await api.database.sessionRows.find(sessionId)
  if (!session) throw new Error('The session does not exist')
  const claim = claimOf(session)
  const newSource = {
    text: `I play the ${plant('the text of a source added in a call')}.`,
    title: plant('the title of a source added in a call'),
  }
  expect(await api.tool('request-source-ingest', { ...claim, ...newSource })).toMatchObject({ status: 202 })
  const correction = {
    fact: 'Ada Example built an observatory',
    correction: `I built a ${plant('a correction proposed in a call')}.`,
  }
  expect(await api.tool('propose-fact-correction', { ...claim, ...correction })).toMatchObject({
    status: 202,
  })
  const query = `Is ${plant('a private search')} your boat?`
  expect(await api.tool('retrieve-context', { ...claim, query })).toMatchObject({ status: 200 })

  await holdCall(signedUrl, dynamicVariables, [`My uncle is called ${plant('a message in a call')}.`, BOAT])
  const readTranscriptState = async () => (await api.database.sessionRows.find(sessionId))?.transcript
  await waitUntilPasses(async () => expect(await readTranscriptState()).toBe('stored'))
}
