import { SessionView, VoiceSessionResponse } from '@parley/contracts'
import { expect } from 'vitest'
import { claimOf } from '../../apps/api/src/reflections/spoken-api.fixture.ts'
import { holdCall } from './hold-call.ts'
import { eventually, type Garden } from './garden.ts'

/** What members said in private, typed and spoken, and who they are. */
export async function plantConversations(garden: Garden): Promise<void> {
  const { api, reflectionId, plant, mark } = garden
  const label = plant('the label of a member')
  const { answer } = await api.call('POST', '/tokens', { label, role: 'operator', reflectionId })
  const operator = answer as { readonly token: string; readonly personId: string }
  mark('the token of a member', operator.token)
  mark('the id of a member', operator.personId)
  const { personId } = (await api.call('GET', '/me')).answer as { readonly personId: string }
  mark('the id of the owner', personId)

  await Promise.all([
    typed(garden, 'the owner'),
    typed(garden, 'a member', operator.token),
    typed(garden, 'a member off the record', operator.token, { offRecord: true }),
    typed(garden, 'an interview', operator.token, { agentType: 'interviewer' }),
    spoken(garden, operator.token),
  ])
}

const BOAT = 'What is your boat called?'

async function typed(
  { api, reflectionId, plant, mark }: Garden,
  whose: string,
  token?: string,
  more: object = {},
): Promise<void> {
  const title = `About ${plant(`the title of a session of ${whose}`)}`
  const start = { channel: 'text', reflectionId, title, ...more }
  const { sessionId } = SessionView.parse((await api.call('POST', '/sessions', start, token)).answer)
  mark(`the id of a session of ${whose}`, sessionId)
  const view = async () =>
    SessionView.parse((await api.call('GET', `/sessions/${sessionId}`, undefined, token)).answer)
  for (const text of [`I adopted a cat called ${plant(`the words of ${whose}`)}.`, BOAT]) {
    expect(await api.call('POST', `/sessions/${sessionId}/messages`, { text }, token)).toMatchObject({
      status: 202,
    })
    await eventually(async () => expect((await view()).openTurn).toBeUndefined())
  }
  await api.call('POST', `/sessions/${sessionId}/end`, {}, token)
}

/** A call, whose agent looks something up, hands something in and corrects something. */
async function spoken({ api, reflectionId, plant }: Garden, token: string): Promise<void> {
  const start = { channel: 'voice', reflectionId, title: `About ${plant('the title of a call')}` }
  const begun = await api.call('POST', '/sessions', start, token)
  const { sessionId, signedUrl = '', dynamicVariables } = VoiceSessionResponse.parse(begun.answer)
  const session = await api.database.reflectionSessions.find(sessionId)
  if (!session) throw new Error('The session is not there')
  const claim = claimOf(session)
  const told = {
    text: `I play the ${plant('what was handed in')}.`,
    title: plant('the title of what was handed in'),
  }
  expect(await api.tool('request-source-ingest', { ...claim, ...told })).toMatchObject({ status: 202 })
  const correction = {
    fact: 'Ada Example built an observatory',
    correction: `I built a ${plant('what was corrected in a call')}.`,
  }
  expect(await api.tool('propose-fact-correction', { ...claim, ...correction })).toMatchObject({
    status: 202,
  })
  const query = `Is ${plant('what was looked up in private')} your boat?`
  expect(await api.tool('retrieve-context', { ...claim, query })).toMatchObject({ status: 200 })

  await holdCall(signedUrl, dynamicVariables, [`My uncle is called ${plant('the words of a call')}.`, BOAT])
  const transcript = async () => (await api.database.reflectionSessions.find(sessionId))?.transcript
  await eventually(async () => expect(await transcript()).toBe('stored'))
}
