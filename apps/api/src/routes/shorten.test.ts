import type { SessionEvent } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { framesOf, testApi, tokenOf } from '../testing/test-api.ts'

/** A session with two answered questions. */
async function talked() {
  const model = createScriptedModel(['One.', 'Two.', 'She counts.', 'Three.'].map(createAnswerScript))
  const api = await testApi(model)
  onTestFinished(api.close)
  const started = await api.call('POST', '/v1/sessions', { token: tokenOf('viewer'), body: {} })
  const { sessionId } = (await started.json()) as { sessionId: string }
  const path = `/v1/sessions/${sessionId}`
  const call = (method: string, rest: string, body?: unknown, token = tokenOf('viewer')) =>
    api.call(method, `${path}${rest}`, { token, ...(body !== undefined && { body }) })
  const say = async (text: string) =>
    framesOf(
      await api.call('POST', `${path}/messages`, {
        token: tokenOf('viewer'),
        body: { text },
        headers: { accept: 'text/event-stream' },
      }),
    )
  await say('Count!')
  await say('Go on!')
  const eventsUpTo = async (type: SessionEvent['type']) =>
    (await framesOf(await call('GET', '/events'), (event) => event.type === type)).map(({ event }) => event)
  return { model, call, say, eventsUpTo }
}

const textsOf = (messages: readonly { readonly content: readonly object[] }[] | undefined) =>
  messages?.flatMap(({ content }) => content.map((part) => ('text' in part ? part.text : undefined)))

test('[S17] a compacted session gives the model a summary and keeps its transcript', async () => {
  const { model, call, say, eventsUpTo } = await talked()
  const answer = await call('POST', '/compact')
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual({ messagesBefore: 4, messagesAfter: 0 })
  expect(await eventsUpTo('session:compacted')).toContainEqual(
    expect.objectContaining({ type: 'session:compacted', uptoSequence: 4 }),
  )
  await say('And?')
  expect(model.asked.at(-1)?.system).toContain('She counts.')
  expect(textsOf(model.asked.at(-1)?.messages)).toEqual(['And?'])
  const { items } = (await (await call('GET', '/messages')).json()) as { items: readonly object[] }
  expect(items).toHaveLength(7)
  expect(items[4]).toMatchObject({ role: 'system', marker: { kind: 'compacted', uptoSequence: 4 } })
})

test('[S17] a session is trimmed to whole turns, and the response counts the remaining messages', async () => {
  const { model, call, say, eventsUpTo } = await talked()
  expect(await (await call('POST', '/trim', { keep: 1 })).json()).toEqual({
    messagesBefore: 4,
    messagesAfter: 2,
  })
  expect((await eventsUpTo('session:trimmed')).at(-1)).toMatchObject({ uptoSequence: 2 })
  await say('And?')
  expect(textsOf(model.asked.at(-1)?.messages)).toEqual(['Go on!', 'Two.', 'And?'])
})

test.each([[{}], [{ keep: -1 }], [{ keep: 1.5 }], [{ keep: 1, more: 2 }]])(
  'trim refuses %o',
  async (body) => {
    const { call } = await talked()
    const answer = await call('POST', '/trim', body)
    expect(await answer.json()).toMatchObject({ status: 400, code: 'validation' })
  },
)

test.each([
  ['/compact', undefined],
  ['/trim', { keep: 1 }],
])('[A3] %s is for the session’s person and for admins', async (rest, body) => {
  const { call } = await talked()
  const statusFor = async (token: string) => (await call('POST', rest, body, token)).status
  expect(await statusFor(tokenOf('viewer', 'guest'))).toBe(401)
  expect(await statusFor(tokenOf('operator'))).toBe(404)
  expect(await statusFor(tokenOf('guest'))).toBe(403)
  expect(await statusFor(tokenOf('admin'))).toBe(200)
})

test('[S8] a session shows its cost by model', async () => {
  const { call } = await talked()
  expect(await (await call('GET', '')).json()).toMatchObject({
    costs: { 'test/scripted': { inputTokens: 20, outputTokens: 2, unpricedSteps: 2 } },
  })
})
