import type { SessionEvent, SessionMessage } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { SessionStore } from '../ports/session-store.ts'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'
import { createAnswerScript, createScriptedModel } from '../testing/fakes.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import { replayEvents } from './stored-event.ts'

/** A store that counts the messages it returned. */
function countReads(store: SessionStore) {
  const given = { messages: 0, bytes: 0, reads: 0 }
  const readMessages: SessionStore['readMessages'] = async (sessionId, range) => {
    const messages = await store.readMessages(sessionId, range)
    given.messages += messages.length
    given.bytes += JSON.stringify(messages).length
    given.reads += 1
    return messages
  }
  return { given, store: { ...store, readMessages } satisfies SessionStore }
}

async function storeTurns(turns: number, answer: string, question = 'Go on') {
  const { given, store } = countReads(createMemorySessionStore())
  const { sessions, start } = createTestSessions(
    createScriptedModel(Array.from({ length: turns }, () => createAnswerScript(answer))),
    { store, limits: { maxTurns: turns } },
  )
  const { id } = await start()
  for (let turn = 0; turn < turns; turn += 1) await (await sessions.send(id, question)).ended
  Object.assign(given, { messages: 0, bytes: 0, reads: 0 })
  return { id, store, given }
}

test('[S6] a stalled reader keeps only one long message in memory', async () => {
  const { id, store, given } = await storeTurns(12, 'x'.repeat(1_000_000), 'y'.repeat(100_000))
  const reading = replayEvents(store, id, 0)
  await reading.next()
  expect(given.bytes).toBe(0)
  for (let events = 0; events < 30; events += 1) {
    const before = given.bytes
    await reading.next()
    expect(given.bytes - before).toBeLessThan(1_300_000)
  }
  expect(given.bytes).toBeLessThan(14_000_000)
})

test('short messages are read in groups, each once', async () => {
  const { id, store, given } = await storeTurns(100, 'Yes.')
  const told = await collectEvents(replayEvents(store, id, 0))
  expect(told).toHaveLength(301)
  expect(given.messages).toBe(200)
  expect(given.reads).toBeLessThanOrEqual(4)
})

test('[S4] a resumed turn repeats its question', async () => {
  const { id, store } = await storeTurns(3, 'Yes.')
  const events = [...(await store.readEvents(id, { after: 0, limit: 99 }))]
  const again = {
    ...events[1],
    sequenceNumber: 99,
    messageRef: { message: 1, part: 0 },
  } as (typeof events)[number]
  const told = await collectEvents(
    replayEvents(
      { ...store, readEvents: async (_, { after }) => (after < 99 ? [...events, again] : []) },
      id,
      0,
    ),
  )
  expect(told.at(-1)).toMatchObject({ type: 'session:turn_started', message: { sequenceNumber: 1 } })
})

test('a session that is being deleted yields no partial event', async () => {
  const { id, store } = await storeTurns(1, 'Yes.')
  const gone: SessionStore = { ...store, readMessages: async (): Promise<SessionMessage[]> => [] }
  expect((await collectEvents(replayEvents(gone, id, 0))).map(({ type }) => type)).toEqual([
    'session:started',
  ])
})

async function collectEvents(events: AsyncIterable<SessionEvent>): Promise<readonly SessionEvent[]> {
  const told: SessionEvent[] = []
  for await (const event of events) told.push(event)
  return told
}
