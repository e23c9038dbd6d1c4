import { expect, test } from 'vitest'
import type { CallId, SessionEvent } from '@parley/contracts'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'
import type { ModelEvent } from '../ports/model.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { createAnswerScript, createFakeTools, createScriptedModel } from '../testing/fakes.ts'
import { createTestSessions } from '../testing/test-sessions.ts'

const isTurnEnd = (event: SessionEvent) => event.type === 'session:turn_completed'
const call = { id: 'call-1' as CallId, name: 'weather', input: {} }

test('[S2] a question is stored, answered and included in the next turn', async () => {
  const model = createScriptedModel([createAnswerScript('Four.'), createAnswerScript('Eight.')])
  const { sessions, store, start } = createTestSessions(model)
  const { id } = await start()
  expect(await (await sessions.send(id, 'Two and two?')).ended).toBe('completed')
  expect(await (await sessions.send(id, 'Twice that?')).ended).toBe('completed')
  expect((await store.readMessages(id, { after: 0, limit: 9 })).map(formatMessage)).toEqual([
    'user: Two and two?',
    'assistant: Four.',
    'user: Twice that?',
    'assistant: Eight.',
  ])
  expect(model.asked[1]?.messages.map(formatMessage)).toEqual([
    'user: Two and two?',
    'assistant: Four.',
    'user: Twice that?',
  ])
  expect((await store.find(id))?.session.title).toBe('Two and two?')
})

test('[S4] the message is stored before the model is called', async () => {
  const store = createMemorySessionStore()
  const storedWhenAsked: string[] = []
  const model = createScriptedModel([
    async function* () {
      const [only] = (await store.list({ limit: 1 })).items
      if (only)
        storedWhenAsked.push(
          ...(await store.readMessages(only.session.id, { after: 0, limit: 9 })).map(formatMessage),
        )
      yield* createAnswerScript('Yes.')
    },
  ])
  const { sessions, start } = createTestSessions(model, { store })
  const { id } = await start()
  await (
    await sessions.send(id, 'Are you there?')
  ).ended
  expect(storedWhenAsked).toEqual(['user: Are you there?'])
})

test('[S5] a turn has events from start to end, each with its own number', async () => {
  const { sessions, start, eventsUntil } = createTestSessions(
    createScriptedModel([createAnswerScript('Good day to you.')]),
  )
  const { id } = await start()
  const listening = eventsUntil(id, 0, isTurnEnd)
  await sessions.send(id, 'Hello')
  const events = await listening
  expect(events.map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(events.map(({ type }) => type)).toEqual([
    'session:started',
    'session:turn_started',
    'agent:token',
    'agent:token',
    'agent:token',
    'agent:token',
    'session:turn_completed',
  ])
  expect(events[0]).toMatchObject({ sessionId: id, context: { variables: { name: 'Ada' } } })
})

test('[S6] a later reader gets the same, a step’s text joined in one event', async () => {
  const { sessions, start, eventsUntil } = createTestSessions(
    createScriptedModel([createAnswerScript('Good day to you.')]),
  )
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  const events = await eventsUntil(id, 0, isTurnEnd)
  expect(events.map(({ fromSequence, sequenceNumber }) => [fromSequence, sequenceNumber])).toEqual([
    [undefined, 1],
    [undefined, 2],
    [3, 6],
    [undefined, 7],
  ])
  expect(events[1]).toMatchObject({ message: { role: 'user', content: [{ text: 'Hello' }] } })
  expect(events[2]).toMatchObject({ type: 'agent:token', token: 'Good day to you.' })
})

test('[S6] a reader that comes in the middle of a step gets its text so far, then the rest', async () => {
  const gate = Promise.withResolvers<void>()
  const spoken = Promise.withResolvers<void>()
  const model = createScriptedModel([
    async function* () {
      yield { type: 'text', text: 'one ' } satisfies ModelEvent
      yield { type: 'text', text: 'two ' } satisfies ModelEvent
      spoken.resolve()
      await gate.promise
      yield* createAnswerScript('three')
    },
  ])
  const { sessions, start, eventsUntil } = createTestSessions(model)
  const { id } = await start()
  await sessions.send(id, 'Count')
  await spoken.promise
  const listening = eventsUntil(id, 2, isTurnEnd)
  gate.resolve()
  const events = await listening
  expect(events[0]).toMatchObject({
    type: 'agent:token',
    token: 'one two ',
    fromSequence: 3,
    sequenceNumber: 4,
  })
  expect(events[1]).toMatchObject({ type: 'agent:token', token: 'three', sequenceNumber: 5 })
})

test('[S6] a reader that falls behind loses nothing', async () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `word${index} `).join('')
  const { sessions, start } = createTestSessions(createScriptedModel([createAnswerScript(words)]))
  const { id } = await start()
  const abort = new AbortController()
  const reading = sessions.streamEvents({ sessionId: id, after: 0, signal: abort.signal })
  await reading.next()
  const stalled = reading.next()
  await (
    await sessions.send(id, 'Go on')
  ).ended
  await stalled
  let text = ''
  let seen = 2
  for await (const event of reading) {
    expect(event.fromSequence ?? event.sequenceNumber).toBeLessThanOrEqual(seen + 1)
    seen = event.sequenceNumber
    if (event.type === 'agent:token')
      text = event.fromSequence === undefined ? text + event.token : event.token
    if (isTurnEnd(event)) break
  }
  expect(text).toBe(words)
})

