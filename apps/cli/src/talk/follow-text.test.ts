import { createSessions, createRunEventBus, noTools } from '@parley/engine'
import {
  answering,
  memorySessionStore,
  scriptedModel,
  testAgent,
  testIds,
  testOwner,
} from '@parley/engine/testing'
import type { SessionEvent } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createConversation } from './conversation.ts'
import { createTextFollower } from './follow-text.ts'

const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ')

test.each([1, 7, 1_000])('[S6] a reader that holds %i events gets the whole answer once', async (held) => {
  const sessions = createSessions({
    store: memorySessionStore(),
    hub: createRunEventBus({ limits: { events: held, bytes: Number.POSITIVE_INFINITY } }),
    clock: { now: Date.now },
    ids: testIds(),
    modelOf: () =>
      scriptedModel([
        [
          { type: 'reasoning', text: 'Hm. ' },
          ...answering('First.').slice(0, -1),
          { type: 'reasoning', text: 'So ' },
          ...answering(words),
        ],
      ]),
    toolsOf: () => noTools,
  })
  const conversation = createConversation(sessions, {
    session: () =>
      sessions.start({
        ownerId: testOwner,
        channel: 'text',
        agent: testAgent,
        context: { workingDir: '/', fsScopeTier: 'sandboxed' },
      }),
    after: 0,
  })
  const follow = createTextFollower()
  const numbers: number[] = []
  let said = ''
  const onEvent = async (event: SessionEvent) => {
    said += follow(event)
    numbers.push(event.sequenceNumber)
    for (let turns = 0; turns < numbers.length % 5; turns += 1) await Promise.resolve()
  }
  const end = await conversation.make({ kind: 'say', text: 'Say it all.' }, onEvent)
  expect(said).toBe(`First.${words}`)
  expect(end).toMatchObject({ stopReason: 'completed' })
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
})
