import { expect, test } from 'vitest'
import type { CallId, SessionEvent, ToolCall } from '@parley/contracts'
import { createMemoryStores } from '../memory/memory-session-store.ts'
import type { ModelEvent } from '../ports/model.ts'
import { createAnswerScript, createFakeTools, createScriptedModel } from '../testing/fakes.ts'
import { createTestSessions } from '../testing/test-sessions.ts'

const calls = ['call-1', 'call-2'].map((id): ToolCall => ({
  id: id as CallId,
  name: 'send_letter',
  input: { to: 'Ada' },
}))
const [first, second] = calls as [ToolCall, ToolCall]

const toolRequest: readonly ModelEvent[] = [
  ...calls.map((call): ModelEvent => ({ type: 'tool_call', call })),
  { type: 'finish', reason: 'completed', usage: { inputTokens: 5, outputTokens: 4 } },
]

/** A tool whose first call needs approval; the second does not. */
function createLetterTools() {
  const ran: string[] = []
  const tools = createFakeTools({
    findTargetToApprove: ({ id }) => (id === first.id ? 'Ada' : undefined),
    run: async ({ id }, { decision }) => {
      ran.push(`${id} ${decision ?? 'by itself'}`)
      return decision === 'refuse'
        ? { kind: 'failed', code: 'tool_denied', text: 'The person refused.' }
        : { kind: 'ok', text: 'sent' }
    },
  })
  return { tools, ran }
}

/** A turn that waits for a person, whose process is gone, and another process on the same store. */
async function createWaitingTurn() {
  const { tools, ran } = createLetterTools()
  const processes = createMemoryStores()
  const gone = processes.open()
  const asks = createTestSessions(createScriptedModel([toolRequest]), { store: gone.store, tools })
  const { id } = await asks.start()
  const turn = await asks.sessions.send(id, 'Write to Ada')
  expect(await turn.ended).toBe('waiting')
  gone.die()
  const model = createScriptedModel([createAnswerScript('Done.')])
  return { ...createTestSessions(model, { store: processes.open().store, tools }), id, turn, ran, model }
}

const formatEvent = (event: SessionEvent) =>
  event.type === 'session:turn_completed' ? `${event.type} ${event.stopReason}` : event.type

const isTurnEnd = (event: SessionEvent) => event.type === 'session:turn_completed'

test('[S13] a call that waits for approval outlives its process, and continues in another', async () => {
  const { sessions, store, eventsUntil, id, turn, ran } = await createWaitingTurn()
  expect((await store.find(id))?.openTurn).toEqual({ turnId: turn.turnId, state: 'waiting' })
  await sessions.settleAllInterrupted()
  await sessions.settleAllInterrupted()
  expect((await store.find(id))?.openTurn?.state).toBe('waiting')

  const goes = await sessions.decide(id, first.id, { decision: 'allow' })
  expect(goes.turnId).toBe(turn.turnId)
  expect(await goes.ended).toBe('completed')
  expect(ran).toEqual(['call-1 allow', 'call-2 by itself'])
  expect((await eventsUntil(id, 1, isTurnEnd)).map(formatEvent)).toEqual([
    'session:turn_started',
    'agent:tool_call',
    'agent:approval_requested',
    'agent:approval_answered',
    'agent:tool_decided',
    'agent:tool_result',
    'agent:tool_call',
    'agent:tool_decided',
    'agent:tool_result',
    'agent:token',
    'session:turn_completed completed',
  ])
})

test('[S13] a refusal is an outcome that the model reads', async () => {
  const { sessions, id, ran, model } = await createWaitingTurn()
  await (
    await sessions.decide(id, first.id, { decision: 'refuse' })
  ).ended
  expect(ran).toEqual(['call-1 refuse', 'call-2 by itself'])
  const results = model.asked[0]?.messages.filter(({ role }) => role === 'tool')
  expect(results).toMatchObject([{ content: [{ outcome: { code: 'tool_denied' } }] }, {}])
})

