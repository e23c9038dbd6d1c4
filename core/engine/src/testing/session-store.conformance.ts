import type { PersonId, SessionId, SessionMessage, TurnId } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import type { Batch, Lease, SessionStore, StoredEvent, TurnOpening } from '../ports/session-store.ts'
import { newSession, testIds } from './fixtures.ts'

export interface StoreUnderTest {
  readonly store: SessionStore
  /** The same data, seen by another process whose holder is alive beside the first. */
  readonly other: SessionStore
}

const ids = testIds()
const AT = '2026-03-04T05:06:07.000Z'
const LATER = '2026-03-04T05:06:08.000Z'

/** What every session store does, whatever it is made of. */
export function describeSessionStore(name: string, open: () => Promise<StoreUnderTest>) {
  describe(`SessionStore: ${name}`, () => {
    const opened = open()

    const started = async (given: Parameters<typeof newSession>[2] = {}) => {
      const { store, other } = await opened
      const id = ids.sessionId()
      await store.create(...newSession(id, AT, given))
      return { store, other, id }
    }

    test('finds a session as it was created', async () => {
      const { store, id } = await started({ title: 'Über uns 🌍' })
      const [session] = newSession(id, AT, { title: 'Über uns 🌍' })
      expect(await store.find(id)).toEqual({ session, lastSequence: 1 })
    })

    test('an unknown session is not found', async () => {
      const { store } = await opened
      expect(await store.find(ids.sessionId())).toBeUndefined()
      await expect(store.begin(opening(ids.sessionId()))).rejects.toMatchObject({ code: 'session_not_found' })
    })

    test('[S4] begins a turn with the message stored', async () => {
      const { store, id } = await started()
      const turn = opening(id, 'Hello, “you” \u0000 🌍')
      const lease = await store.begin(turn)
      expect(lease).toMatchObject({ sessionId: id, messageSequence: 1, eventSequence: 2, turnNumber: 1 })
      expect(lease.reservedUpTo).toBe(2 + turn.reserve)
      expect(await store.readMessages(id, { after: 0, limit: 10 })).toEqual([said(lease, turn)])
      expect(await store.find(id)).toMatchObject({
        session: { title: 'Hello', messageCount: 1, updatedAt: LATER },
        lastSequence: 2,
        runningTurnId: turn.turnId,
      })
    })

    test('keeps the title that was given', async () => {
      const { store, id } = await started({ title: 'Mine' })
      await store.begin(opening(id))
      expect((await store.find(id))?.session.title).toBe('Mine')
    })

    test('reads back what was appended, in order', async () => {
      const { store, id } = await started()
      const turn = opening(id)
      const lease = await store.begin(turn)
      const events = [event(5, { of: { message: 2, part: 0 }, fromSequence: 3 }), event(6)]
      await store.append(lease, batch({ messages: [answer(id, 2), answer(id, 3)], events }))
      expect(await store.readMessages(id, { after: 0, limit: 10 })).toEqual([
        said(lease, turn),
        answer(id, 2),
        answer(id, 3),
      ])
      expect(await store.readMessages(id, { after: 1, limit: 1 })).toEqual([answer(id, 2)])
      expect(await store.readTail(id, 2)).toEqual([answer(id, 2), answer(id, 3)])
      expect(await store.readEvents(id, { after: 2, limit: 10 })).toEqual(events)
      expect((await store.readEvents(id, { after: 0, limit: 2 })).map((e) => e.sequenceNumber)).toEqual([
        1, 2,
      ])
      expect(await store.find(id)).toMatchObject({ session: { messageCount: 3 }, lastSequence: 6 })
    })

    test('[S2] a second turn finds the session busy, in another process too', async () => {
      const { store, other, id } = await started()
      await store.begin(opening(id, 'first'))
      await expect(store.begin(opening(id, 'second'))).rejects.toMatchObject({ code: 'session_busy' })
      await expect(other.begin(opening(id, 'third'))).rejects.toMatchObject({ code: 'session_busy' })
      expect(await store.readMessages(id, { after: 0, limit: 10 })).toHaveLength(1)
    })

    test('[S2] of two turns that begin at once, one gets the lease', async () => {
      const { store, other, id } = await started()
      const both = await Promise.allSettled([store.begin(opening(id, 'a')), other.begin(opening(id, 'b'))])
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await store.readMessages(id, { after: 0, limit: 10 })).toHaveLength(1)
    })

    test('[S2] a released lease is free for the next, and writes no more', async () => {
      const { store, other, id } = await started()
      const first = await store.begin(opening(id))
      await store.append(first, batch({ messages: [answer(id, 2)], events: [event(7)], release: true }))
      expect((await store.find(id))?.runningTurnId).toBeUndefined()
      const second = await other.begin(opening(id))
      expect(second).toMatchObject({ messageSequence: 3, turnNumber: 2, epoch: first.epoch + 1 })
      const late = store.append(first, batch({ messages: [answer(id, 4)] }))
      await expect(late).rejects.toMatchObject({ code: 'session_busy' })
      expect(await store.readMessages(id, { after: 2, limit: 10 })).toHaveLength(1)
    })

    test('finds the turn that was opened under a key', async () => {
      const { store, other, id } = await started()
      const turn = { ...opening(id), idempotencyKey: 'once-only' }
      const lease = await store.begin(turn)
      const { eventSequence } = lease
      const expected = { turnId: turn.turnId, message: said(lease, turn), eventSequence }
      expect(await other.findOpening(id, 'once-only')).toEqual(expected)
      expect(await store.findOpening(id, 'another')).toBeUndefined()
    })

    test('[S6] numbers that were not used are given out again after a release', async () => {
      const { store, id } = await started()
      const first = await store.begin(opening(id))
      await store.append(
        first,
        batch({ events: [event(7)], reservedUpTo: first.reservedUpTo, release: true }),
      )
      const second = await store.begin(opening(id))
      expect(second.eventSequence).toBe(8)
      expect(second.fromSequence).toBeUndefined()
    })

    test('[S2] a message number that is taken is refused, with all that came with it', async () => {
      const { store, id } = await started()
      const lease = await store.begin(opening(id))
      await store.append(lease, batch({ messages: [answer(id, 2)], events: [event(3)] }))
      const twice = store.append(
        lease,
        batch({ messages: [answer(id, 3), answer(id, 2)], events: [event(4)] }),
      )
      await expect(twice).rejects.toMatchObject({ code: 'session_busy' })
      expect(await store.readMessages(id, { after: 1, limit: 10 })).toEqual([answer(id, 2)])
      expect(await store.readEvents(id, { after: 2, limit: 10 })).toEqual([event(3)])
    })

    test('lists sessions, latest first, a page at a time', async () => {
      const owner = `per_${ids.sessionId().slice(4)}` as PersonId
      const made: SessionId[] = []
      for (const second of [1, 2, 3, 4, 5]) {
        const at = `2026-03-04T05:06:0${second}.000Z`
        made.unshift((await started({ ownerId: owner, createdAt: at, updatedAt: at })).id)
      }
      const { store } = await opened
      const first = await store.list({ ownerId: owner, limit: 3 })
      expect(first.items.map(({ session }) => session.id)).toEqual(made.slice(0, 3))
      const rest = await store.list({ ownerId: owner, limit: 3, ...cursorOf(first) })
      expect(rest.items.map(({ session }) => session.id)).toEqual(made.slice(3))
      expect(rest.nextCursor).toBeUndefined()
    })
  })
}

