import { expect, test } from 'vitest'
import type { CallId, SessionEvent } from '@parley/contracts'
import { createMemoryStores } from '../memory/memory-session-store.ts'
import type { ModelEvent, Price } from '../ports/model.ts'
import { createAnswerScript, createFakeTools, createScriptedModel } from '../testing/fakes.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import { BUDGET_CALL } from '../turn/ask-model.ts'
import type { SessionLimits } from '../turn/turn.ts'

const price: Price = { input: 1_000_000, output: 1_000_000 }

/** An answer costs 10 of input and as many micro-cents as it has words. */
function createPricedSessions(answers: readonly string[], limits: Partial<SessionLimits>) {
  const model = createScriptedModel(answers.map(createAnswerScript), 'scripted', { price })
  const processes = createMemoryStores()
  const of = () => createTestSessions(model, { store: processes.open().store, limits })
  return { model, here: of(), there: of() }
}

const isStop = ({ type }: SessionEvent) =>
  type === 'session:turn_completed' || type === 'agent:approval_requested'

test('[S8] cost is stored with its step, then published, and correct after a resume elsewhere', async () => {
  const { here, there } = createPricedSessions(['One two three.', 'Four.'], {})
  const { id } = await here.start()
  await (
    await here.sessions.send(id, 'Hello')
  ).ended
  const events = await here.eventsUntil(id, 1, isStop)
  expect(events.map(({ type }) => type)).toEqual([
    'session:turn_started',
    'agent:token',
    'cost:updated',
    'session:turn_completed',
  ])
  expect(events[2]).toMatchObject({ model: 'test/scripted', totalMicrocents: 13 })
  await (
    await there.sessions.send(id, 'Again')
  ).ended
  const spent = { inputTokens: 20, outputTokens: 4, microcents: 24 }
  expect((await here.store.find(id))?.session.costs).toEqual({ 'test/scripted': spent })
})

test('[S8] a step with an unknown price is counted separately, not as free', async () => {
  const { start, sessions, store } = createTestSessions(createScriptedModel([createAnswerScript('One.')]))
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  expect((await store.find(id))?.session.costs).toEqual({
    'test/scripted': { inputTokens: 10, outputTokens: 1, microcents: 0, unpricedSteps: 1 },
  })
})

test('[S8] a turn that would exceed the budget fails before any request is sent', async () => {
  const { here, model } = createPricedSessions(['One.'], { maxCostMicrocents: 100 })
  const { id } = await here.start()
  await (
    await here.sessions.send(id, 'Hello')
  ).ended
  const events = await here.eventsUntil(id, 1, isStop)
  expect(events.at(-1)).toMatchObject({ stopReason: 'error', error: { code: 'budget_exceeded' } })
  expect(model.asked).toHaveLength(0)
})

test('[S8] a budget warning is sent once a turn, and the turn continues', async () => {
  const { here } = createPricedSessions(['One.'], { maxCostMicrocents: 100, onExceed: 'warn' })
  const { id } = await here.start()
  await (
    await here.sessions.send(id, 'Hello')
  ).ended
  const events = await here.eventsUntil(id, 1, isStop)
  expect(events.filter(({ type }) => type === 'budget:warning')).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ stopReason: 'completed' })
})

async function createPausedTurn() {
  const { here, there, model } = createPricedSessions(['One.', 'Two.'], {
    maxCostMicrocents: 100,
    onExceed: 'pause_for_approval',
  })
  const { id } = await here.start()
  expect(await (await here.sessions.send(id, 'Hello')).ended).toBe('waiting')
  expect((await there.store.find(id))?.openTurn?.state).toBe('waiting')
  return { here, there, model, id }
}

test('[S8] a pause survives its process, and continues in another with the person’s approval', async () => {
  const { here, there, model, id } = await createPausedTurn()
  const before = await here.eventsUntil(id, 1, isStop)
  expect(before.map(({ type }) => type)).toEqual([
    'session:turn_started',
    'budget:paused',
    'agent:approval_requested',
  ])
  expect(model.asked).toHaveLength(0)
  await (
    await there.sessions.decide(id, BUDGET_CALL, { decision: 'allow' })
  ).ended
  expect((await there.store.readTail(id, 9)).at(-1)?.content).toEqual([{ type: 'text', text: 'One.' }])
  expect((await there.store.find(id))?.session.costs['test/scripted']?.microcents).toBe(11)
})

