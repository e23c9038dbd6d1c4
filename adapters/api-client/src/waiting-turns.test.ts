import type { CallId, SessionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createFakeTools } from '@parley/engine/testing'
import { hasEnded, follow, open, POLLING, answerTexts, turnsOfMessages } from './follow.fixture.ts'
import type { ApiClient } from './index.ts'

const call = { id: 'call/1 ü' as CallId, name: 'write_file', input: { path: 'notes.md' } }

/** A tool that needs approval. */
const carefulTools = createFakeTools({
  findTargetToApprove: () => 'notes.md',
  run: async (_, { decision }) =>
    decision === 'allow'
      ? { kind: 'ok', text: 'written' }
      : { kind: 'failed', code: 'tool_denied', text: 'A person refused this.' },
})

/** The turns shown to a new reader. */
async function shownLater(client: ApiClient, sessionId: SessionId) {
  const later = follow(client, sessionId)
  await expect.poll(() => hasEnded(later.turns()), POLLING).toBe(true)
  return later.turns()
}

test.each([
  ['allow', { kind: 'ok', text: 'written' }],
  ['refuse', { kind: 'failed' }],
] as const)('[S13] a call waits until a person says %s', async (decision, outcome) => {
  const { client, model } = await open({ tools: carefulTools })
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  await client.sessions.send({ sessionId, text: 'Write it down', idempotencyKey: 'a' })
  model.say({ type: 'tool_call', call })
  model.finish()
  const waitsFor = { callId: call.id, tool: 'write_file', target: 'notes.md' }
  await expect.poll(reader.turns, POLLING).toMatchObject([{ state: 'waiting', waitsFor }])
  expect((await client.sessions.get(sessionId)).openTurn?.state).toBe('waiting')
  const { turnId } = await client.sessions.decide({ sessionId, callId: call.id, decision })
  expect((await client.sessions.get(sessionId)).openTurn).toEqual({ turnId, state: 'running' })
  model.say({ type: 'text', text: 'So be it.' })
  model.finish()
  await expect.poll(() => hasEnded(reader.turns()), POLLING).toBe(true)
  expect(reader.turns()).toMatchObject([{ parts: [{ call, outcome }, { text: 'So be it.' }] }])
  expect(reader.turns()).toEqual(await shownLater(client, sessionId))
  expect(reader.turns()).toEqual(turnsOfMessages((await client.sessions.messages({ sessionId })).items))
  const again = client.sessions.decide({ sessionId, callId: call.id, decision })
  await expect(again).rejects.toMatchObject({ code: 'approval_not_pending' })
})

test('[S2] a waiting turn can be cancelled', async () => {
  const { client, model } = await open({ tools: carefulTools })
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  await client.sessions.send({ sessionId, text: 'Write it down', idempotencyKey: 'a' })
  model.say({ type: 'tool_call', call })
  model.finish()
  await expect.poll(() => reader.turns()[0]?.state, POLLING).toBe('waiting')
  expect(await client.sessions.cancel(sessionId)).toEqual({ cancelled: true })
  await expect.poll(() => reader.turns()[0]?.state, POLLING).toBe('cancelled')
  expect(reader.turns()[0]).not.toHaveProperty('waitsFor')
})

test('[X4] a turn whose process died is ended and continued as one turn', async () => {
  const { api, client, model } = await open()
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
  model.say({ type: 'tool_call', call })
  model.finish()
  model.say({ type: 'text', text: 'Never stored' })
  await expect.poll(() => answerTexts(reader.turns()), POLLING).toEqual(['Never stored'])
  api.killProcess()
  expect((await client.sessions.get(sessionId)).openTurn?.state).toBe('interrupted')
  expect(await client.sessions.resume(sessionId)).not.toHaveProperty('openTurn')
  await expect.poll(() => reader.turns()[0]?.state, POLLING).toBe('error')
  expect(reader.turns()).toMatchObject([{ parts: [{ call }], error: { retryable: true } }])

  await client.sessions.continue(sessionId)
  model.say({ type: 'text', text: 'Good day.' })
  model.finish()
  await expect.poll(() => hasEnded(reader.turns()), POLLING).toBe(true)
  expect(reader.turns()).toMatchObject([{ parts: [{ call }, { text: 'Good day.' }] }])
  expect(reader.turns()).toEqual(await shownLater(client, sessionId))
  expect(reader.turns()).toEqual(turnsOfMessages((await client.sessions.messages({ sessionId })).items))
  await expect(client.sessions.continue(sessionId)).rejects.toMatchObject({ code: 'nothing_to_continue' })
})

test('[S4] a failed step is dropped when its turn continues', async () => {
  const { client, model } = await open()
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
  const error = { code: 'provider_unavailable', message: 'down', retryable: true } as const
  model.say({ type: 'text', text: 'Goo' }, { type: 'failure', error })
  await expect.poll(reader.turns, POLLING).toMatchObject([{ parts: [{ text: 'Goo' }], error }])
  await client.sessions.continue(sessionId)
  model.say({ type: 'text', text: 'Good day.' })
  model.finish()
  await expect.poll(() => hasEnded(reader.turns()), POLLING).toBe(true)
  expect(answerTexts(reader.turns())).toEqual(['Good day.'])
  expect(reader.turns()).toEqual(await shownLater(client, sessionId))
  expect(reader.turns()).toEqual(turnsOfMessages((await client.sessions.messages({ sessionId })).items))
})