test('[S13] a second decision on a call, while the turn waits with its next call, runs nothing twice', async () => {
  const ran: string[] = []
  const tools = createFakeTools({
    findTargetToApprove: () => 'Ada',
    async run({ id }) {
      ran.push(id)
      return { kind: 'ok', text: 'sent' }
    },
  })
  const { store } = createMemoryStores().open()
  const late = Promise.withResolvers<void>()
  const isRead = Promise.withResolvers<void>()
  const slow = {
    ...store,
    async takeOver(turn: Parameters<typeof store.takeOver>[0]) {
      isRead.resolve()
      await late.promise
      return store.takeOver(turn)
    },
  }
  const here = createTestSessions(createScriptedModel([toolRequest]), { store, tools })
  const elsewhere = createTestSessions(createScriptedModel([]), { store: slow, tools })
  const { id } = await here.start()
  await (
    await here.sessions.send(id, 'Write to Ada')
  ).ended
  const tooLate = elsewhere.sessions.decide(id, first.id, { decision: 'allow' })
  await isRead.promise
  expect(await (await here.sessions.decide(id, first.id, { decision: 'allow' })).ended).toBe('waiting')
  late.resolve()
  await expect(tooLate).rejects.toMatchObject({ code: 'approval_not_pending' })
  expect(ran).toEqual([first.id])
})

