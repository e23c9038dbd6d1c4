import { expect, test } from 'vitest'
import type { CallId, SessionEvent, ToolCall } from '@parley/contracts'
import { createMemoryStores } from '../memory/memory-session-store.ts'
import type { ModelEvent } from '../ports/model.ts'
import type { SessionStore } from '../ports/session-store.ts'
import type { ToolRegistry } from '../ports/tools.ts'
import {
  type ModelScript,
  createAnswerScript,
  createFakeTools,
  createScriptedModel,
} from '../testing/fakes.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import { reconstructSessionState } from './reconstruct-session-state.ts'

const call: ToolCall = { id: 'call-1' as CallId, name: 'weather', input: { city: 'Oslo' } }

const toolRequest: readonly ModelEvent[] = [
  { type: 'text', text: 'Let me look.' },
  { type: 'tool_call', call },
  { type: 'finish', reason: 'completed', usage: { inputTokens: 5, outputTokens: 4 } },
]

const waitForever = () => new Promise<never>(() => {})

/** Says a few words and then nothing more, for ever. */
const stuckScript: ModelScript = async function* () {
  yield { type: 'text', text: 'Well, ' }
  yield { type: 'text', text: 'you see' }
  await waitForever()
}

/** Says a word, and no more until it is stopped. */
const waitForAbort: ModelScript = async function* (_, signal) {
  yield { type: 'text', text: 'Well, ' }
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

/** Thinks, and says nothing until it is stopped. */
const reasonThenWait: ModelScript = async function* (_, signal) {
  yield { type: 'reasoning', text: 'Hm.' }
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

const weather = (run: Parameters<typeof createFakeTools>[0]['run'], mayRepeat?: true): ToolRegistry =>
  createFakeTools({
    declarations: [
      { name: 'weather', description: 'Tells it', inputSchema: {}, ...(mayRepeat && { mayRepeat }) },
    ],
    run,
  })

/** A process in the middle of a turn, which then dies, and another on the same store. */
async function createCrashedTurn(
  scripts: readonly ModelScript[],
  options: {
    answers?: readonly ModelScript[]
    tools?: ToolRegistry
    through?: (store: SessionStore) => SessionStore
  } = {},
) {
  const processes = createMemoryStores()
  const first = processes.open()
  const tools = options.tools ?? weather(waitForever)
  const dying = createTestSessions(createScriptedModel(scripts), { store: first.store, tools })
  const model = createScriptedModel(options.answers ?? [createAnswerScript('Here it is.')])
  const { through = (store) => store } = options
  const living = createTestSessions(model, { store: through(processes.open().store), tools })
  const { id } = await dying.start()
  const sent = await dying.sessions.send(id, 'What is the weather?', { idempotencyKey: 'key-1' })
  const isAtCrash = (event: SessionEvent) =>
    scripts.length > 1 || scripts[0] === toolRequest
      ? event.type === 'agent:tool_decided'
      : event.type === 'agent:token' && event.token.includes('see')
  const heard = await dying.eventsUntil(id, 0, isAtCrash)
  first.die()
  return { ...living, id, sent, heard, model }
}

const formatEvent = (event: SessionEvent) =>
  event.type === 'session:turn_completed' ? `${event.type} ${event.stopReason}` : event.type

const isTurnEnd = (event: SessionEvent) => event.type === 'session:turn_completed'

test('[S4] the next message ends the turn that died first, and discards the step that readers had seen', async () => {
  const { sessions, store, eventsUntil, id, sent, heard, model } = await createCrashedTurn([stuckScript])
  const turn = await sessions.send(id, 'And now?')
  expect(await turn.ended).toBe('completed')
  const seen = heard.at(-1)?.sequenceNumber ?? 0
  const events = await eventsUntil(
    id,
    seen,
    (event) => isTurnEnd(event) && 'turnId' in event && event.turnId === turn.turnId,
  )
  expect(events.map(formatEvent)).toEqual([
    'agent:step_discarded',
    'session:turn_completed error',
    'session:turn_started',
    'agent:token',
    'session:turn_completed completed',
  ])
  const [discarded, ended] = events
  const spoken = heard.find((event) => event.type === 'agent:token')
  expect(discarded).toMatchObject({
    turnId: sent.turnId,
    stepId: spoken && 'stepId' in spoken && spoken.stepId,
  })
  expect(discarded?.fromSequence).toBeLessThanOrEqual(seen + 1)
  expect(discarded?.sequenceNumber).toBeGreaterThan(seen)
  expect(ended).toMatchObject({ turnId: sent.turnId, error: { code: 'internal', retryable: true } })
  expect((await store.readTail(id, 10)).map(({ role }) => role)).toEqual(['user', 'user', 'assistant'])
  // A turn without final text is not in the model's context; a note about it is.
  const [note, question, ...others] = model.asked[0]?.messages ?? []
  expect(note).toMatchObject({ role: 'user', isNote: true })
  expect(question?.content).toEqual([{ type: 'text', text: 'And now?' }])
  expect(others).toEqual([])
})

test('[S4] a turn that died while a tool ran has no step to discard', async () => {
  const { sessions, eventsUntil, id, heard } = await createCrashedTurn([toolRequest])
  await sessions.settle(id)
  const events = await eventsUntil(id, heard.at(-1)?.sequenceNumber ?? 0, isTurnEnd)
  expect(events.map(formatEvent)).toEqual(['session:turn_completed error'])
})

/** Its calls take time before and after they act, as those of a database do. */
function createSlowStore(store: SessionStore): SessionStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || SYNCHRONOUS.has(name)) return member
      return async (...args: readonly unknown[]) => {
        await waitTicks(3)
        const answer: unknown = await Reflect.apply(member, target, args)
        await waitTicks(3)
        return answer
      }
    },
  })
}

