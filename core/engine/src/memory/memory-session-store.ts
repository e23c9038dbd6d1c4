import { type MediaHandle, PlatformError, type SessionId, createMediaHandle } from '@parley/contracts'
import { listMedia } from '../media/de-inline-media.ts'
import type {
  Batch,
  BetweenTurnsWrite,
  Lease,
  Media,
  MessageRange,
  SessionQuery,
  SessionStore,
  StoredEvent,
  TakeOver,
  NewTurn,
} from '../ports/session-store.ts'
import { areConsecutive, areRising } from '../session/sequence-numbers.ts'
import {
  type Holder,
  type LeaseNumbers,
  type MemorySession,
  type ToMediaHandle,
  getOpenTurn,
  leaseSession,
  matchesQuery,
  storeOpening,
  toListKey,
  toAgentSessionRecord,
  updateOpenTurn,
} from './memory-session.ts'

/** Several processes on one in-memory store; each may die. */
export function createMemoryStores(toMediaHandle: ToMediaHandle = createDigest) {
  const sessions = new Map<SessionId, MemorySession>()
  return {
    open() {
      const holder: Holder = { isAlive: true, watches: new Map() }
      return {
        store: createStore({ sessions, holder, toMediaHandle }),
        die: () => {
          holder.isAlive = false
        },
      }
    },
  }
}

/** The simplest store, lost with its process: the reference for real stores, and the home of off-record sessions. */
export const createMemorySessionStore = (toMediaHandle?: ToMediaHandle): SessionStore =>
  createMemoryStores(toMediaHandle).open().store

/** One process on the store. */
interface MemoryProcess {
  readonly sessions: Map<SessionId, MemorySession>
  readonly holder: Holder
  readonly toMediaHandle: ToMediaHandle
}

function createStore(memory: MemoryProcess): SessionStore {
  const { sessions, holder, toMediaHandle } = memory
  return {
    async create(session, started, past = []) {
      sessions.set(session.id, {
        session,
        lastSequence: started.sequenceNumber,
        messages: [...past],
        events: [started],
        openings: new Map(),
        media: new Map(listMedia(past).flatMap((handle) => findOwnedMedia(memory, session.ownerId, handle))),
        epoch: 0,
        turns: 0,
        reservedUpTo: started.sequenceNumber,
      })
    },
    async find(sessionId) {
      const stored = sessions.get(sessionId)
      return stored && toAgentSessionRecord(stored)
    },
    list: async (query) => listSessions(memory, query),
    async rename(sessionId, title) {
      const stored = getSession(memory, sessionId)
      stored.session = { ...stored.session, title }
    },
    async end(sessionId, at) {
      const stored = getIdleSession(memory, sessionId)
      stored.session = { ...stored.session, status: 'ended', updatedAt: at }
    },
    async remove(sessionId) {
      getIdleSession(memory, sessionId)
      sessions.delete(sessionId)
    },

    beginTurn: async (opening) => beginTurn(memory, opening),
    findRepeatedTurn: async (sessionId, key) => sessions.get(sessionId)?.openings.get(key),
    append: async (lease, batch) => appendBatch(memory, lease, batch),
    takeOver: async (turn) => takeOverTurn(memory, turn),
    giveUpLease({ sessionId, turnId, epoch }) {
      const stored = sessions.get(sessionId)
      if (stored?.epoch === epoch && stored.open?.turnId === turnId)
        stored.open = { ...stored.open, holder: { isAlive: false, watches: new Map() } }
    },
    listInterrupted: async (limit) => listInterrupted(memory).slice(0, limit),
    requestCancel: async (turn) => requestCancel(memory, turn),
    watchCancel(lease, cancel) {
      holder.watches.set(lease, cancel)
      if (sessions.get(lease.sessionId)?.open?.isCancelRequested) cancel()
      return () => holder.watches.delete(lease)
    },
    writeBetweenTurns: async (write) => writeBetweenTurns(memory, write),

    toMediaHandle,
    getMedia: async (sessionId, handle) => sessions.get(sessionId)?.media.get(handle),
    readMessages: async (sessionId, range) => readMessages(memory, sessionId, range),
    readTail: async (sessionId, limit) => getSession(memory, sessionId).messages.slice(-limit),
    async findOpeningEventNumber(sessionId, question) {
      const isOpening = ({ body, messageRef }: StoredEvent) =>
        body.type === 'session:turn_started' && messageRef?.message === question
      return getSession(memory, sessionId).events.find(isOpening)?.sequenceNumber ?? 0
    },
    async readEvents(sessionId, { after, limit }) {
      return getSession(memory, sessionId)
        .events.filter(({ sequenceNumber }) => sequenceNumber > after)
        .slice(0, limit)
    },
  }
}

