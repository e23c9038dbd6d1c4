import { type MediaHandle, PlatformError, type SessionId } from '@parley/contracts'
import { areConsecutive, areRising } from '../session/in-order.ts'
import { listMedia } from '../media/de-inline-media.ts'
import type { Media, SessionStore, StoredEvent } from '../ports/session-store.ts'
import {
  type HandleOf,
  type Holder,
  matchesQuery,
  type MemorySession,
  createLease,
  updateOpenTurn,
  toOpenTurn,
  toListKey,
  toRecord,
  storeOpening,
} from './memory-session.ts'

/** Several processes on one in-memory store; each may die. */
export function memoryStores(handleOf: HandleOf = createDigest) {
  const sessions = new Map<SessionId, MemorySession>()
  return {
    open() {
      const holder: Holder = { isAlive: true, watches: new Map() }
      return {
        store: createMemoryStore(sessions, holder, handleOf),
        die: () => {
          holder.isAlive = false
        },
      }
    },
  }
}

/** The simplest store, lost with its process: the reference for real stores, and the home of off-record sessions. */
export const createMemorySessionStore = (handleOf?: HandleOf): SessionStore =>
  memoryStores(handleOf).open().store

function createMemoryStore(
  sessions: Map<SessionId, MemorySession>,
  holder: Holder,
  handleOf: HandleOf,
): SessionStore {
  const findKept = (sessionId: SessionId): MemorySession => {
    if (!holder.isAlive) throw new Error('this process is dead')
    const kept = sessions.get(sessionId)
    if (!kept) throw new PlatformError('session_not_found', { sessionId })
    return kept
  }
  const findIdle = (sessionId: SessionId): MemorySession => {
    const kept = findKept(sessionId)
    if (kept.open) throw new PlatformError('session_busy', { sessionId, turnId: kept.open.turnId })
    return kept
  }

  const sharedMedia = (ownerId: string, handle: MediaHandle): [MediaHandle, Media][] => {
    for (const { session, media } of sessions.values()) {
      const found = session.ownerId === ownerId ? media.get(handle) : undefined
      if (found) return [[handle, found]]
    }
    return []
  }

  return {
    async create(session, started, past = []) {
      sessions.set(session.id, {
        session,
        lastSequence: started.sequenceNumber,
        messages: [...past],
        events: [started],
        openings: new Map(),
        media: new Map(listMedia(past).flatMap((handle) => sharedMedia(session.ownerId, handle))),
        epoch: 0,
        turns: 0,
        reservedUpTo: started.sequenceNumber,
      })
    },

    async find(sessionId) {
      const kept = sessions.get(sessionId)
      return kept && toRecord(kept)
    },

    async list({ limit, cursor, ...query }) {
      const items = [...sessions.values()]
        .filter((kept) => matchesQuery(query, kept))
        .map(toRecord)
        .toSorted((a, b) => (toListKey(a) < toListKey(b) ? 1 : -1))
        .filter((record) => cursor === undefined || toListKey(record) < cursor)
      const last = items[limit - 1]
      return {
        items: items.slice(0, limit),
        ...(items.length > limit && last && { nextCursor: toListKey(last) }),
      }
    },

    async rename(sessionId, title) {
      const kept = findKept(sessionId)
      kept.session = { ...kept.session, title }
    },

    async end(sessionId, at) {
      const kept = findIdle(sessionId)
      kept.session = { ...kept.session, status: 'ended', updatedAt: at }
    },

    async remove(sessionId) {
      findIdle(sessionId)
      sessions.delete(sessionId)
    },

    async begin(opening) {
      const { sessionId, turnId, question } = opening
      const kept = findIdle(sessionId)
      if (kept.session.status === 'ended') throw new PlatformError('session_ended', { sessionId })
      if (question.kind === 'stored' && question.messageCount !== kept.messages.length)
        throw new PlatformError('session_busy', { sessionId })
      const lease = createLease(kept, { sessionId, turnId, reserve: opening.reserve })
      kept.turns += 1
      kept.open = { turnId, openedAt: lease.eventSequence, holder, isCancelAsked: false }
      storeOpening(kept, opening, lease, handleOf)
      return {
        ...lease,
        lastMessage: kept.messages.length,
        turnNumber: kept.turns,
        openedAt: lease.eventSequence,
        costs: kept.session.costs,
        grants: kept.session.grants,
      }
    },

    async findOpening(sessionId, idempotencyKey) {
      return sessions.get(sessionId)?.openings.get(idempotencyKey)
    },

    async append(
      { sessionId, epoch, turnId },
      { messages, events, reservedUpTo, lease, costs, grants, media = [] },
    ) {
      const kept = findKept(sessionId)
      const isInOrder =
        areConsecutive([{ sequenceNumber: kept.messages.length }, ...messages]) &&
        areRising([{ sequenceNumber: kept.lastSequence }, ...events])
      if (kept.epoch !== epoch || kept.open?.turnId !== turnId || !kept.open.holder || !isInOrder)
        throw new PlatformError('session_busy', { sessionId, turnId })
      kept.messages.push(...messages)
      kept.events.push(...events)
      kept.lastSequence = events.at(-1)?.sequenceNumber ?? kept.lastSequence
      kept.reservedUpTo = lease === 'kept' ? reservedUpTo : kept.lastSequence
      kept.session = {
        ...kept.session,
        messageCount: kept.messages.length,
        ...(costs && { costs }),
        ...(grants && { grants: [...grants] }),
        updatedAt: events.at(-1)?.timestamp ?? kept.session.updatedAt,
      }
      for (const one of media) kept.media.set(handleOf(one.bytes), one)
      kept.open = updateOpenTurn(lease, kept.open)
    },

    async takeOver({ sessionId, turnId, state, reserve, lastSequence }) {
      const kept = findKept(sessionId)
      const open = kept.open
      if (!open || open.turnId !== turnId || toOpenTurn(kept)?.state !== state) return undefined
      if (lastSequence !== undefined && lastSequence !== kept.lastSequence) return undefined
      const lease = createLease(kept, { sessionId, turnId, reserve })
      kept.open = { ...open, holder, isCancelAsked: false }
      return {
        ...lease,
        lastMessage: kept.messages.length,
        turnNumber: kept.turns,
        openedAt: open.openedAt,
        costs: kept.session.costs,
        grants: kept.session.grants,
      }
    },

    giveUp({ sessionId, turnId, epoch }) {
      const kept = sessions.get(sessionId)
      if (kept?.epoch === epoch && kept.open?.turnId === turnId)
        kept.open = { ...kept.open, holder: { isAlive: false, watches: new Map() } }
    },

    async listInterrupted(limit) {
      return [...sessions.values()]
        .flatMap((kept) => {
          const open = toOpenTurn(kept)
          return open?.state === 'interrupted' ? [{ sessionId: kept.session.id, turnId: open.turnId }] : []
        })
        .slice(0, limit)
    },

    async note({ sessionId, event, message, costs }) {
      const kept = findIdle(sessionId)
      if (message && message.sequenceNumber !== kept.messages.length + 1)
        throw new PlatformError('session_busy', { sessionId })
      const sequenceNumber = kept.lastSequence + 1
      if (message) kept.messages.push(message)
      kept.events.push({ ...event, sequenceNumber })
      kept.lastSequence = sequenceNumber
      kept.reservedUpTo = sequenceNumber
      kept.session = { ...kept.session, messageCount: kept.messages.length, ...(costs && { costs }) }
      return sequenceNumber
    },

    handleOf,

    async getMedia(sessionId, handle) {
      return sessions.get(sessionId)?.media.get(handle)
    },

    async askToCancel({ sessionId, turnId }) {
      const kept = findKept(sessionId)
      if (!kept.open || kept.open.turnId !== turnId || toOpenTurn(kept)?.state !== 'running') return false
      kept.open.isCancelAsked = true
      for (const [lease, cancel] of kept.open.holder?.watches ?? []) if (lease.turnId === turnId) cancel()
      return true
    },

    watchCancel(lease, cancel) {
      holder.watches.set(lease, cancel)
      if (sessions.get(lease.sessionId)?.open?.isCancelAsked) cancel()
      return () => holder.watches.delete(lease)
    },

    async readMessages(sessionId, { after, limit, maxBytes = Infinity }) {
      const found = findKept(sessionId).messages.slice(after, after + limit)
      let bytes = 0
      return found.filter(({ content }) => {
        const fits = bytes < maxBytes
        bytes += JSON.stringify(content).length
        return fits
      })
    },

    async readTail(sessionId, limit) {
      return findKept(sessionId).messages.slice(-limit)
    },

    async findOpeningEvent(sessionId, question) {
      const isOpening = ({ body, of }: StoredEvent) =>
        body.type === 'session:turn_started' && of?.message === question
      return findKept(sessionId).events.find(isOpening)?.sequenceNumber ?? 0
    },

    async readEvents(sessionId, { after, limit }) {
      return findKept(sessionId)
        .events.filter(({ sequenceNumber }) => sequenceNumber > after)
        .slice(0, limit)
    },
  }
}

/** Not a real SHA-256, but unique enough here. */
function createDigest(bytes: Uint8Array): MediaHandle {
  let digest = 1n
  for (let at = 0; at < bytes.length; at += EXACT_BYTES) {
    const part = bytes.subarray(at, at + EXACT_BYTES)
    const sum = part.reduce((before, byte) => before * 257 + byte + 1, 0)
    digest = BigInt.asUintN(256, digest * 257n ** BigInt(part.length) + BigInt(sum))
  }
  return `media://sha256-${digest.toString(16).padStart(64, '0')}`
}

/** As many bytes as a number can add up exactly: a BigInt per byte is slow. */
const EXACT_BYTES = 6
