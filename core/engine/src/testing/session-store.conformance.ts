import { describe, expect, test } from 'vitest'
import type { Lease, NewTurn } from '../ports/session-store.ts'
import {
  AT,
  LATER,
  type StoreUnderTest,
  createAnswerMessage,
  createBatch,
  createStoredEvent,
  ids,
  createTestSession,
  createNewTurn,
  createQuestionMessage,
  startSessionIn,
} from './fixtures.ts'
import { describeSessionPast } from './session-past.conformance.ts'
import { describeSessionRecords } from './session-records.conformance.ts'

/** The rules that every session store follows. */
export function describeSessionStore(name: string, open: () => Promise<StoreUnderTest>) {
  describe(`SessionStore: ${name}`, () => {
    const opened = open()

    const started = (given?: Parameters<typeof createTestSession>[2]) => startSessionIn(opened, given)

    describeSessionRecords(opened)
    describeSessionPast(opened)

    test('finds a session as it was created', async () => {
      const { store, id } = await started({ title: 'Über uns 🌍' })
      const [session] = createTestSession(id, AT, { title: 'Über uns 🌍' })
      expect(await store.find(id)).toEqual({ session, lastSequence: 1 })
    })

    test('an unknown session is not found', async () => {
      const { store } = await opened
      expect(await store.find(ids.sessionId())).toBeUndefined()
      await expect(store.beginTurn(createNewTurn(ids.sessionId()))).rejects.toMatchObject({
        code: 'session_not_found',
      })
    })

    test('[S4] begins a turn with the message stored', async () => {
      const { store, id } = await started()
      const turn = createNewTurn(id, 'Hello, “you” \u0000 🌍')
      const lease = await store.beginTurn(turn)
      expect(lease).toMatchObject({
        sessionId: id,
        lastMessageNumber: 1,
        eventSequence: 2,
        openingEventNumber: 2,
        turnNumber: 1,
      })
      expect(lease.reservedUpTo).toBe(2 + turn.reserve)
      expect(await store.readMessages(id, { after: 0, limit: 10 })).toEqual([
        createQuestionMessage(lease, turn),
      ])
      expect(await store.find(id)).toMatchObject({
        session: { title: 'Hello', messageCount: 1, updatedAt: LATER },
        lastSequence: 2,
        openTurn: { turnId: turn.turnId, state: 'running' },
      })
    })

    test('keeps the given title', async () => {
      const { store, id } = await started({ title: 'Mine' })
      await store.beginTurn(createNewTurn(id))
      expect((await store.find(id))?.session.title).toBe('Mine')
    })

    test('reads back what was appended, in order', async () => {
      const { store, id } = await started()
      const turn = createNewTurn(id)
      const lease = await store.beginTurn(turn)
      const events = [
        createStoredEvent(5, { messageRef: { message: 2, part: 0 }, fromSequence: 3 }),
        createStoredEvent(6),
      ]
      await store.append(
        lease,
        createBatch({ messages: [createAnswerMessage(id, 2), createAnswerMessage(id, 3)], events }),
      )
      expect(await store.readMessages(id, { after: 0, limit: 10 })).toEqual([
        createQuestionMessage(lease, turn),
        createAnswerMessage(id, 2),
        createAnswerMessage(id, 3),
      ])
      expect(await store.readMessages(id, { after: 1, limit: 1 })).toEqual([createAnswerMessage(id, 2)])
      expect(await store.readTail(id, 2)).toEqual([createAnswerMessage(id, 2), createAnswerMessage(id, 3)])
      expect(await store.readEvents(id, { after: 2, limit: 10 })).toEqual(events)
      expect((await store.readEvents(id, { after: 0, limit: 2 })).map((e) => e.sequenceNumber)).toEqual([
        1, 2,
      ])
      expect(await store.find(id)).toMatchObject({ session: { messageCount: 3 }, lastSequence: 6 })
    })

    test('[S2] a second turn finds the session busy, in another process too', async () => {
      const { store, other, id } = await started()
      await store.beginTurn(createNewTurn(id, 'first'))
      await expect(store.beginTurn(createNewTurn(id, 'second'))).rejects.toMatchObject({
        code: 'session_busy',
      })
      await expect(other.beginTurn(createNewTurn(id, 'third'))).rejects.toMatchObject({
        code: 'session_busy',
      })
      expect(await store.readMessages(id, { after: 0, limit: 10 })).toHaveLength(1)
    })

    test('[S2] of two turns that begin at once, one gets the lease', async () => {
      const { store, other, id } = await started()
      const both = await Promise.allSettled([
        store.beginTurn(createNewTurn(id, 'a')),
        other.beginTurn(createNewTurn(id, 'b')),
      ])
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await store.readMessages(id, { after: 0, limit: 10 })).toHaveLength(1)
    })

    test('[S2] a released lease is free for the next, and writes no more', async () => {
      const { store, other, id } = await started()
      const first = await store.beginTurn(createNewTurn(id))
      await store.append(
        first,
        createBatch({
          messages: [createAnswerMessage(id, 2)],
          events: [createStoredEvent(7)],
          lease: 'ended',
        }),
      )
      expect((await store.find(id))?.openTurn).toBeUndefined()
      const second = await other.beginTurn(createNewTurn(id))
      expect(second).toMatchObject({ lastMessageNumber: 3, turnNumber: 2, epoch: first.epoch + 1 })
      const late = store.append(first, createBatch({ messages: [createAnswerMessage(id, 4)] }))
      await expect(late).rejects.toMatchObject({ code: 'session_busy' })
      expect(await store.readMessages(id, { after: 2, limit: 10 })).toHaveLength(1)
    })

    test('finds the turn that was opened under a key', async () => {
      const { store, other, id } = await started()
      const turn = createNewTurn(id, 'Hello', { idempotencyKey: 'once-only' })
      const lease = await store.beginTurn(turn)
      const { eventSequence } = lease
      const expected = { turnId: turn.turnId, message: createQuestionMessage(lease, turn), eventSequence }
      expect(await other.findRepeatedTurn(id, 'once-only')).toEqual(expected)
      expect(await store.findRepeatedTurn(id, 'another')).toBeUndefined()
    })

    test('[S6] unused numbers are reserved again after a release', async () => {
      const { store, id } = await started()
      const first = await store.beginTurn(createNewTurn(id))
      await store.append(
        first,
        createBatch({ events: [createStoredEvent(7)], reservedUpTo: first.reservedUpTo, lease: 'ended' }),
      )
      const second = await store.beginTurn(createNewTurn(id))
      expect(second.eventSequence).toBe(8)
      expect(second.fromSequence).toBeUndefined()
    })

    test('[S2] a message number that is taken is refused, with all that came with it', async () => {
      const { store, id } = await started()
      const lease = await store.beginTurn(createNewTurn(id))
      await store.append(
        lease,
        createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(3)] }),
      )
      const twice = store.append(
        lease,
        createBatch({
          messages: [createAnswerMessage(id, 3), createAnswerMessage(id, 2)],
          events: [createStoredEvent(4)],
        }),
      )
      await expect(twice).rejects.toMatchObject({ code: 'session_busy' })
      expect(await store.readMessages(id, { after: 1, limit: 10 })).toEqual([createAnswerMessage(id, 2)])
      expect(await store.readEvents(id, { after: 2, limit: 10 })).toEqual([createStoredEvent(3)])
    })

    test('[S4] a turn of a dead process is found as interrupted, and blocks new turns', async () => {
      const { store, doomed, id } = await started()
      const dying = await doomed()
      const turn = createNewTurn(id)
      const { turnId } = turn
      await dying.store.beginTurn(turn)
      await dying.die()
      expect((await store.find(id))?.openTurn).toEqual({ turnId, state: 'interrupted' })
      expect(await store.listInterrupted(1_000)).toContainEqual({ sessionId: id, turnId })
      await expect(store.beginTurn(createNewTurn(id))).rejects.toMatchObject({ code: 'session_busy' })
    })

    test('[S6] a takeover continues after the numbers that the dead process may have used', async () => {
      const { store, doomed, id } = await started()
      const dying = await doomed()
      const turn = createNewTurn(id)
      const first = await dying.store.beginTurn(turn)
      await dying.store.append(
        first,
        createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(9)] }),
      )
      await dying.die()
      const { turnId } = turn
      const lease = await store.takeOver({ sessionId: id, turnId, state: 'interrupted', reserve: 10 })
      expect(lease).toEqual({
        sessionId: id,
        turnId,
        epoch: first.epoch + 1,
        lastMessageNumber: 2,
        eventSequence: 103,
        fromSequence: 10,
        openingEventNumber: 2,
        reservedUpTo: 113,
        turnNumber: 1,
        costs: {},
        grants: [],
      })
      if (!lease) throw new Error('not taken over')
      const late = store.append(first, createBatch({ events: [createStoredEvent(10)] }))
      await expect(late).rejects.toMatchObject({ code: 'session_busy' })
      await store.append(
        lease,
        createBatch({ events: [createStoredEvent(103, { fromSequence: 10 })], lease: 'ended' }),
      )
      expect(await store.find(id)).toMatchObject({ lastSequence: 103, session: { messageCount: 2 } })
      expect((await store.find(id))?.openTurn).toBeUndefined()
      expect((await store.beginTurn(createNewTurn(id))).eventSequence).toBe(104)
    })

    test('[S2] of two simultaneous takeovers one gets the lease; a live process is not taken over', async () => {
      const { store, other, doomed, id } = await started()
      const dying = await doomed()
      const turn = createNewTurn(id)
      await dying.store.beginTurn(turn)
      const over = { sessionId: id, turnId: turn.turnId, state: 'interrupted' as const, reserve: 10 }
      expect(await store.takeOver(over)).toBeUndefined()
      await dying.die()
      expect(await store.takeOver({ ...over, state: 'waiting' })).toBeUndefined()
      const both = await Promise.all([store.takeOver(over), other.takeOver(over)])
      expect(both.filter(Boolean)).toHaveLength(1)
      expect((await store.listInterrupted(1_000)).map(({ sessionId }) => sessionId)).not.toContain(id)
    })

    test('[X4] a turn that was given up is taken over, although its process lives', async () => {
      const { store, other, id } = await started()
      const lease = await store.beginTurn(createNewTurn(id))
      const { turnId } = lease
      store.giveUpLease(lease)
      let over: Lease | undefined
      while (!over) over = await other.takeOver({ sessionId: id, turnId, state: 'interrupted', reserve: 10 })
      expect(over).toMatchObject({ epoch: lease.epoch + 1, openingEventNumber: 2 })
    })

    test('[S13] a turn that waits for a person waits in no process, and any may take it up', async () => {
      const { store, other, doomed, id } = await started()
      const dying = await doomed()
      const turn = createNewTurn(id)
      const { turnId } = turn
      const lease = await dying.store.beginTurn(turn)
      await dying.store.append(lease, createBatch({ events: [createStoredEvent(3)], lease: 'waiting' }))
      const late = dying.store.append(lease, createBatch({ events: [createStoredEvent(4)] }))
      await expect(late).rejects.toMatchObject({ code: 'session_busy' })
      await dying.die()
      expect((await store.find(id))?.openTurn).toEqual({ turnId, state: 'waiting' })
      expect((await store.listInterrupted(1_000)).map(({ sessionId }) => sessionId)).not.toContain(id)
      await expect(store.beginTurn(createNewTurn(id))).rejects.toMatchObject({ code: 'session_busy' })
      const over = { sessionId: id, turnId, state: 'waiting' as const, reserve: 10 }
      const both = await Promise.all([store.takeOver(over), other.takeOver(over)])
      expect(both.filter(Boolean)).toHaveLength(1)
      expect(both.find(Boolean)).toMatchObject({ eventSequence: 4, reservedUpTo: 14, openingEventNumber: 2 })
      expect((await store.find(id))?.openTurn).toEqual({ turnId, state: 'running' })
    })

    test('[S13] a waiting turn is not taken over if it changed since it was read', async () => {
      const { store, id } = await started()
      const turn = createNewTurn(id)
      const lease = await store.beginTurn(turn)
      await store.append(lease, createBatch({ events: [createStoredEvent(3)], lease: 'waiting' }))
      const over = { sessionId: id, turnId: turn.turnId, state: 'waiting' as const, reserve: 10 }
      const first = await store.takeOver({ ...over, lastSequence: 3 })
      if (!first) throw new Error('nobody had taken it up')
      await store.append(first, createBatch({ events: [createStoredEvent(4)], lease: 'waiting' }))
      expect(await store.takeOver({ ...over, lastSequence: 3 })).toBeUndefined()
      expect((await store.find(id))?.openTurn?.state).toBe('waiting')
      expect(await store.takeOver({ ...over, lastSequence: 4 })).toBeDefined()
    })

    test('[S4] resumes a stored question, unless there is a newer message', async () => {
      const { store, id } = await started()
      const first = await store.beginTurn(createNewTurn(id))
      await store.append(
        first,
        createBatch({
          messages: [createAnswerMessage(id, 2)],
          events: [createStoredEvent(7)],
          lease: 'ended',
        }),
      )
      const again = (messageCount: number): NewTurn => ({
        ...createNewTurn(id),
        question: { kind: 'stored', sequenceNumber: 1, messageCount },
      })
      await expect(store.beginTurn(again(1))).rejects.toMatchObject({ code: 'session_busy' })
      const lease = await store.beginTurn(again(2))
      expect(lease).toMatchObject({
        lastMessageNumber: 2,
        eventSequence: 8,
        openingEventNumber: 8,
        turnNumber: 2,
      })
      expect(await store.readEvents(id, { after: 7, limit: 10 })).toMatchObject([
        { messageRef: { message: 1, part: 0 } },
      ])
      expect(await store.find(id)).toMatchObject({ session: { messageCount: 2 } })
    })

    test('[S2] a turn is cancelled from any process', async () => {
      const { store, other, id } = await started()
      const lease = await store.beginTurn(createNewTurn(id))
      const { turnId } = lease
      const asked = new Promise<void>((resolve) => store.watchCancel(lease, resolve))
      expect(await other.requestCancel({ sessionId: id, turnId: ids.turnId() })).toBe(false)
      expect(await other.requestCancel({ sessionId: id, turnId })).toBe(true)
      await asked
    })

    test('[S2] a late watcher is notified as well, and a stopped one is not', async () => {
      const { store, other, id } = await started()
      const lease = await store.beginTurn(createNewTurn(id))
      const unwatched: string[] = []
      store.watchCancel(lease, () => unwatched.push('told'))()
      await other.requestCancel({ sessionId: id, turnId: lease.turnId })
      await new Promise<void>((resolve) => store.watchCancel(lease, resolve))
      expect(unwatched).toEqual([])
    })

    test('[S2] a cancel request does not affect the next turn', async () => {
      const { store, id } = await started()
      const first = await store.beginTurn(createNewTurn(id))
      await store.requestCancel({ sessionId: id, turnId: first.turnId })
      await store.append(first, createBatch({ events: [createStoredEvent(3)], lease: 'ended' }))
      expect(await store.requestCancel({ sessionId: id, turnId: first.turnId })).toBe(false)
      const second = await store.beginTurn(createNewTurn(id))
      const cancelled: string[] = []
      store.watchCancel(second, () => cancelled.push('second'))
      const third = (await started()).id
      const witness = await store.beginTurn(createNewTurn(third))
      const asked = new Promise<void>((resolve) => store.watchCancel(witness, resolve))
      await store.requestCancel({ sessionId: third, turnId: witness.turnId })
      await asked
      expect(cancelled).toEqual([])
    })
  })
}
