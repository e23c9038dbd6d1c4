import { expect, test } from 'vitest'
import type { Agent, CallId, SessionEvent, SessionId } from '@parley/contracts'
import { createMemoryStores } from '../memory/memory-session-store.ts'
import type { ModelEvent, ModelPort } from '../ports/model.ts'
import { createAnswerScript, createFakeTools, createScriptedModel } from '../testing/fakes.ts'
import { testAgent } from '../testing/fixtures.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import { BUDGET_CALL } from '../turn/ask-model.ts'

const callId = 'call-1' as CallId
const price = { input: 1_000_000, output: 1_000_000 }

/** A step of 5 and 4 tokens that calls a tool. */
const toolRequest: readonly ModelEvent[] = [
  { type: 'tool_call', call: { id: callId, name: 'look', input: {} } },
  {
    type: 'finish',
    reason: 'completed',
    usage: { inputTokens: 5, outputTokens: 4, cachedInputTokens: 3 },
  },
]
/** A step of 10 and 1 tokens that answers. */
const finalAnswer = createAnswerScript('Done.')
const turnUsage = { inputTokens: 15, outputTokens: 5, cachedInputTokens: 3 }

const createLookTools = (asks: boolean) =>
  createFakeTools({
    findTargetToApprove: () => (asks ? 'notes.md' : undefined),
    run: async () => ({ kind: 'ok', text: 'seen' }),
  })

const isCompleted = (event: SessionEvent) => event.type === 'session:turn_completed'

async function readUsage({ eventsUntil }: ReturnType<typeof createTestSessions>, id: SessionId) {
  const last = (await eventsUntil(id, 1, isCompleted)).at(-1)
  return last?.type === 'session:turn_completed' ? last.usage : undefined
}

test('[S5] usage counts all steps of a turn', async () => {
  const at = createTestSessions(createScriptedModel([toolRequest, finalAnswer]), {
    tools: createLookTools(false),
  })
  const { id } = await at.start()
  await (
    await at.sessions.send(id, 'Look')
  ).ended
  expect(await readUsage(at, id)).toEqual(turnUsage)
})

test('[S5] usage counts the steps before a person was asked, in another process too', async () => {
  const processes = createMemoryStores()
  const first = processes.open()
  const asks = createTestSessions(createScriptedModel([toolRequest]), {
    store: first.store,
    tools: createLookTools(true),
  })
  const { id } = await asks.start()
  await (
    await asks.sessions.send(id, 'Look')
  ).ended
  first.die()
  const goes = createTestSessions(createScriptedModel([finalAnswer]), {
    store: processes.open().store,
    tools: createLookTools(true),
  })
  await (
    await goes.sessions.decide(id, callId, { decision: 'allow' })
  ).ended
  expect(await readUsage(goes, id)).toEqual(turnUsage)
})

test('[S5] usage counts the steps before the budget question', async () => {
  const at = createTestSessions(createScriptedModel([toolRequest, finalAnswer], 'scripted', { price }), {
    tools: createLookTools(false),
    limits: { maxCostMicrocents: 1, onExceed: 'pause_for_approval' },
  })
  const { id } = await at.start()
  await (
    await at.sessions.send(id, 'Look')
  ).ended
  for (const ending of ['waiting', 'completed']) {
    const { ended } = await at.sessions.decide(id, BUDGET_CALL, { decision: 'allow' })
    expect(await ended).toBe(ending)
  }
  expect(await readUsage(at, id)).toEqual(turnUsage)
})

test('[S5] usage counts paid steps when a waiting turn is cancelled', async () => {
  const at = createTestSessions(createScriptedModel([toolRequest]), { tools: createLookTools(true) })
  const { id } = await at.start()
  await (
    await at.sessions.send(id, 'Look')
  ).ended
  await at.sessions.cancel(id)
  expect(await readUsage(at, id)).toEqual({ inputTokens: 5, outputTokens: 4, cachedInputTokens: 3 })
})

test('[S5] usage counts the paid steps of a turn whose process died', async () => {
  const processes = createMemoryStores()
  const first = processes.open()
  const tools = createFakeTools({ run: () => new Promise<never>(() => {}) })
  const dying = createTestSessions(createScriptedModel([toolRequest], 'scripted', { price }), {
    store: first.store,
    tools,
  })
  const { id } = await dying.start()
  await dying.sessions.send(id, 'Look')
  await dying.eventsUntil(id, 1, ({ type }) => type === 'agent:tool_decided')
  first.die()
  const living = createTestSessions(createScriptedModel([]), { store: processes.open().store })
  await living.sessions.settleAllInterrupted()
  await living.sessions.settleAllInterrupted()
  expect(await readUsage(living, id)).toEqual({ inputTokens: 5, outputTokens: 4, cachedInputTokens: 3 })
})

test('[S5] usage counts the output of a model before its fallback answered', async () => {
  const agent: Agent = { ...testAgent, fallback_chain: [{ provider: 'test', model: 'second' }] }
  const thinking: readonly ModelEvent[] = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'finish', reason: 'completed', usage: { inputTokens: 7, outputTokens: 2 } },
  ]
  const at = createTestSessions(createScriptedModel([thinking], 'first'), {
    fallbacks: { second: createScriptedModel([finalAnswer], 'second') },
  })
  const { id } = await at.start({ agent })
  await (
    await at.sessions.send(id, 'Hello')
  ).ended
  expect(await readUsage(at, id)).toEqual({ inputTokens: 17, outputTokens: 3 })
})

test('[S5] usage counts the turn’s own summary', async () => {
  const model: ModelPort = {
    provider: 'test',
    modelId: 'small',
    contextWindow: 12_000,
    async *stream() {
      yield { type: 'text', text: 'Yes.' }
      yield { type: 'finish', reason: 'completed', usage: { inputTokens: 10, outputTokens: 2 } }
    },
  }
  const at = createTestSessions(model)
  const { id } = await at.start()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
    await (
      await at.sessions.send(id, `${name} ${'word '.repeat(900)}`)
    ).ended
  const events = await at.eventsUntil(id, 1, ({ type }) => type === 'session:compacted')
  const [compacted] = (await at.eventsUntil(id, events.at(-1)?.sequenceNumber ?? 0, isCompleted)).slice(-1)
  expect(compacted).toMatchObject({ usage: { inputTokens: 20, outputTokens: 4 } })
})