const cursorOf = ({ nextCursor }: { nextCursor?: string }) =>
  nextCursor === undefined ? {} : { cursor: nextCursor }

function opening(sessionId: SessionId, text = 'Hello'): TurnOpening {
  const turnId: TurnId = ids.turnId()
  return {
    sessionId,
    turnId,
    message: { id: ids.messageId(), content: [{ type: 'text', text }], timestamp: LATER },
    event: { timestamp: LATER, body: { type: 'session:turn_started', turnId } },
    title: 'Hello',
    reserve: 100,
  }
}

const said = ({ sessionId, messageSequence }: Lease, { message }: TurnOpening): SessionMessage => ({
  ...message,
  sessionId,
  role: 'user',
  sequenceNumber: messageSequence,
})

const answer = (sessionId: SessionId, sequenceNumber: number): SessionMessage => ({
  id: `msg_${sessionId.slice(4)}${sequenceNumber}` as SessionMessage['id'],
  sessionId,
  sequenceNumber,
  role: 'assistant',
  modelId: 'scripted',
  cutShort: 'cancelled',
  content: [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: `answer ${sequenceNumber}` },
  ],
  timestamp: LATER,
})

const event = (sequenceNumber: number, given: Partial<StoredEvent> = {}): StoredEvent => ({
  sequenceNumber,
  timestamp: LATER,
  body: { type: 'agent:token', model: 'scripted' },
  ...given,
})

const batch = (given: Partial<Batch>): Batch => ({
  messages: [],
  events: [],
  reservedUpTo: 102,
  at: LATER,
  release: false,
  ...given,
})