test('[S6] beyond the reserved numbers, more are reserved and none is used twice', async () => {
  const words = Array.from({ length: 3_000 }, () => 'word ').join('')
  const { sessions, store, start, eventsUntil } = createTestSessions(
    createScriptedModel([createAnswerScript(words), createAnswerScript('End.')]),
  )
  const { id } = await start()
  await (
    await sessions.send(id, 'Go on')
  ).ended
  expect((await store.find(id))?.lastSequence).toBe(3_003)
  await (
    await sessions.send(id, 'And?')
  ).ended
  const events = await eventsUntil(id, 3_003, isTurnEnd)
  expect(events[0]?.sequenceNumber).toBe(3_004)
})

test('[S10] tool calls and results are stored and included in the next turn', async () => {
  const asking: readonly ModelEvent[] = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_call', call },
    { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } },
  ]
  const model = createScriptedModel([
    asking,
    createAnswerScript('Sunny.'),
    createAnswerScript('Still sunny.'),
  ])
  const tools = createFakeTools({ run: async () => ({ kind: 'ok', text: '21°' }) })
  const { sessions, start, eventsUntil } = createTestSessions(model, { tools })
  const { id } = await start()
  await (
    await sessions.send(id, 'Weather?')
  ).ended
  await (
    await sessions.send(id, 'And now?')
  ).ended
  expect(model.asked[2]?.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ])
  const events = await eventsUntil(id, 2, isTurnEnd)
  expect(events).toMatchObject([
    { type: 'agent:reasoning', text: 'Hm.' },
    { type: 'agent:token', token: 'Let me look.' },
    { type: 'agent:tool_call', call },
    { type: 'agent:tool_decided', callId: call.id, verdict: 'allowed', by: 'policy' },
    { type: 'agent:tool_result', callId: call.id, outcome: { text: '21°' } },
    { type: 'agent:token', token: 'Sunny.' },
    { type: 'session:turn_completed' },
  ])
})

test('[S4] a turn without final text is stored, and the model gets a note instead', async () => {
  const asking: readonly ModelEvent[] = [
    { type: 'tool_call', call },
    { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } },
  ]
  const down: ModelEvent = {
    type: 'failure',
    error: { code: 'provider_unavailable', message: 'down', retryable: true },
  }
  const model = createScriptedModel([asking, [down], createAnswerScript('Here I am.')])
  const { sessions, store, start } = createTestSessions(model)
  const { id } = await start()
  expect(await (await sessions.send(id, 'Weather?')).ended).toBe('error')
  await (
    await sessions.send(id, 'Hello?')
  ).ended
  expect(model.asked[2]?.messages.map(formatMessage)).toEqual([
    expect.stringMatching(/^user: \[Note from Parley[^]*weather \{\} -> failed \(tool_unavailable\)/),
    'user: Hello?',
  ])
  expect((await store.readMessages(id, { after: 0, limit: 9 })).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
  ])
})

test('[S6] events are stored before they are published, and no number is used before it is reserved', async () => {
  const words = Array.from({ length: 3_000 }, () => 'word ').join('')
  const memory = createMemorySessionStore()
  const stored = new Set<number>()
  let reserved = 0
  const store: SessionStore = {
    ...memory,
    async beginTurn(opening) {
      const lease = await memory.beginTurn(opening)
      reserved = lease.reservedUpTo
      stored.add(lease.eventSequence)
      return lease
    },
    async append(lease, batch) {
      await memory.append(lease, batch)
      reserved = Math.max(reserved, batch.reservedUpTo)
      for (const { sequenceNumber } of batch.events) stored.add(sequenceNumber)
    },
  }
  const { sessions, start, eventBus } = createTestSessions(createScriptedModel([createAnswerScript(words)]), {
    store,
  })
  const { id } = await start()
  const reader = eventBus.attach(id)
  const { signal } = new AbortController()
  const { ended: done } = await sessions.send(id, 'Go on')
  for (;;) {
    const event = await reader.next(signal)
    if (event === undefined || event === 'lagged') {
      reader.catchUp()
      continue
    }
    expect(event.sequenceNumber).toBeLessThanOrEqual(reserved)
    expect(event.type === 'agent:token' || stored.has(event.sequenceNumber)).toBe(true)
    if (isTurnEnd(event)) break
  }
  await done
})