function getSession({ sessions, holder }: MemoryProcess, sessionId: SessionId): MemorySession {
  if (!holder.isAlive) throw new Error('this process is dead')
  const stored = sessions.get(sessionId)
  if (!stored) throw new PlatformError('session_not_found', { sessionId })
  return stored
}

/** Throws while a turn is open. */
function getIdleSession(memory: MemoryProcess, sessionId: SessionId): MemorySession {
  const stored = getSession(memory, sessionId)
  if (stored.open) throw new PlatformError('session_busy', { sessionId, turnId: stored.open.turnId })
  return stored
}

/** Media that a fork names belong to another session of the same owner. */
function findOwnedMedia(
  { sessions }: MemoryProcess,
  ownerId: string,
  handle: MediaHandle,
): readonly [MediaHandle, Media][] {
  for (const { session, media } of sessions.values()) {
    const found = session.ownerId === ownerId ? media.get(handle) : undefined
    if (found) return [[handle, found]]
  }
  return []
}

function listSessions({ sessions }: MemoryProcess, { limit, cursor, ...query }: SessionQuery) {
  const items = [...sessions.values()]
    .filter((stored) => matchesQuery(query, stored))
    .map(toAgentSessionRecord)
    .toSorted((a, b) => (toListKey(a) < toListKey(b) ? 1 : -1))
    .filter((record) => cursor === undefined || toListKey(record) < cursor)
  const last = items[limit - 1]
  return {
    items: items.slice(0, limit),
    ...(items.length > limit && last && { nextCursor: toListKey(last) }),
  }
}

function beginTurn(memory: MemoryProcess, opening: NewTurn): Lease {
  const { sessionId, turnId, question } = opening
  const stored = getIdleSession(memory, sessionId)
  if (stored.session.status === 'ended') throw new PlatformError('session_ended', { sessionId })
  if (question.kind === 'stored' && question.messageCount !== stored.messages.length)
    throw new PlatformError('session_busy', { sessionId })
  stored.turns += 1
  const numbers = leaseSession(stored, opening)
  stored.open = {
    turnId,
    openingEventNumber: numbers.eventSequence,
    holder: memory.holder,
    isCancelRequested: false,
  }
  storeOpening(stored, opening, numbers, memory.toMediaHandle)
  return toLease(stored, numbers, numbers.eventSequence)
}

function takeOverTurn(memory: MemoryProcess, turn: TakeOver): Lease | undefined {
  const { sessionId, turnId, state, lastSequence } = turn
  const stored = getSession(memory, sessionId)
  const { open } = stored
  if (!open || open.turnId !== turnId || getOpenTurn(stored)?.state !== state) return undefined
  if (lastSequence !== undefined && lastSequence !== stored.lastSequence) return undefined
  const numbers = leaseSession(stored, turn)
  stored.open = { ...open, holder: memory.holder, isCancelRequested: false }
  return toLease(stored, numbers, open.openingEventNumber)
}

const toLease = (
  { messages, turns, session }: MemorySession,
  numbers: LeaseNumbers,
  openingEventNumber: number,
): Lease => ({
  ...numbers,
  lastMessageNumber: messages.length,
  turnNumber: turns,
  openingEventNumber,
  costs: session.costs,
  grants: session.grants,
})

