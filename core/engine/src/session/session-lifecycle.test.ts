import { expect, test } from 'vitest'
import { type CallId, PlatformError, type SessionEvent, type SessionId } from '@parley/contracts'
import { createMemorySessionStore, createMemoryStores } from '../memory/memory-session-store.ts'
import type { ModelEvent } from '../ports/model.ts'
import {
  type ModelScript,
  createAnswerScript,
  createFakeTools,
  createScriptedModel,
} from '../testing/fakes.ts'
import { testAgent, testOwner } from '../testing/fixtures.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import { isBusy } from './turn-recorder.ts'

const isEnd = ({ type }: SessionEvent) => type === 'session:turn_completed'

/** Says a word, and no more until it is stopped. */
const waitForAbort: ModelScript = async function* (_, signal) {
  yield { type: 'text', text: 'Well, ' }
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

/** A session whose process died in the middle of a turn, and another process that knows it. */
async function createCrashedTurn(scripts: readonly ModelScript[] = [waitForAbort], fallbacks = {}) {
  const processes = createMemoryStores()
  const first = processes.open()
  const dying = createTestSessions(createScriptedModel(scripts), { store: first.store, fallbacks })
  const living = createTestSessions(createScriptedModel([createAnswerScript('Yes.')]), {
    store: processes.open().store,
  })
  const fallback_chain = Object.keys(fallbacks).map((model) => ({ provider: 'test', model }))
  const agent = { ...testAgent, ...(fallback_chain.length > 0 && { fallback_chain }) }
  const { id } = await dying.start({ agent })
  const sent = await dying.sessions.send(id, 'Hello')
  await dying.eventsUntil(id, 1, ({ type }) => type === 'agent:token')
  first.die()
  return { ...living, id, sent }
}

test('[S2] an ended session accepts no turns and stays readable', async () => {
  const { sessions, store, start } = createTestSessions(createScriptedModel([createAnswerScript('Yes.')]))
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  await sessions.end(id)
  expect((await store.find(id))?.session.status).toBe('ended')
  const ended = { code: 'session_ended' }
  await expect(sessions.send(id, 'More?')).rejects.toMatchObject(ended)
  await expect(sessions.continue(id)).rejects.toMatchObject(ended)
  await expect(sessions.settle(id)).rejects.toMatchObject(ended)
  expect(await store.readTail(id, 9)).toHaveLength(2)
})

test.each(['end', 'remove'] as const)(
  '[X4] a session whose process died can be brought to its %s',
  async (how) => {
    const { sessions, store, id } = await createCrashedTurn()
    await sessions[how](id)
    const record = await store.find(id)
    expect(record?.openTurn).toBeUndefined()
    expect(record?.session.status).toBe(how === 'end' ? 'ended' : undefined)
  },
)

test('[X5] a deleted session is gone for the process that cached it', async () => {
  const { sessions, store, start } = createTestSessions(createScriptedModel([createAnswerScript('Yes.')]))
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  await sessions.remove(id)
  expect(await store.find(id)).toBeUndefined()
  await expect(sessions.send(id, 'More?')).rejects.toMatchObject({ code: 'session_not_found' })
})

test('[S2] every request for a missing session says that it does not exist', async () => {
  const { sessions } = createTestSessions(createScriptedModel([]))
  const nobody = 'ses_nobody' as SessionId
  const missing = { code: 'session_not_found' }
  await expect(sessions.send(nobody, 'Hello')).rejects.toMatchObject(missing)
  await expect(sessions.continue(nobody)).rejects.toMatchObject(missing)
  await expect(sessions.decide(nobody, 'c' as CallId, { decision: 'allow' })).rejects.toMatchObject(missing)
  await expect(sessions.compact(nobody)).rejects.toMatchObject(missing)
  await expect(sessions.trim(nobody, 1)).rejects.toMatchObject(missing)
  await expect(sessions.fork(nobody, { ownerId: testOwner, agent: testAgent })).rejects.toMatchObject(missing)
  await expect(sessions.recordExport(nobody)).rejects.toMatchObject(missing)
  expect(await sessions.cancel(nobody)).toBe(false)
  await expect(sessions.settle(nobody)).resolves.toBeUndefined()
})

test('[X4] the turn of a dead process is ended on request, and counted once', async () => {
  const { sessions, store, id, eventsUntil } = await createCrashedTurn()
  expect(await sessions.settleAllInterrupted()).toBe(0)
  await sessions.settle(id)
  expect((await store.find(id))?.openTurn).toBeUndefined()
  expect(await sessions.settleAllInterrupted()).toBe(0)
  expect((await eventsUntil(id, 1, isEnd)).at(-1)).toMatchObject({
    stopReason: 'error',
    error: { code: 'internal' },
  })
})

const listSteps = async (scripts: readonly ModelScript[], fallbacks = {}) => {
  const { sessions, store, id, sent } = await createCrashedTurn(scripts, fallbacks)
  await sessions.settle(id)
  const events = await store.readEvents(id, { after: 0, limit: 99 })
  const discarded = events.filter(({ body }) => body.type === 'agent:step_discarded')
  return discarded.map(({ body }) => String(body['stepId']).replace(sent.turnId.slice(4), ''))
}

test('[S6] the step of a dead process is discarded by its own id, after the attempts that the process had discarded', async () => {
  expect(await listSteps([waitForAbort])).toEqual(['stp_x2x0'])
  const down = { code: 'provider_unavailable', message: 'down', retryable: true } as const
  const thinks: ModelScript = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'failure', error: down },
  ]
  expect(await listSteps([thinks], { second: createScriptedModel([waitForAbort], 'second') })).toEqual([
    'stp_x2x0',
    'stp_x2x1',
  ])
})