test('[S2] cancel ends the turn; its text is kept, and the session continues', async () => {
  const spoken = Promise.withResolvers<void>()
  const model = createScriptedModel([
    async function* (_, signal) {
      yield { type: 'text', text: 'I was about to' } satisfies ModelEvent
      spoken.resolve()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      yield { type: 'text', text: ' never heard' } satisfies ModelEvent
    },
    createAnswerScript('Yes?'),
  ])
  const { sessions, store, start } = createTestSessions(model)
  const { id } = await start()
  const turn = await sessions.send(id, 'Tell me')
  await spoken.promise
  expect(await sessions.cancel(id)).toBe(true)
  expect(await turn.ended).toBe('cancelled')
  const [, answer] = await store.readMessages(id, { after: 0, limit: 9 })
  expect(answer).toMatchObject({
    cutShort: 'cancelled',
    content: [{ text: expect.stringContaining('I was about to') }],
  })
  expect(await sessions.cancel(id)).toBe(false)
  expect(await (await sessions.send(id, 'Go on')).ended).toBe('completed')
})

test('[S7] past the turn cap the message is stored, the turn ends with an error, and no model is called', async () => {
  const model = createScriptedModel([createAnswerScript('One.')])
  const { sessions, store, start, eventsUntil } = createTestSessions(model, { limits: { maxTurns: 1 } })
  const { id } = await start()
  await (
    await sessions.send(id, 'First')
  ).ended
  const second = await sessions.send(id, 'Second')
  expect(await second.ended).toBe('error')
  expect(model.asked).toHaveLength(1)
  const [, last] = await eventsUntil(id, second.firstSequence - 1, isTurnEnd)
  expect(last).toMatchObject({ stopReason: 'error', error: { code: 'turn_limit' } })
  expect(await store.readMessages(id, { after: 2, limit: 9 })).toHaveLength(1)
})

test.each([{ maxTurns: 0 }, {}])('[S7] the turn cap is 50 if the limits are %j', async (limits) => {
  const model = createScriptedModel(Array.from({ length: 51 }, () => createAnswerScript('One.')))
  const { sessions, start, eventsUntil } = createTestSessions(model, { limits })
  const { id } = await start()
  const endings: unknown[] = []
  for (let turn = 1; turn <= 50; turn += 1) endings.push(await (await sessions.send(id, `${turn}`)).ended)
  expect(new Set(endings)).toEqual(new Set(['completed']))
  const past = await sessions.send(id, 'One too many')
  expect(await past.ended).toBe('error')
  expect(model.asked).toHaveLength(50)
  const events = await eventsUntil(id, past.firstSequence - 1, isTurnEnd)
  expect(events.at(-1)).toMatchObject({ error: { code: 'turn_limit' } })
})

test('the same message with the same key is stored once', async () => {
  const { sessions, store, start } = createTestSessions(createScriptedModel([createAnswerScript('Once.')]))
  const { id } = await start()
  const first = await sessions.send(id, 'Hello', { idempotencyKey: 'k1' })
  await first.ended
  const again = await sessions.send(id, 'Hello', { idempotencyKey: 'k1' })
  expect(again).toEqual({ turnId: first.turnId, firstSequence: first.firstSequence })
  const other = sessions.send(id, 'Goodbye', { idempotencyKey: 'k1' })
  await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict' })
  expect(await store.readMessages(id, { after: 0, limit: 9 })).toHaveLength(2)
})

test('a model that throws ends the turn, not the session', async () => {
  const model = createScriptedModel([createAnswerScript('Back again.')])
  let isBroken = true
  const { sessions, start, eventsUntil } = createTestSessions({
    provider: 'test',
    modelId: 'broken',
    stream: (request, signal) => {
      if (isBroken) throw new Error('broken')
      return model.stream(request, signal)
    },
  })
  const { id } = await start()
  const turn = await sessions.send(id, 'Hello')
  await expect(turn.ended).rejects.toThrow('broken')
  const events = await eventsUntil(id, 2, isTurnEnd)
  expect(events.at(-1)).toMatchObject({ stopReason: 'error', error: { code: 'internal' } })
  isBroken = false
  expect(await (await sessions.send(id, 'Again')).ended).toBe('completed')
})

function formatMessage({ role, content }: { role: string; content: readonly { type: string }[] }): string {
  return `${role}: ${content.map((part) => ('text' in part ? part.text : part.type)).join('')}`
}
