import type { Agent, SessionEvent, TurnError } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ModelEvent } from '../ports/model.ts'
import { testAgent } from '../testing/fixtures.ts'
import { createAnswerScript, type ModelScript, createScriptedModel } from '../testing/fakes.ts'
import { createTestSessions } from '../testing/test-sessions.ts'

const agent: Agent = { ...testAgent, fallback_chain: [{ provider: 'test', model: 'second' }] }

const createFailure = (code: TurnError['code'], retryable: boolean) => ({
  type: 'failure' as const,
  error: { code, message: 'gone', retryable },
})
const unavailable = createFailure('provider_unavailable', true)

/** One turn of an agent with two models. */
async function askWithFallback(first: readonly ModelScript[], second: readonly ModelScript[]) {
  const models = [createScriptedModel(first, 'first'), createScriptedModel(second, 'second')] as const
  const { sessions, store, start, eventsUntil } = createTestSessions(models[0], {
    fallbacks: { second: models[1] },
  })
  const { id } = await start({ agent })
  const { ended } = await sessions.send(id, 'Hello')
  await ended
  const events = await eventsUntil(id, 1, ({ type }) => type === 'session:turn_completed')
  return { events, messages: await store.readTail(id, 9), models, sessions, id, store }
}

const listTypes = (events: readonly SessionEvent[]) => events.map(({ type }) => type)

test('[S11] if a model is not available, the next answers, and the message names it', async () => {
  const { events, messages } = await askWithFallback([[unavailable]], [createAnswerScript('Yes.')])
  expect(listTypes(events)).toEqual(['session:turn_started', 'agent:token', 'session:turn_completed'])
  expect(events[1]).toMatchObject({ model: 'second', token: 'Yes.' })
  expect(messages[1]).toMatchObject({ role: 'assistant', modelId: 'second' })
})

test('[S11] a bad key of one provider does not affect the next', async () => {
  const { messages } = await askWithFallback(
    [[createFailure('provider_auth', false)]],
    [createAnswerScript('Yes.')],
  )
  expect(messages[1]).toMatchObject({ modelId: 'second' })
})

test('[S6] reasoning from before the fallback is discarded', async () => {
  const { events, messages } = await askWithFallback(
    [[{ type: 'reasoning', text: 'Hm.' }, unavailable]],
    [createAnswerScript('Yes.')],
  )
  expect(listTypes(events)).toEqual([
    'session:turn_started',
    'agent:step_discarded',
    'agent:token',
    'session:turn_completed',
  ])
  expect(messages[1]?.content).toEqual([{ type: 'text', text: 'Yes.' }])
})

test('[S11] once text was published there is no fallback for the step: it fails, and its text is kept', async () => {
  const { events, messages, models } = await askWithFallback(
    [[{ type: 'text', text: 'It is' }, unavailable]],
    [],
  )
  expect(events.at(-1)).toMatchObject({ stopReason: 'error', error: { code: 'provider_unavailable' } })
  expect(messages[1]).toMatchObject({ modelId: 'first', cutShort: 'failed' })
  expect(models[1].asked).toHaveLength(0)
})

test('[S11] an answer that a content filter refused is not requested from another provider', async () => {
  const { events, models } = await askWithFallback([[createFailure('content_filter', false)]], [])
  expect(events.at(-1)).toMatchObject({ stopReason: 'error' })
  expect(models[1].asked).toHaveLength(0)
})

test('[S11] if all models fail, the last failure is reported', async () => {
  const last = createFailure('provider_rate_limit', true)
  const { events } = await askWithFallback([[unavailable]], [[last]])
  expect(events.at(-1)).toMatchObject({ error: { code: 'provider_rate_limit' } })
})

const retryEvent: ModelEvent = { type: 'retry', error: unavailable.error, waitMs: 2_000 }

test('[S11] a retry is announced with its reason and its wait, and is stored', async () => {
  const { events, messages } = await askWithFallback([[retryEvent, ...createAnswerScript('Yes.')]], [])
  expect(listTypes(events)).toEqual([
    'session:turn_started',
    'agent:retry_scheduled',
    'agent:token',
    'session:turn_completed',
  ])
  expect(events[1]).toMatchObject({ model: 'first', waitMs: 2_000, error: { message: 'gone' } })
  expect(messages).toHaveLength(2)
})

const waitForAbort: ModelScript = async function* (_, signal) {
  yield retryEvent
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

test('[S11] a turn that waits to retry can be cancelled', async () => {
  const { sessions, start, eventsUntil } = createTestSessions(createScriptedModel([waitForAbort]))
  const { id } = await start()
  const { ended } = await sessions.send(id, 'Hello')
  await eventsUntil(id, 1, ({ type }) => type === 'agent:retry_scheduled')
  await sessions.cancel(id)
  expect(await ended).toBe('cancelled')
})

test('[S11] a provider’s signature goes back to the model in the same turn, and is never stored', async () => {
  const signature = { provider: 'test', data: { signature: 'made-up-signature' } }
  const call = { id: 'call-1' as never, name: 'look', input: {} }
  const { models, messages, sessions, id, store } = await askWithFallback(
    [
      [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'signature', signature },
        { type: 'tool_call', call, signature },
      ],
      createAnswerScript('Done.'),
      createAnswerScript('Again.'),
    ],
    [],
  )
  const [, second] = models[0].asked
  expect(second?.messages[1]?.content).toEqual([
    { type: 'reasoning', text: 'Hm.', signature },
    { type: 'tool_call', call, signature },
  ])
  expect(JSON.stringify(messages)).not.toContain('made-up-signature')
  await (
    await sessions.send(id, 'And?')
  ).ended
  expect(JSON.stringify(models[0].asked[2])).not.toContain('made-up-signature')
  expect(JSON.stringify(await store.readEvents(id, { after: 0, limit: 99 }))).not.toContain('made-up')
})