test('[S2] a process that ends cancels its turns, and waits until that is stored', async () => {
  const { sessions, store, start, eventsUntil } = createTestSessions(
    createScriptedModel([waitForAbort, waitForAbort]),
  )
  const ids = [(await start()).id, (await start()).id]
  for (const id of ids) {
    await sessions.send(id, 'Hello')
    await eventsUntil(id, 1, ({ type }) => type === 'agent:token')
  }
  await sessions.cancelAll()
  for (const id of ids) expect((await store.find(id))?.openTurn).toBeUndefined()
})

test('[S14] an export is recorded between turns, but not during one', async () => {
  const { sessions, store, start, eventsUntil } = createTestSessions(createScriptedModel([waitForAbort]))
  const { id } = await start()
  const reading = eventsUntil(id, 1, ({ type }) => type === 'session:exported')
  await sessions.recordExport(id)
  expect((await reading).at(-1)).toMatchObject({ type: 'session:exported', format: 'relavium.yaml' })
  await sessions.send(id, 'Hello')
  await eventsUntil(id, 2, ({ type }) => type === 'agent:token')
  await sessions.recordExport(id)
  await expect(sessions.compact(id)).rejects.toMatchObject({ code: 'session_busy' })
  await expect(sessions.trim(id, 0)).rejects.toMatchObject({ code: 'session_busy' })
  await expect(sessions.continue(id)).rejects.toMatchObject({ code: 'session_busy' })
  await sessions.cancelAll()
  const events = await store.readEvents(id, { after: 0, limit: 99 })
  expect(events.filter(({ body }) => body.type === 'session:exported')).toHaveLength(1)
})

const price = { input: 1_000_000, output: 1_000_000 }

test.each(['fail', 'pause_for_approval'] as const)(
  '[S8] a summary that would pass the budget is not made: %s',
  async (onExceed) => {
    const model = createScriptedModel(
      [createAnswerScript('Yes.'), createAnswerScript('They spoke.')],
      'scripted',
      { price },
    )
    const limits = { maxCostMicrocents: 1_000_000, onExceed }
    const { sessions, start } = createTestSessions(model, { limits })
    const { id } = await start()
    await (
      await sessions.send(id, 'Hello')
    ).ended
    limits.maxCostMicrocents = 12
    await expect(sessions.compact(id)).rejects.toMatchObject({ code: 'budget_exceeded' })
    expect(model.asked).toHaveLength(1)
  },
)