test('[S13] attack: allowing a call with the id of the budget does not pay for the next step', async () => {
  const call: ModelEvent = { type: 'tool_call', call: { id: BUDGET_CALL, name: 'write', input: {} } }
  const model = createScriptedModel([[call], createAnswerScript('Done.')], 'scripted', { price })
  const tools = createFakeTools({
    findTargetToApprove: () => 'notes.md',
    run: async () => ({ kind: 'ok', text: 'written' }),
  })
  const { sessions, start } = createTestSessions(model, {
    tools,
    limits: { maxCostMicrocents: 1, onExceed: 'pause_for_approval' },
  })
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  expect(await (await sessions.decide(id, BUDGET_CALL, { decision: 'allow' })).ended).toBe('waiting')
  expect(await (await sessions.decide(id, BUDGET_CALL, { decision: 'allow' })).ended).toBe('waiting')
  expect(model.asked).toHaveLength(1)
})

test('[S8] an approval covers one step: the next one asks again', async () => {
  const call: ModelEvent = { type: 'tool_call', call: { id: 'call-1' as CallId, name: 'look', input: {} } }
  const model = createScriptedModel([[call], createAnswerScript('Done.')], 'scripted', { price })
  const { sessions, start } = createTestSessions(model, {
    limits: { maxCostMicrocents: 1, onExceed: 'pause_for_approval' },
  })
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  expect(await (await sessions.decide(id, BUDGET_CALL, { decision: 'allow' })).ended).toBe('waiting')
  expect(model.asked).toHaveLength(1)
  expect(await (await sessions.decide(id, BUDGET_CALL, { decision: 'allow' })).ended).toBe('completed')
})

test.each([
  ['are not believed where no model could take so many', { inputTokens: 2 ** 53 - 1, outputTokens: 1 }],
  ['that are no counts', { inputTokens: -5, outputTokens: 1.5 }],
  ['of a cache larger than the input', { inputTokens: 10, outputTokens: 1, cachedInputTokens: 1_000_000 }],
])('[S8] token counts of a provider %s: they are estimated', async (_, usage) => {
  const said: readonly ModelEvent[] = [
    { type: 'text', text: 'One.' },
    { type: 'finish', reason: 'completed', usage },
  ]
  const { start, sessions, store } = createTestSessions(createScriptedModel([said], 'scripted', { price }))
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  const cost = (await store.find(id))?.session.costs['test/scripted']
  expect(cost?.inputTokens).toBeGreaterThan(0)
  expect(cost?.microcents).toBeLessThan(1_000)
})

test('[S8] a step with only calls is not free if its provider reports no usage', async () => {
  const call: ModelEvent = { type: 'tool_call', call: { id: 'call-1' as CallId, name: 'look', input: {} } }
  const { start, sessions, store } = createTestSessions(
    createScriptedModel([[call], createAnswerScript('Yes.')], 'm', { price }),
  )
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  expect((await store.find(id))?.session.costs['test/m']?.inputTokens).toBeGreaterThan(10)
})

test('[S8] a refused pause ends the turn, with nothing sent', async () => {
  const { there, model, id } = await createPausedTurn()
  await (
    await there.sessions.decide(id, BUDGET_CALL, { decision: 'refuse' })
  ).ended
  const events = await there.eventsUntil(id, 4, ({ type }) => type === 'session:turn_completed')
  expect(events.at(-1)).toMatchObject({ stopReason: 'error', error: { code: 'budget_exceeded' } })
  expect(model.asked).toHaveLength(0)
  await expect(there.sessions.decide(id, BUDGET_CALL, { decision: 'allow' })).rejects.toMatchObject({
    code: 'approval_not_pending',
  })
})
