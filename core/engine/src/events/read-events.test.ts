import type { SessionEvent } from '@parley/contracts'
import { expect, test } from 'vitest'
import { memorySessionStore } from '../memory/memory-session-store.ts'
import { answering, scriptedModel } from '../testing/scripted-model.ts'
import { testSessions } from '../testing/test-sessions.ts'
import { quiet } from './cluster.fixture.ts'
import { createRunEventBus } from './run-event-bus.ts'
import type { StreamedEvent } from './in-flight.ts'
import { readEvents } from './read-events.ts'

test('[S6] text whose beginning is missing is never told, and looked for in the store once', async () => {
  const memory = memorySessionStore()
  const reads: number[] = []
  const store: typeof memory = {
    ...memory,
    readEvents(sessionId, range) {
      reads.push(range.after)
      return memory.readEvents(sessionId, range)
    },
  }
  const { sessions, start } = testSessions(scriptedModel([answering('Yes.')]), { store })
  const { id: sessionId } = await start()
  const hub = createRunEventBus()
  const told: SessionEvent[] = []
  const { signal } = new AbortController()
  const reading = (async () => {
    for await (const event of readEvents({ sessionId, after: 0, signal }, { store, hub })) {
      told.push(event)
      if (event.type === 'session:turn_completed') return
    }
  })()
  await quiet()
  const writer = hub.open(sessionId)
  const text = { type: 'agent:token', sessionId, token: 'x' } as StreamedEvent
  const part = { type: 'text' as const, text: '' }
  for (let sequenceNumber = 50; sequenceNumber < 90; sequenceNumber += 1) {
    writer.say({ ...text, sequenceNumber }, part)
    await quiet()
  }
  expect(told).toHaveLength(1)
  expect(reads.length).toBeLessThanOrEqual(2)

  await (
    await sessions.send(sessionId, 'Hello')
  ).ended
  const [last] = await memory.readEvents(sessionId, { after: 3, limit: 1 })
  writer.tell({ ...last?.body, sessionId, sequenceNumber: last?.sequenceNumber } as SessionEvent)
  await reading
  expect(told.map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2, 3, 4])
})