test('[S17] a summary has a start and an end event, and a failed one changes nothing', async () => {
  const error = { code: 'provider_unavailable', message: 'down', retryable: true } as const
  const model = createScriptedModel([
    createAnswerScript('Yes.'),
    [{ type: 'failure', error }],
    createAnswerScript('They spoke.'),
  ])
  const { sessions, store, start, eventsUntil } = createTestSessions(model)
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  await expect(sessions.compact(id)).rejects.toMatchObject({ code: 'provider_unavailable' })
  expect((await store.readTail(id, 9)).some(({ marker }) => marker)).toBe(false)
  const reading = eventsUntil(id, 1, ({ type }) => type === 'session:compacted')
  expect(await sessions.compact(id)).toEqual({ messagesBefore: 2, messagesAfter: 0 })
  expect((await reading).map(({ type }) => type).slice(-3)).toEqual([
    'session:compacting',
    'session:compacting',
    'session:compacted',
  ])
})

test('[S2] a fork has its own id, the same past however long, the title and the agent’s name', async () => {
  const store = createMemorySessionStore()
  const model = createScriptedModel(Array.from({ length: 251 }, () => createAnswerScript('Yes.')))
  const { sessions, start } = createTestSessions(model, { store, limits: { maxTurns: 999 } })
  const { id } = await start({ title: 'Tides' })
  for (let turn = 0; turn < 251; turn += 1) await (await sessions.send(id, `${turn}`)).ended
  const agent = { ...testAgent, name: 'Helper' }
  const forked = await sessions.fork(id, { id: 'ses_forked' as SessionId, ownerId: testOwner, agent })
  expect(forked).toMatchObject({ id: 'ses_forked', title: 'Tides', messageCount: 502 })
  const [started] = await store.readEvents(forked.id, { after: 0, limit: 1 })
  expect(started?.body).toMatchObject({ type: 'session:started', agent: { id: 'helper', name: 'Helper' } })
  expect(await store.readMessages(forked.id, { after: 500, limit: 9 })).toMatchObject([
    { sequenceNumber: 501, content: [{ text: '250' }] },
    { sequenceNumber: 502, content: [{ text: 'Yes.' }] },
  ])
})

test('[S1] a session is not started if its agent’s model is not available', async () => {
  const store = createMemorySessionStore()
  const { start } = createTestSessions(
    {
      get provider(): string {
        throw new Error('not asked')
      },
    } as never,
    { store, fallbacks: new Proxy({}, { get: () => throwUnavailable() }) },
  )
  await expect(start()).rejects.toMatchObject({ code: 'provider_auth' })
  expect((await store.list({ ownerId: testOwner, limit: 9 })).items).toEqual([])
})

function throwUnavailable(): never {
  throw new PlatformError('provider_auth', { message: 'no key' })
}

const createPicture = (byte: number) => ({ mediaType: 'image/png', bytes: new Uint8Array([byte]) })

test('[S2] with one key, the same words with another picture are another message', async () => {
  const { sessions, store, start } = createTestSessions(createScriptedModel([createAnswerScript('Nice.')]))
  const { id } = await start()
  const send = (text: string, byte: number) =>
    sessions.send(id, { text, media: [createPicture(byte)] as never }, { idempotencyKey: 'k1' })
  const first = await send('Look', 1)
  await first.ended
  expect((await send('Look', 1)).turnId).toBe(first.turnId)
  await expect(send('Look', 2)).rejects.toMatchObject({ code: 'idempotency_conflict' })
  await expect(send('See', 1)).rejects.toMatchObject({ code: 'idempotency_conflict' })
  const [question] = await store.readTail(id, 2)
  expect(question?.content.map(({ type }) => type)).toEqual(['text', 'media'])
})

test('[S6] stored events name the message and the part of their text', async () => {
  const call = { id: 'call-1' as CallId, name: 'look', input: {} }
  const asks: readonly ModelEvent[] = [
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_call', call },
    { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } },
  ]
  const tools = createFakeTools({ run: async () => ({ kind: 'ok', text: 'seen' }) })
  const { sessions, store, start } = createTestSessions(
    createScriptedModel([asks, createAnswerScript('Yes.')]),
    { tools },
  )
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  const events = await store.readEvents(id, { after: 1, limit: 99 })
  expect(
    events.flatMap(({ body, messageRef }) =>
      messageRef ? [[body.type, messageRef.message, messageRef.part]] : [],
    ),
  ).toEqual([
    ['session:turn_started', 1, 0],
    ['agent:token', 2, 0],
    ['agent:tool_call', 2, 1],
    ['agent:tool_result', 3, 0],
    ['agent:token', 4, 0],
  ])
})

