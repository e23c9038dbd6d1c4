import { expect, test } from 'vitest'
import { createRunEventBus } from '../events/run-event-bus.ts'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'
import { noTools } from '../ports/tools.ts'
import { testAgent, createTestIds, testOwner } from '../testing/fixtures.ts'
import { createAnswerScript, createScriptedModel } from '../testing/fakes.ts'
import { createSessions } from './sessions.ts'

test('[A4] limits of a session override the general ones, and are read again for each turn', async () => {
  const model = createScriptedModel(
    Array.from({ length: 4 }, () => createAnswerScript('One.')),
    'scripted',
    { price: { input: 1_000_000, output: 1_000_000 } },
  )
  const store = createMemorySessionStore()
  let left = 1_000_000
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus(),
    clock: Date,
    ids: createTestIds(),
    getModel: () => model,
    getTools: () => noTools,
    limits: { maxTurns: 1 },
    getSessionLimits: ({ ownerId }) =>
      ownerId === testOwner ? Promise.resolve({ maxTurns: 9, maxCostMicrocents: left }) : undefined,
  })
  const start = (ownerId: typeof testOwner) =>
    sessions.start({
      ownerId,
      channel: 'text',
      agent: testAgent,
      context: { workingDir: '/home/ada/notes', fsScopeTier: 'sandboxed' },
    })
  const turns = async (ownerId: typeof testOwner, before: () => void) => {
    const { id } = await start(ownerId)
    const first = await (await sessions.send(id, 'Hello')).ended
    before()
    return [first, await (await sessions.send(id, 'Hello again')).ended]
  }
  expect(await turns(testOwner, () => {})).toEqual(['completed', 'completed'])
  expect(await turns(testOwner, () => (left = 0))).toEqual(['completed', 'error'])
  expect(await turns('per_somebody' as typeof testOwner, () => {})).toEqual(['completed', 'error'])
  expect(model.asked).toHaveLength(4)
})
