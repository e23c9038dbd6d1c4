import { expect, test } from 'vitest'
import type { MediaHandle, PersonId, ReflectionId, SessionId, SessionMessage } from '@parley/contracts'
import type { SessionQuery, SessionStore } from '../ports/session-store.ts'
import {
  AT,
  LATER,
  type StoreUnderTest,
  createAnswerMessage,
  createBatch,
  createStoredEvent,
  ids,
  createTestSession,
  createNoise,
  createNewTurn,
  startSessionIn,
} from './fixtures.ts'

/** The rules for whole sessions: lists, names, notes, media. */
export function describeSessionRecords(opened: Promise<StoreUnderTest>) {
  const started = (given?: Parameters<typeof createTestSession>[2]) => startSessionIn(opened, given)

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
    const rest = await store.list({ ownerId: owner, limit: 3, ...toCursorQuery(first) })
    expect(rest.items.map(({ session }) => session.id)).toEqual(made.slice(3))
    expect(rest.nextCursor).toBeUndefined()
  })

  test('filters by channel, by status and by a waiting turn', async () => {
    const ownerId = `per_${ids.sessionId().slice(4)}` as PersonId
    const { store, id: idle } = await started({ ownerId })
    const { id: spoken } = await started({ ownerId, channel: 'voice' })
    const { id: waiting } = await started({ ownerId })
    const { id: ended } = await started({ ownerId })
    const lease = await store.beginTurn(createNewTurn(waiting))
    await store.append(
      lease,
      createBatch({
        messages: [createAnswerMessage(waiting, 2)],
        events: [createStoredEvent(3)],
        lease: 'waiting',
      }),
    )
    await store.end(ended, AT)
    const found = async (query: Omit<SessionQuery, 'limit'>) =>
      (await store.list({ ownerId, limit: 10, ...query })).items.map(({ session }) => session.id).toSorted()
    expect(await found({ channel: 'voice' })).toEqual([spoken])
    expect(await found({ channel: 'text' })).toEqual([idle, waiting, ended].toSorted())
    expect(await found({ status: 'ended' })).toEqual([ended])
    expect(await found({ status: 'active', channel: 'text' })).toEqual([idle, waiting].toSorted())
    expect(await found({ turn: 'waiting' })).toEqual([waiting])
    expect(await found({ turn: 'waiting', status: 'ended' })).toEqual([])
    expect(await found({ reflectionId: 'ref_nobody' as ReflectionId })).toEqual([])
    expect(await found({ search: 'nowhere', channel: 'text' })).toEqual([])
    const taken = await store.takeOver({
      sessionId: waiting,
      turnId: lease.turnId,
      state: 'waiting',
      reserve: 9,
    })
    expect(taken).toBeDefined()
    expect(await found({ turn: 'waiting' })).toEqual([])
  })

  test('[S2] an ended session has no more turns, and is still there to read', async () => {
    const { store, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id))
    await expect(store.end(id, LATER)).rejects.toMatchObject({ code: 'session_busy' })
    await store.append(
      lease,
      createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(3)], lease: 'ended' }),
    )
    await store.end(id, LATER)
    await expect(store.beginTurn(createNewTurn(id))).rejects.toMatchObject({ code: 'session_ended' })
    expect((await store.find(id))?.session.status).toBe('ended')
    expect(await store.readTail(id, 10)).toHaveLength(2)
  })

  test('renames a session without moving it in the list', async () => {
    const { store, other, id } = await started()
    await store.rename(id, 'Our plans 🌍')
    expect((await other.find(id))?.session).toMatchObject({ title: 'Our plans 🌍', updatedAt: AT })
    await expect(store.rename(ids.sessionId(), 'x')).rejects.toMatchObject({ code: 'session_not_found' })
  })

  test('removes a session with all that it holds, but not under a turn', async () => {
    const { store, other, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id, 'Hello', { idempotencyKey: 'key' }))
    await expect(store.remove(id)).rejects.toMatchObject({ code: 'session_busy' })
    await store.append(
      lease,
      createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(3)], lease: 'ended' }),
    )
    const kept = (await started()).id
    const beside = await store.beginTurn(createNewTurn(kept))
    await store.remove(id)
    expect(await other.find(id)).toBeUndefined()
    await expect(store.beginTurn(createNewTurn(id))).rejects.toMatchObject({ code: 'session_not_found' })
    expect(await store.findRepeatedTurn(id, 'key')).toBeUndefined()
    await expect(store.remove(id)).rejects.toMatchObject({ code: 'session_not_found' })
    expect(await store.readMessages(kept, { after: 0, limit: 10 })).toHaveLength(1)
    await store.append(beside, createBatch({ events: [createStoredEvent(3)], lease: 'ended' }))
  })

  test('[S2] a fork starts with the given past', async () => {
    const { store } = await opened
    const id = ids.sessionId()
    const past = [createAnswerMessage(id, 1), createAnswerMessage(id, 2)]
    await store.create(...createTestSession(id, AT, { messageCount: 2 }), past)
    expect(await store.readMessages(id, { after: 0, limit: 10 })).toEqual(past)
    expect((await store.beginTurn(createNewTurn(id))).lastMessageNumber).toBe(3)
  })

  test('a page of messages ends at its bytes, with at least one', async () => {
    const { store, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id))
    const long = (sequenceNumber: number): SessionMessage => ({
      ...createAnswerMessage(id, sequenceNumber),
      content: [{ type: 'text', text: createNoise(20_000) }],
    })
    await store.append(
      lease,
      createBatch({ messages: [long(2), long(3), long(4)], events: [createStoredEvent(3)] }),
    )
    const page = async (after: number, maxBytes: number) =>
      (await store.readMessages(id, { after, limit: 10, maxBytes })).map((message) => message.sequenceNumber)
    expect(await page(0, 1)).toEqual([1])
    expect(await page(1, 1)).toEqual([2])
    expect(await page(1, 30_000)).toEqual([2, 3])
    expect(await page(0, 1_000_000)).toEqual([1, 2, 3, 4])
  })

  test('[S10] keeps media under a name that follows from their bytes, for the session’s owner alone', async () => {
    const { store, other, id } = await started()
    const picture = { mediaType: 'image/png', bytes: new Uint8Array([137, 80, 78, 71, 0, 255]) }
    const drawing = { mediaType: 'text/plain', bytes: new Uint8Array([1]) }
    await store.beginTurn(createNewTurn(id, 'Look', { media: [picture, drawing, picture] }))
    const handle = store.toMediaHandle(picture.bytes)
    expect(handle).toMatch(/^media:\/\/sha256-[0-9a-f]{64}$/)
    expect(other.toMediaHandle(picture.bytes)).toBe(handle)
    expect(await readBytes(other, id, store.toMediaHandle(drawing.bytes))).toEqual([1])
    expect(await readBytes(other, id, handle)).toEqual([...picture.bytes])
    expect((await other.getMedia(id, handle))?.mediaType).toBe('image/png')
    const stranger = (await started({ ownerId: 'per_stranger' as PersonId })).id
    expect(await store.getMedia(stranger, handle)).toBeUndefined()
  })

  test('[S10] of a message that is refused, no media are kept', async () => {
    const { store, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id))
    const drawing = { mediaType: 'text/plain', bytes: new Uint8Array([4, 5, 6]) }
    const refused = store.beginTurn(createNewTurn(id, 'Look', { media: [drawing] }))
    await expect(refused).rejects.toMatchObject({ code: 'session_busy' })
    expect(await store.getMedia(id, store.toMediaHandle(drawing.bytes))).toBeUndefined()
    await store.append(lease, createBatch({ events: [], lease: 'ended' }))
    await store.beginTurn(createNewTurn(id, 'Look', { media: [drawing] }))
    expect(await readBytes(store, id, store.toMediaHandle(drawing.bytes))).toEqual([4, 5, 6])
  })

  test('[S10] media go with the last session that names them; a fork names them as well', async () => {
    const ownerId = `per_${ids.sessionId().slice(4)}` as PersonId
    const { store, id } = await started({ ownerId })
    const bytes = new Uint8Array([1, 2, 3])
    const lease = await store.beginTurn(
      createNewTurn(id, 'Look', { media: [{ mediaType: 'text/plain', bytes }] }),
    )
    await store.append(lease, createBatch({ events: [], lease: 'ended' }))
    const handle = store.toMediaHandle(bytes)
    const fork = ids.sessionId()
    const named: SessionMessage = {
      ...createAnswerMessage(fork, 1),
      content: [{ type: 'media', handle, mediaType: 'text/plain' }],
    }
    await store.create(...createTestSession(fork, AT, { ownerId, messageCount: 1 }), [named])
    await store.remove(id)
    expect(await readBytes(store, fork, handle)).toEqual([1, 2, 3])
    await store.remove(fork)
    expect(await store.getMedia(fork, handle)).toBeUndefined()
  })

  test('finds sessions by words of their title or messages, in any case', async () => {
    const ownerId = `per_${ids.sessionId().slice(4)}` as PersonId
    const { store } = await opened
    const titled = (await started({ ownerId, title: 'Über die "Reise" nach Kyōto' })).id
    const spoken = (await started({ ownerId, title: 'Other' })).id
    await store.beginTurn(createNewTurn(spoken, 'We said:\n100% ÜBER_all "quoted" \\ 🌍'))
    await started({ ownerId, title: 'Neither' })
    const found = async (search: string) =>
      (await store.list({ ownerId, search, limit: 10 })).items.map(({ session }) => session.id).toSorted()
    expect(await found('über')).toEqual([titled, spoken].toSorted())
    expect(await found('"QUOTED" \\ 🌍')).toEqual([spoken])
    expect(await found('said:\n100%')).toEqual([spoken])
    expect(await found('kyōto')).toEqual([titled])
    expect(await found('r_all')).toEqual([spoken])
    expect(await found('1%0')).toEqual([])
    expect(await found('type')).toEqual([])
  })

  test('finds no words that only the writing of a message has', async () => {
    const ownerId = `per_${ids.sessionId().slice(4)}` as PersonId
    const { store } = await opened
    const spoken = (await started({ ownerId, title: 'Other' })).id
    await store.beginTurn(createNewTurn(spoken, 'one\nor two\\nor (three)* \u0000or\ud83d.'))
    const found = async (search: string) =>
      (await store.list({ ownerId, search, limit: 10 })).items.map(({ session }) => session.id)
    for (const words of ['nor two', 'u0000or', '0000or', '0or', 'd83d', 'd.', '(one|two)', 'two.nor']) {
      expect([words, await found(words)]).toEqual([words, []])
    }
    for (const words of ['\nor', 'or two', '\\NOR', 'nor (three)*', '\u0000OR', '.']) {
      expect([words, await found(words)]).toEqual([words, [spoken]])
    }
  })

  test('[S17] a note between turns adds its event, and its message if that is the next', async () => {
    const { store, other, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id))
    const exported = { timestamp: LATER, body: { type: 'session:exported' as const, format: 'x' } }
    await expect(store.writeBetweenTurns({ sessionId: id, event: exported })).rejects.toMatchObject({
      code: 'session_busy',
    })
    await store.append(
      lease,
      createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(3)], lease: 'ended' }),
    )
    const before = await store.find(id)
    expect(await other.writeBetweenTurns({ sessionId: id, event: exported })).toBe(4)
    expect((await store.find(id))?.session).toEqual(before?.session)

    const marker = { kind: 'compacted' as const, uptoSequence: 2 }
    const content = [{ type: 'text' as const, text: 'So far: hello.' }]
    const message: SessionMessage = {
      id: ids.messageId(),
      sessionId: id,
      sequenceNumber: 3,
      role: 'system',
      content,
      marker,
      modelId: 'm',
      timestamp: AT,
    }
    const compacted = { timestamp: AT, body: { type: 'session:compacted' as const, uptoSequence: 2 } }
    const late = { ...message, sequenceNumber: 2 }
    await expect(
      store.writeBetweenTurns({ sessionId: id, event: compacted, message: late }),
    ).rejects.toMatchObject({
      code: 'session_busy',
    })
    const costs = { 'test/m': { inputTokens: 5, outputTokens: 7, microcents: 9 } }
    expect(await store.writeBetweenTurns({ sessionId: id, event: compacted, message, costs })).toBe(5)
    expect(await store.readTail(id, 1)).toEqual([message])
    expect(await store.find(id)).toMatchObject({ session: { messageCount: 3, costs }, lastSequence: 5 })
    expect(await store.readEvents(id, { after: 3, limit: 9 })).toEqual([
      { sequenceNumber: 4, ...exported },
      { sequenceNumber: 5, ...compacted },
    ])
    expect((await store.beginTurn(createNewTurn(id))).eventSequence).toBe(6)
    await expect(
      store.writeBetweenTurns({ sessionId: ids.sessionId(), event: exported }),
    ).rejects.toMatchObject({
      code: 'session_not_found',
    })
  })

  test('a session is as new as its last write', async () => {
    const { store, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id))
    const timestamp = '2026-03-04T05:06:09.000Z'
    await store.append(
      lease,
      createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(3, { timestamp })] }),
    )
    expect((await store.find(id))?.session.updatedAt).toBe(timestamp)
  })

  test('[S13] session grants are stored, and available to the next turn', async () => {
    const { store, other, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id))
    expect(lease.grants).toEqual([])
    const grants = [{ tool: 'mcp_call', target: 'files/read', pin: 'v1' }]
    await store.append(
      lease,
      createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(3)], grants }),
    )
    await store.append(lease, createBatch({ events: [createStoredEvent(4)], lease: 'ended' }))
    expect((await other.find(id))?.session.grants).toEqual(grants)
    expect((await other.beginTurn(createNewTurn(id))).grants).toEqual(grants)
  })

  test('[S12] the media of a result are stored together with its message, or not at all', async () => {
    const { store, other, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id))
    const media = [{ mediaType: 'text/plain', bytes: new Uint8Array([7, 5, 3]) }]
    const handle = store.toMediaHandle(media[0]?.bytes ?? new Uint8Array())
    const late = createBatch({
      messages: [createAnswerMessage(id, 7)],
      events: [createStoredEvent(3)],
      media,
    })
    await expect(store.append(lease, late)).rejects.toMatchObject({ code: 'session_busy' })
    expect(await store.getMedia(id, handle)).toBeUndefined()
    await store.append(
      lease,
      createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(3)], media }),
    )
    const found = await other.getMedia(id, handle)
    expect([...(found?.bytes ?? [])]).toEqual([7, 5, 3])
    expect(found?.mediaType).toBe('text/plain')
  })

  test('[S8] costs are stored with their step, and available to the next turn', async () => {
    const { store, other, id } = await started()
    const lease = await store.beginTurn(createNewTurn(id))
    expect(lease.costs).toEqual({})
    const costs = { 'test/m': { inputTokens: 100, outputTokens: 20, microcents: 4_000_000_000 } }
    await store.append(
      lease,
      createBatch({ messages: [createAnswerMessage(id, 2)], events: [createStoredEvent(3)], costs }),
    )
    await store.append(lease, createBatch({ events: [createStoredEvent(4)], lease: 'ended' }))
    expect((await other.find(id))?.session.costs).toEqual(costs)
    expect((await other.beginTurn(createNewTurn(id))).costs).toEqual(costs)
  })

  test('[S6] events are found from any number, however they were stored', async () => {
    const { store, id } = await started()
    const all = [...(await store.readEvents(id, { after: 0, limit: 9 }))]
    for (let turn = 0; turn < 12; turn += 1) {
      const lease = await store.beginTurn(createNewTurn(id))
      const { eventSequence: first, lastMessageNumber } = lease
      const { turnId } = lease
      const step = `stp_${turnId.slice(4)}x${lastMessageNumber + 1}x0`
      const own = { message: lastMessageNumber + 1, part: 1 }
      const message = { ...createAnswerMessage(id, lastMessageNumber + 1), turnId }
      const body = { type: 'agent:token' as const, turnId, stepId: step, model: 'scripted', extra: null }
      const told = createStoredEvent(first + 9, { body, messageRef: own, fromSequence: first + 1 })
      const last = createStoredEvent(first + 11, {
        timestamp: AT,
        messageRef: { message: lastMessageNumber, part: 0 },
      })
      if (turn % 3 === 0)
        await store.append(lease, createBatch({ messages: [message], events: [], reservedUpTo: first + 99 }))
      else
        await store.append(
          lease,
          createBatch({ messages: [message], events: [told], reservedUpTo: first + 99 }),
        )
      await store.append(lease, createBatch({ events: [last], lease: 'ended' }))
      all.push(...(await store.readEvents(id, { after: first - 1, limit: 1 })))
      all.push(...(turn % 3 === 0 ? [last] : [told, last]))
    }
    for (let after = 0; after <= (all.at(-1)?.sequenceNumber ?? 0); after += 1) {
      const rest = all.filter(({ sequenceNumber }) => sequenceNumber > after)
      expect(await store.readEvents(id, { after, limit: 99 })).toEqual(rest)
      expect(await store.readEvents(id, { after, limit: 2 })).toEqual(rest.slice(0, 2))
    }
  })
}

const readBytes = async (store: SessionStore, id: SessionId, handle: MediaHandle) => [
  ...((await store.getMedia(id, handle))?.bytes ?? []),
]

const toCursorQuery = ({ nextCursor }: { nextCursor?: string }) =>
  nextCursor === undefined ? {} : { cursor: nextCursor }