const SYNCHRONOUS: ReadonlySet<string | symbol> = new Set(['giveUpLease', 'watchCancel', 'toMediaHandle'])

/** Turns of the event loop. */
async function waitTicks(count: number) {
  for (let tick = 0; tick < count; tick += 1) await new Promise((resolve) => setImmediate(resolve))
}

const requests = ['continue', 'send'] as const
/** In ticks; negative where the request comes first. */
const delays = Array.from({ length: 50 }, (_, index) => index - 30)

test.each(requests.flatMap((request) => delays.map((delay) => [request, delay] as const)))(
  '[S4] %s is not refused as busy while the sweep settles the dead turn, %s ticks after the sweep began',
  async (request, delay) => {
    const { sessions, id } = await createCrashedTurn([stuckScript], { through: createSlowStore })
    await sessions.settleAllInterrupted()
    const sweep = waitTicks(-delay).then(() => sessions.settleAllInterrupted())
    await waitTicks(delay)
    const sent = await (request === 'send' ? sessions.send(id, 'And now?') : sessions.continue(id))
    expect(await sent.ended).toBe('completed')
    await sweep
  },
)

test('[S4] resumes from the last stored step; a call without a result reads as unknown', async () => {
  const { sessions, store, eventsUntil, id, heard, model } = await createCrashedTurn([toolRequest])
  const turn = await sessions.continue(id)
  expect(await turn.ended).toBe('completed')
  expect(model.asked[0]?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'text' }, { type: 'tool_call' }] },
    { role: 'tool', content: [{ callId: call.id, outcome: { text: 'interrupted, outcome unknown' } }] },
  ])
  const messages = await store.readTail(id, 10)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  const events = await eventsUntil(id, heard.at(-1)?.sequenceNumber ?? 0, (event) =>
    formatEvent(event).endsWith(' completed'),
  )
  expect(events.map(formatEvent)).toEqual([
    'session:turn_completed error',
    'session:turn_started',
    'agent:tool_call',
    'agent:tool_result',
    'agent:token',
    'session:turn_completed completed',
  ])
  expect(events[1]).toMatchObject({ continued: true, message: messages[0] })
})

test('[S4] a call that may be repeated is made again', async () => {
  const ran: string[] = []
  const tools = weather(async ({ id }) => (ran.push(id), { kind: 'ok', text: 'sunny' }), true)
  const dies = weather(waitForever, true)
  const processes = createMemoryStores()
  const first = processes.open()
  const dying = createTestSessions(createScriptedModel([toolRequest]), { store: first.store, tools: dies })
  const { id } = await dying.start()
  await dying.sessions.send(id, 'What is the weather?')
  await dying.eventsUntil(id, 0, ({ type }) => type === 'agent:tool_decided')
  first.die()
  const living = createTestSessions(createScriptedModel([createAnswerScript('Sunny.')]), {
    store: processes.open().store,
    tools,
  })
  expect(await (await living.sessions.continue(id)).ended).toBe('completed')
  expect(ran).toEqual([call.id])
})