function appendBatch(memory: MemoryProcess, { sessionId, epoch, turnId }: Lease, batch: Batch): void {
  const { messages, events, reservedUpTo, lease, costs, grants, media = [] } = batch
  const stored = getSession(memory, sessionId)
  const isInOrder =
    areConsecutive([{ sequenceNumber: stored.messages.length }, ...messages]) &&
    areRising([{ sequenceNumber: stored.lastSequence }, ...events])
  if (stored.epoch !== epoch || stored.open?.turnId !== turnId || !stored.open.holder || !isInOrder)
    throw new PlatformError('session_busy', { sessionId, turnId })
  stored.messages.push(...messages)
  stored.events.push(...events)
  stored.lastSequence = events.at(-1)?.sequenceNumber ?? stored.lastSequence
  stored.reservedUpTo = lease === 'kept' ? reservedUpTo : stored.lastSequence
  stored.session = {
    ...stored.session,
    messageCount: stored.messages.length,
    ...(costs && { costs }),
    ...(grants && { grants: [...grants] }),
    updatedAt: events.at(-1)?.timestamp ?? stored.session.updatedAt,
  }
  for (const item of media) stored.media.set(memory.toMediaHandle(item.bytes), item)
  stored.open = updateOpenTurn(lease, stored.open)
}

function writeBetweenTurns(
  memory: MemoryProcess,
  { sessionId, event, message, costs }: BetweenTurnsWrite,
): number {
  const stored = getIdleSession(memory, sessionId)
  if (message && message.sequenceNumber !== stored.messages.length + 1)
    throw new PlatformError('session_busy', { sessionId })
  const sequenceNumber = stored.lastSequence + 1
  if (message) stored.messages.push(message)
  stored.events.push({ ...event, sequenceNumber })
  stored.lastSequence = sequenceNumber
  stored.reservedUpTo = sequenceNumber
  stored.session = { ...stored.session, messageCount: stored.messages.length, ...(costs && { costs }) }
  return sequenceNumber
}

const listInterrupted = ({ sessions }: MemoryProcess): readonly Pick<Lease, 'sessionId' | 'turnId'>[] =>
  [...sessions.values()].flatMap((stored) => {
    const open = getOpenTurn(stored)
    return open?.state === 'interrupted' ? [{ sessionId: stored.session.id, turnId: open.turnId }] : []
  })

function requestCancel(
  memory: MemoryProcess,
  { sessionId, turnId }: Pick<Lease, 'sessionId' | 'turnId'>,
): boolean {
  const stored = getSession(memory, sessionId)
  const { open } = stored
  if (!open || open.turnId !== turnId || getOpenTurn(stored)?.state !== 'running') return false
  open.isCancelRequested = true
  for (const [lease, cancel] of open.holder?.watches ?? []) if (lease.turnId === turnId) cancel()
  return true
}

function readMessages(
  memory: MemoryProcess,
  sessionId: SessionId,
  { after, limit, maxBytes = Infinity }: MessageRange,
) {
  let bytes = 0
  return getSession(memory, sessionId)
    .messages.slice(after, after + limit)
    .filter(({ content }) => {
      const fits = bytes < maxBytes
      bytes += JSON.stringify(content).length
      return fits
    })
}

/** Not a real SHA-256, but unique enough here. */
function createDigest(bytes: Uint8Array): MediaHandle {
  let digest = 1n
  for (let at = 0; at < bytes.length; at += EXACT_BYTES) {
    const part = bytes.subarray(at, at + EXACT_BYTES)
    const sum = part.reduce((before, byte) => before * 257 + byte + 1, 0)
    digest = BigInt.asUintN(256, digest * 257n ** BigInt(part.length) + BigInt(sum))
  }
  return createMediaHandle(digest.toString(16).padStart(64, '0'))
}

/** As many bytes as a number can add up exactly: a BigInt per byte is slow. */
const EXACT_BYTES = 6
