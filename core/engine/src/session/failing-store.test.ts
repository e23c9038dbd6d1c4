import { PlatformError, type SessionEvent } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { Batch, SessionStore } from '../ports/session-store.ts'
import { createMemoryStores } from '../memory/memory-session-store.ts'
import { createAnswerScript, createScriptedModel } from '../testing/fakes.ts'
import { createTestSessions } from '../testing/test-sessions.ts'

type WriteOutcome = 'stored' | 'not stored' | 'stored, and its answer lost' | 'refused'

/** A store that fails as the fates say, batch by batch, and then no more. */
function createFailingStore(
  store: SessionStore,
  fates: WriteOutcome[],
  isMeant: (batch: Batch) => boolean = () => true,
): SessionStore {
  return {
    ...store,
    async append(lease, batch) {
      const fate = isMeant(batch) ? fates.shift() : undefined
      if (fate === 'not stored') throw new Error('the disk is away')
      if (fate === 'refused') throw new PlatformError('session_busy', { sessionId: lease.sessionId })
      await store.append(lease, batch)
      if (fate === 'stored, and its answer lost') throw new Error('the line is cut')
    },
  }
}

const formatEvent = (event: SessionEvent) =>
  event.type === 'session:turn_completed' ? `${event.type} ${event.stopReason}` : event.type

const isLast = (event: SessionEvent) => event.type === 'session:turn_completed'

test.each<[string, WriteOutcome[]]>([
  ['is not stored at first', ['not stored']],
  ['is stored, and the answer lost', ['stored, and its answer lost']],
])('[S4][S6] the end of a turn that %s is stored once and published once', async (_, fates) => {
  const { sessions, store, start, eventsUntil } = createTestSessions(
    createScriptedModel([createAnswerScript('Noon.')]),
    {
      store: createFailingStore(createMemoryStores().open().store, fates),
    },
  )
  const { id } = await start()
  const live = eventsUntil(id, 1, isLast)
  expect(await (await sessions.send(id, 'What time is it?')).ended).toBe('completed')
  const told = ['session:turn_started', 'agent:token', 'session:turn_completed completed']
  expect((await live).map(formatEvent)).toEqual(told)
  expect((await eventsUntil(id, 1, isLast)).map(formatEvent)).toEqual(told)
  expect(await store.readTail(id, 9)).toHaveLength(2)
})

test('[S4] an answer that cannot be stored is discarded, and the turn ends once', async () => {
  const fates: WriteOutcome[] = ['not stored', 'not stored']
  const { sessions, store, start, eventsUntil } = createTestSessions(
    createScriptedModel([createAnswerScript('Noon.'), createAnswerScript('One.')]),
    { store: createFailingStore(createMemoryStores().open().store, fates) },
  )
  const { id } = await start()
  await expect((await sessions.send(id, 'What time is it?')).ended).rejects.toThrow('the disk is away')
  expect((await eventsUntil(id, 1, isLast)).map(formatEvent)).toEqual([
    'session:turn_started',
    'agent:step_discarded',
    'session:turn_completed error',
  ])
  expect(await store.readTail(id, 9)).toHaveLength(1)
  expect(await (await sessions.continue(id)).ended).toBe('completed')
})

test('[X4] a turn whose end could not be stored is given up, and ended later', async () => {
  const fates: WriteOutcome[] = Array.from({ length: 8 }, () => 'not stored')
  const { sessions, store, start, eventsUntil } = createTestSessions(
    createScriptedModel([createAnswerScript('Noon.'), createAnswerScript('One.')]),
    { store: createFailingStore(createMemoryStores().open().store, fates) },
  )
  const { id } = await start()
  await expect((await sessions.send(id, 'What time is it?')).ended).rejects.toThrow('the disk is away')
  expect((await store.find(id))?.openTurn?.state).toBe('interrupted')
  while (fates.length > 0) {
    await sessions.settle(id).catch(() => {})
    expect((await store.find(id))?.openTurn?.state ?? 'settled').not.toBe('running')
  }
  await sessions.settle(id)
  expect((await store.find(id))?.openTurn).toBeUndefined()
  expect((await eventsUntil(id, 1, isLast)).filter(isLast)).toHaveLength(1)
  expect(await (await sessions.send(id, 'And now?')).ended).toBe('completed')
})

test('[X4] a turn that fails before its model is called ends, and is not left open by a living process', async () => {
  const { sessions, store, start, eventsUntil } = createTestSessions(createScriptedModel([]), {
    getTools: () => Promise.reject(new Error('the tools are away')),
  })
  const { id } = await start()
  await expect((await sessions.send(id, 'What time is it?')).ended).rejects.toThrow('the tools are away')
  expect((await eventsUntil(id, 1, isLast)).map(formatEvent)).toEqual([
    'session:turn_started',
    'session:turn_completed error',
  ])
  expect((await store.find(id))?.openTurn).toBeUndefined()
})

test('[X4] a turn whose write is refused is given up, and ended later', async () => {
  const { sessions, store, start } = createTestSessions(createScriptedModel([createAnswerScript('Noon.')]), {
    store: createFailingStore(createMemoryStores().open().store, ['refused']),
  })
  const { id } = await start()
  await expect((await sessions.send(id, 'What time is it?')).ended).rejects.toThrow('busy')
  expect((await store.find(id))?.openTurn?.state).toBe('interrupted')
  await sessions.settle(id)
  expect((await store.find(id))?.openTurn).toBeUndefined()
})