test.each<[string, unknown, boolean]>([
  ['a session that is busy', new PlatformError('session_busy'), true],
  ['another refusal', new PlatformError('session_ended'), false],
  ['an error of the machine', Object.assign(new Error('no'), { code: 'session_busy' }), false],
])('whether another process holds the lease: %s', (_, failure, expected) => {
  expect(isBusy(failure)).toBe(expected)
})

test('[S11] while its model is not available, a session stores nothing and sends nothing', async () => {
  let isGone = false
  const tools = createFakeTools({
    findTargetToApprove: () => 'Ada',
    run: async () => ({ kind: 'ok', text: 'sent' }),
  })
  const call = { id: 'call-1' as CallId, name: 'send', input: {} }
  const model = createScriptedModel([[{ type: 'tool_call', call }]])
  const fallbacks = new Proxy({}, { get: () => (isGone ? throwUnavailable() : undefined) })
  const { sessions, store, start } = createTestSessions(model, { tools, fallbacks })
  const { id } = await start()
  expect(await (await sessions.send(id, 'Write')).ended).toBe('waiting')
  isGone = true
  const before = await store.find(id)
  const gone = { code: 'provider_auth' }
  await expect(sessions.decide(id, call.id, { decision: 'allow' })).rejects.toMatchObject(gone)
  await sessions.cancel(id)
  await expect(sessions.send(id, 'More')).rejects.toMatchObject(gone)
  await expect(sessions.continue(id)).rejects.toMatchObject(gone)
  expect((await store.find(id))?.session.messageCount).toBe(before?.session.messageCount)
})

test('[S17] a session is trimmed to whole turns, with an event', async () => {
  const { sessions, start, eventsUntil } = createTestSessions(
    createScriptedModel(Array.from({ length: 3 }, () => createAnswerScript('Yes.'))),
  )
  const { id } = await start()
  for (const text of ['1', '2', '3']) await (await sessions.send(id, text)).ended
  const reading = eventsUntil(id, 1, ({ type }) => type === 'session:trimmed')
  expect(await sessions.trim(id, 3)).toEqual({ messagesBefore: 6, messagesAfter: 4 })
  expect((await reading).at(-1)).toMatchObject({ type: 'session:trimmed', uptoSequence: 2 })
})

test('[S2] of two simultaneous cancels of a waiting turn, one succeeds', async () => {
  const tools = createFakeTools({
    findTargetToApprove: () => 'Ada',
    run: async () => ({ kind: 'ok', text: 'sent' }),
  })
  const call = { id: 'call-1' as CallId, name: 'send', input: {} }
  const { sessions, start, eventsUntil } = createTestSessions(
    createScriptedModel([[{ type: 'tool_call', call }]]),
    {
      tools,
    },
  )
  const { id } = await start()
  expect(await (await sessions.send(id, 'Write')).ended).toBe('waiting')
  const both = await Promise.all([sessions.cancel(id), sessions.cancel(id)])
  expect(both.toSorted()).toEqual([false, true])
  const types = (await eventsUntil(id, 1, isEnd)).map(({ type }) => type)
  expect(types.filter((type) => type === 'agent:step_discarded' || type === 'session:cancelled')).toEqual([
    'session:cancelled',
  ])
})

test('[S2] continuing a running turn is refused with its id', async () => {
  const { sessions, start, eventsUntil } = createTestSessions(createScriptedModel([waitForAbort]))
  const { id } = await start()
  const { turnId } = await sessions.send(id, 'Hello')
  await eventsUntil(id, 1, ({ type }) => type === 'agent:token')
  await expect(sessions.continue(id)).rejects.toMatchObject({ code: 'session_busy', detail: { turnId } })
  await sessions.cancelAll()
})