test('[S13] only the call that waits can be decided on, and only once', async () => {
  const { sessions, id } = await createWaitingTurn()
  await expect(sessions.decide(id, second.id, { decision: 'allow' })).rejects.toMatchObject({
    code: 'approval_not_pending',
  })
  const both = await Promise.allSettled(
    [1, 2].map(() => sessions.decide(id, first.id, { decision: 'allow' })),
  )
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('[S2] while a call waits, messages are refused; cancelling ends the wait', async () => {
  const { sessions, eventsUntil, id, ran } = await createWaitingTurn()
  await expect(sessions.send(id, 'Hello?')).rejects.toMatchObject({ code: 'session_busy' })
  await expect(sessions.continue(id)).rejects.toMatchObject({ code: 'session_busy' })
  expect(await sessions.cancel(id)).toBe(true)
  expect((await eventsUntil(id, 1, isTurnEnd)).slice(-2).map(formatEvent)).toEqual([
    'session:cancelled',
    'session:turn_completed cancelled',
  ])
  expect(ran).toEqual([])
  await expect(sessions.decide(id, first.id, { decision: 'allow' })).rejects.toMatchObject({
    code: 'approval_not_pending',
  })
  expect(await (await sessions.send(id, 'Never mind')).ended).toBe('completed')
})

test('[S13] attack: a later call reuses the id of an allowed one: it needs a new approval', async () => {
  const { tools, ran } = createLetterTools()
  const model = createScriptedModel([
    toolRequest.slice(0, 1).concat(toolRequest.slice(-1)),
    toolRequest.slice(0, 1).concat(toolRequest.slice(-1)),
  ])
  const { sessions, start } = createTestSessions(model, { tools })
  const { id } = await start()
  expect(await (await sessions.send(id, 'Write to Ada')).ended).toBe('waiting')
  expect(await (await sessions.decide(id, first.id, { decision: 'allow' })).ended).toBe('waiting')
  expect(ran).toEqual(['call-1 allow'])
})

test('[S13] an answer for the session is stored as a grant; it is refused if no grant was offered', async () => {
  const { sessions, id, store } = await createWaitingTurn()
  await (
    await sessions.decide(id, first.id, { decision: 'allow_session' })
  ).ended
  expect((await store.find(id))?.session.grants).toEqual([{ tool: first.name, target: 'Ada' }])
})

test('[S13] if no person was available, the event says so', async () => {
  const { sessions, id, eventsUntil } = await createWaitingTurn()
  await (
    await sessions.decide(id, first.id, { decision: 'refuse', unattended: true })
  ).ended
  expect(await eventsUntil(id, 1, isTurnEnd)).toContainEqual(
    expect.objectContaining({ type: 'agent:approval_answered', decision: 'refuse', unattended: true }),
  )
})

test('[S13] a call that needs approval each time is not granted for the session', async () => {
  const { tools, ran } = createLetterTools()
  const eachTime: typeof tools = {
    ...tools,
    async decide(call, circumstances) {
      const verdict = await tools.decide(call, circumstances)
      return verdict.kind === 'asks' ? { kind: 'asks', target: 'Ada', inputHash: 'hash-1' } : verdict
    },
  }
  const { sessions, start, store } = createTestSessions(
    createScriptedModel([toolRequest, createAnswerScript('Done.')]),
    {
      tools: eachTime,
    },
  )
  const { id } = await start()
  expect(await (await sessions.send(id, 'Write to Ada')).ended).toBe('waiting')
  const deciding = (decision: 'allow' | 'allow_session', inputHash?: string) =>
    sessions.decide(id, first.id, { decision, ...(inputHash !== undefined && { inputHash }) })
  await expect(deciding('allow_session')).rejects.toMatchObject({ code: 'validation' })
  await expect(deciding('allow', 'hash-2')).rejects.toMatchObject({ code: 'approval_not_pending' })
  expect(ran).toEqual([])
  expect(await (await deciding('allow', 'hash-1')).ended).toBe('completed')
  expect((await store.find(id))?.session.grants).toEqual([])
})

test('[S2] send, continue and decide are refused with the reason while a call waits', async () => {
  const { sessions, id } = await createWaitingTurn()
  const message = expect.stringContaining('waiting for approval')
  await expect(sessions.send(id, 'Hello?')).rejects.toMatchObject({
    code: 'session_busy',
    detail: { message },
  })
  await expect(sessions.continue(id)).rejects.toMatchObject({ code: 'session_busy', detail: { message } })
})

test('[A5] a decision names the person', async () => {
  const { sessions, id, eventsUntil } = await createWaitingTurn()
  const by = 'per_ada' as never
  await (
    await sessions.decide(id, first.id, { decision: 'allow', by })
  ).ended
  expect(await eventsUntil(id, 1, isTurnEnd)).toContainEqual(
    expect.objectContaining({ type: 'agent:approval_answered', by }),
  )
})

test('[S13] the same grant is stored once', async () => {
  const twice = [...calls.slice(0, 1), { ...first, id: 'call-3' as CallId }].map((call): ModelEvent => ({
    type: 'tool_call',
    call,
  }))
  const both = createFakeTools({
    findTargetToApprove: () => 'Ada',
    run: async () => ({ kind: 'ok', text: 'sent' }),
  })
  const { sessions, start, store } = createTestSessions(
    createScriptedModel([[...twice, ...toolRequest.slice(-1)], createAnswerScript('Done.')]),
    { tools: both },
  )
  const { id } = await start()
  await (
    await sessions.send(id, 'Write twice')
  ).ended
  for (const callId of ['call-1', 'call-3'])
    await (
      await sessions.decide(id, callId as CallId, { decision: 'allow_session' })
    ).ended
  expect((await store.find(id))?.session.grants).toEqual([{ tool: first.name, target: 'Ada' }])
})

test('[S7] a turn that waited keeps counting its steps', async () => {
  const { tools, ran } = createLetterTools()
  const model = createScriptedModel([toolRequest, createAnswerScript('Done.')])
  const { sessions, start, eventsUntil } = createTestSessions(model, { tools, limits: { maxToolTurns: 1 } })
  const { id } = await start()
  await (
    await sessions.send(id, 'Write to Ada')
  ).ended
  expect(await (await sessions.decide(id, first.id, { decision: 'allow' })).ended).toBe('error')
  expect(ran).toHaveLength(2)
  expect(model.asked).toHaveLength(1)
  expect((await eventsUntil(id, 1, isTurnEnd)).at(-1)).toMatchObject({ error: { code: 'turn_limit' } })
  expect(await (await sessions.continue(id)).ended).toBe('completed')
})

test('[S7] with a step left, a turn that waited is answered', async () => {
  const { tools } = createLetterTools()
  const model = createScriptedModel([toolRequest, createAnswerScript('Done.')])
  const { sessions, start } = createTestSessions(model, { tools, limits: { maxToolTurns: 2 } })
  const { id } = await start()
  await (
    await sessions.send(id, 'Write to Ada')
  ).ended
  expect(await (await sessions.decide(id, first.id, { decision: 'allow' })).ended).toBe('completed')
})
