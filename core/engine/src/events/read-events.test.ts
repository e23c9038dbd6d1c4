import { expect, test } from 'vitest'
import type { CallId, SessionEvent } from '@parley/contracts'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'
import {
  type ModelScript,
  createAnswerScript,
  createFakeTools,
  createScriptedModel,
} from '../testing/fakes.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import { waitUntilQuiet } from './cluster.fixture.ts'
import type { StreamedEvent } from './step-text.ts'
import { readEvents, readTurnPage } from './read-events.ts'
import { createRunEventBus } from './run-event-bus.ts'

test('[S6] text without its beginning is never delivered, and the store is checked once', async () => {
  const memory = createMemorySessionStore()
  const reads: number[] = []
  const store: typeof memory = {
    ...memory,
    readEvents(sessionId, range) {
      reads.push(range.after)
      return memory.readEvents(sessionId, range)
    },
  }
  const { sessions, start } = createTestSessions(createScriptedModel([createAnswerScript('Yes.')]), { store })
  const { id: sessionId } = await start()
  const eventBus = createRunEventBus()
  const told: SessionEvent[] = []
  const { signal } = new AbortController()
  const reading = (async () => {
    for await (const event of readEvents({ sessionId, after: 0, signal }, { store, eventBus })) {
      told.push(event)
      if (event.type === 'session:turn_completed') return
    }
  })()
  await waitUntilQuiet()
  const writer = eventBus.open(sessionId)
  const text = { type: 'agent:token', sessionId, token: 'x' } as StreamedEvent
  const part = { type: 'text' as const, text: '' }
  for (let sequenceNumber = 50; sequenceNumber < 90; sequenceNumber += 1) {
    writer.publishText({ ...text, sequenceNumber }, part)
    await waitUntilQuiet()
  }
  expect(told).toHaveLength(1)
  expect(reads.length).toBeLessThanOrEqual(2)

  await (
    await sessions.send(sessionId, 'Hello')
  ).ended
  const [last] = await memory.readEvents(sessionId, { after: 3, limit: 1 })
  writer.publish({ ...last?.body, sessionId, sequenceNumber: last?.sequenceNumber } as SessionEvent)
  await reading
  expect(told.map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2, 3, 4])
})

const CALL = 'call-1' as CallId

const toolRequest: ModelScript = [
  { type: 'tool_call', call: { id: CALL, name: 'send_letter', input: {} } },
  { type: 'finish', reason: 'completed', usage: { inputTokens: 3, outputTokens: 2 } },
]

async function runTurns(scripts: readonly ModelScript[], asks: () => string | undefined = () => undefined) {
  const tools = createFakeTools({
    findTargetToApprove: asks,
    run: async () => ({ kind: 'ok', text: 'Sent.' }),
  })
  const { sessions, store, start } = createTestSessions(createScriptedModel(scripts), { tools })
  const { id } = await start()
  const say = async (text: string) => (await sessions.send(id, text)).ended
  return { sessions, store, id, say }
}

test('[S6] a turn has its question, times, tokens and calls', async () => {
  const { store, id, say } = await runTurns([
    toolRequest,
    createAnswerScript('Done.'),
    createAnswerScript('Yes.'),
  ])
  await say('Write to Ada')
  await say('Did you?')
  const { items, more } = await readTurnPage(store, id, 0)
  expect(more).toBeUndefined()
  expect(items).toMatchObject([
    {
      question: 1,
      stopReason: 'completed',
      model: 'scripted',
      usage: { inputTokens: expect.any(Number) },
      calls: [{ callId: CALL, verdict: 'allowed' }],
    },
    { question: 5, stopReason: 'completed', calls: [] },
  ])
  const [call] = items[0]?.calls ?? []
  expect(Date.parse(call?.endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(call?.decidedAt ?? ''))
})

test('[S13] the next page starts at the turn that was open', async () => {
  const { sessions, store, id, say } = await runTurns(
    [createAnswerScript('Yes.'), toolRequest, createAnswerScript('Done.')],
    () => 'Ada',
  )
  await say('Hello?')
  await say('Write to Ada')
  const first = await readTurnPage(store, id, 0)
  expect(first.items.map(({ stopReason }) => stopReason)).toEqual(['completed', undefined])
  await (
    await sessions.decide(id, CALL, { decision: 'allow' })
  ).ended
  const rest = await readTurnPage(store, id, first.nextAfter)
  expect(rest.items).toMatchObject([
    { turnId: first.items[1]?.turnId, question: 3, stopReason: 'completed', calls: [{ by: 'person' }] },
  ])
  expect((await readTurnPage(store, id, rest.nextAfter)).items).toEqual([])
})

test('a long past comes page by page, in whole turns', async () => {
  const count = 1_100
  const { store, id, say } = await runTurns(Array.from({ length: count }, () => createAnswerScript('Yes.')))
  for (let turn = 0; turn < count; turn += 1) await say('And?')
  const read = { after: 0, pages: 0, turns: 0 }
  for (;;) {
    const { items, nextAfter, more } = await readTurnPage(store, id, read.after)
    expect(items.every(({ endedAt }) => endedAt !== undefined)).toBe(true)
    read.after = nextAfter
    read.pages += 1
    read.turns += items.length
    if (!more) break
  }
  expect(read.turns).toBe(count)
})