test('[S4] a turn whose model failed is resumed too, and the model does not see the failed step', async () => {
  const error = { code: 'provider_unavailable', message: 'gone', retryable: true } as const
  const failing: ModelScript = [
    { type: 'text', text: 'I was' },
    { type: 'failure', error },
  ]
  const model = createScriptedModel([failing, createAnswerScript('Noon.'), createAnswerScript('Still noon.')])
  const { sessions, start } = createTestSessions(model)
  const { id } = await start()
  expect(await (await sessions.send(id, 'What time is it?')).ended).toBe('error')
  expect(await (await sessions.continue(id)).ended).toBe('completed')
  await (
    await sessions.send(id, 'And now?')
  ).ended
  expect(model.asked[1]?.messages.map(({ role }) => role)).toEqual(['user'])
  expect(model.asked[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
})

test('an answered turn is not resumed, nor is a running one', async () => {
  const { sessions, start } = createTestSessions(
    createScriptedModel([createAnswerScript('Noon.'), stuckScript]),
  )
  const { id } = await start()
  await expect(sessions.continue(id)).rejects.toMatchObject({ code: 'nothing_to_continue' })
  await (
    await sessions.send(id, 'What time is it?')
  ).ended
  await expect(sessions.continue(id)).rejects.toMatchObject({ code: 'nothing_to_continue' })
  await sessions.send(id, 'And now?')
  await expect(sessions.continue(id)).rejects.toMatchObject({ code: 'session_busy' })
})

test('[X4] turns of dead processes are ended when they are found twice', async () => {
  const { sessions, store, id } = await createCrashedTurn([stuckScript])
  expect(await sessions.settleAllInterrupted()).toBe(0)
  expect((await store.find(id))?.openTurn?.state).toBe('interrupted')
  expect(await sessions.settleAllInterrupted()).toBe(1)
  expect((await store.find(id))?.openTurn).toBeUndefined()
  expect(await sessions.settleAllInterrupted()).toBe(0)
})

test('a repeated request with the key of a dead turn gets its end', async () => {
  const { sessions, eventsUntil, id, sent } = await createCrashedTurn([stuckScript])
  const again = await sessions.send(id, 'What is the weather?', { idempotencyKey: 'key-1' })
  expect(again).toEqual({ turnId: sent.turnId, firstSequence: sent.firstSequence })
  const events = await eventsUntil(id, again.firstSequence - 1, isTurnEnd)
  expect(events.at(-1)).toMatchObject({ turnId: sent.turnId, stopReason: 'error' })
})

test('two simultaneous messages with one key get the same turn', async () => {
  const { sessions, store, start } = createTestSessions(createScriptedModel([createAnswerScript('Noon.')]))
  const { id } = await start()
  const both = await Promise.all([1, 2].map(() => sessions.send(id, 'Hello', { idempotencyKey: 'same' })))
  expect(new Set(both.map(({ turnId }) => turnId)).size).toBe(1)
  expect(await store.readMessages(id, { after: 0, limit: 9 })).toHaveLength(1)
})

test('[S2] a turn is cancelled from another process; its text is kept', async () => {
  const processes = createMemoryStores()
  const runs = createTestSessions(createScriptedModel([waitForAbort]), { store: processes.open().store })
  const asks = createTestSessions(createScriptedModel([]), { store: processes.open().store })
  const { id } = await runs.start()
  const turn = await runs.sessions.send(id, 'Tell me')
  await runs.eventsUntil(id, 0, ({ type }) => type === 'agent:token')
  expect(await asks.sessions.cancel(id)).toBe(true)
  expect(await turn.ended).toBe('cancelled')
  expect((await asks.store.readTail(id, 1))[0]).toMatchObject({ cutShort: 'cancelled' })
})

test('[S2] an interrupted turn that is cancelled ends as cancelled', async () => {
  const { sessions, eventsUntil, id } = await createCrashedTurn([stuckScript])
  expect(await sessions.cancel(id)).toBe(true)
  expect((await eventsUntil(id, 0, isTurnEnd)).slice(-3).map(formatEvent)).toEqual([
    'agent:step_discarded',
    'session:cancelled',
    'session:turn_completed cancelled',
  ])
  expect(await sessions.cancel(id)).toBe(false)
})

test('[S2] a fork starts with the completed past and notes on the rest, under another agent', async () => {
  const { sessions, store, id } = await createCrashedTurn([stuckScript], {
    answers: [createAnswerScript('Rain.'), createAnswerScript('Sun.')],
  })
  await (
    await sessions.send(id, 'And now?')
  ).ended
  await (
    await sessions.send(id, 'And then?')
  ).ended
  const agent = { id: 'other', model: 'scripted', provider: 'test', system_prompt: 'Be long.' }
  const fork = await sessions.fork(id, {
    ownerId: (await store.find(id))?.session.ownerId ?? ('' as never),
    agent,
  })
  expect(fork).toMatchObject({ agentSlug: 'other', messageCount: 5 })
  const past = await store.readMessages(fork.id, { after: 0, limit: 10 })
  expect(past.map(({ role, sequenceNumber }) => `${sequenceNumber} ${role}`)).toEqual([
    '1 system',
    '2 user',
    '3 assistant',
    '4 user',
    '5 assistant',
  ])
  await expect(sessions.continue(fork.id)).rejects.toMatchObject({ code: 'nothing_to_continue' })
})

test('[S4] a turn whose last step was cancelled before any text repeats that step', async () => {
  const model = createScriptedModel([
    reasonThenWait,
    createAnswerScript('Noon.'),
    createAnswerScript('Still noon.'),
  ])
  const { sessions, start, eventsUntil } = createTestSessions(model)
  const { id } = await start()
  const turn = await sessions.send(id, 'What time is it?')
  await eventsUntil(id, 0, ({ type }) => type === 'agent:reasoning')
  await sessions.cancel(id)
  expect(await turn.ended).toBe('cancelled')
  expect(await (await sessions.continue(id)).ended).toBe('completed')
  await (
    await sessions.send(id, 'And now?')
  ).ended
  expect(model.asked.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
    ['user'],
    ['user'],
    ['user', 'assistant', 'user'],
  ])
})

test('[S4] a step cancelled before its tool call is no answer: it gets a note, or the turn is resumed', async () => {
  const model = createScriptedModel([
    waitForAbort,
    createAnswerScript('No.'),
    waitForAbort,
    createAnswerScript('Yes.'),
  ])
  const tools = weather(waitForever)
  const { sessions, store, start, eventsUntil } = createTestSessions(model, { tools })
  const { id } = await start()
  const cancelled = async () => {
    const turn = await sessions.send(id, 'What is the weather?')
    await eventsUntil(id, turn.firstSequence, ({ type }) => type === 'agent:token')
    await sessions.cancel(id)
    expect(await turn.ended).toBe('cancelled')
  }
  await cancelled()
  expect(reconstructSessionState(await store.readTail(id, 9))).toMatchObject([{ outcome: 'rolled-back' }])
  await (
    await sessions.send(id, 'Did you look?')
  ).ended
  const [note] = model.asked[1]?.messages ?? []
  expect(JSON.stringify(note)).toMatch(/person cancelled it[^]*The assistant said last[^]*Well, /)

  await cancelled()
  expect(await (await sessions.continue(id)).ended).toBe('completed')
  expect((await store.readTail(id, 2)).map(({ cutShort }) => cutShort)).toEqual(['unfinished', undefined])
})

test('[S6] if numbers cannot be reserved during a step, it is discarded, and no number is missing', async () => {
  const store = createMemoryStores().open().store
  let isAway = false
  const failing: typeof store = {
    ...store,
    append: async (lease, batch) => {
      const isReservation = batch.messages.length === 0 && batch.events.length === 0
      if (isReservation && isAway) throw new Error('the disk is full')
      return store.append(lease, batch)
    },
  }
  const words = createAnswerScript('word '.repeat(2_000))
  const { sessions, start, eventsUntil } = createTestSessions(
    createScriptedModel([words, createAnswerScript('Yes.')]),
    {
      store: failing,
    },
  )
  const { id } = await start()
  isAway = true
  await expect((await sessions.send(id, 'Talk')).ended).rejects.toThrow('the disk is full')
  isAway = false
  await (
    await sessions.send(id, 'Again?')
  ).ended
  const events = await eventsUntil(id, 0, (event) => formatEvent(event).endsWith(' completed'))
  expect(events.map(formatEvent)).toContain('agent:step_discarded')
  const numbers = events.map(({ fromSequence, sequenceNumber }) => [
    fromSequence ?? sequenceNumber,
    sequenceNumber,
  ])
  expect(numbers.every(([from], index) => index === 0 || from === (numbers[index - 1]?.[1] ?? 0) + 1)).toBe(
    true,
  )
})
