import { PlatformError, type SessionId, type SessionMessage, type TurnId } from '@parley/contracts'
import type { OpenedTurn, SessionRecord, SessionStore, StoredEvent } from '../ports/session-store.ts'

interface Kept {
  record: SessionRecord
  readonly messages: SessionMessage[]
  readonly events: StoredEvent[]
  readonly openings: Map<string, OpenedTurn>
  epoch: number
  turns: number
  reservedUpTo: number
}

/** The obvious store: what the real ones are compared with. */
export function memorySessionStore(): SessionStore {
  const sessions = new Map<SessionId, Kept>()

  const keptOf = (sessionId: SessionId): Kept => {
    const kept = sessions.get(sessionId)
    if (!kept) throw new PlatformError('session_not_found', { sessionId })
    return kept
  }

  return {
    async create(session, started) {
      const record = { session, lastSequence: started.sequenceNumber }
      const reservedUpTo = started.sequenceNumber
      const openings = new Map<string, OpenedTurn>()
      sessions.set(session.id, {
        record,
        messages: [],
        events: [started],
        openings,
        epoch: 0,
        turns: 0,
        reservedUpTo,
      })
    },

    async find(sessionId) {
      return sessions.get(sessionId)?.record
    },

    async list({ ownerId, limit, cursor }) {
      const items = [...sessions.values()]
        .map(({ record }) => record)
        .filter(({ session }) => ownerId === undefined || session.ownerId === ownerId)
        .toSorted((a, b) => (placeInList(a) < placeInList(b) ? 1 : -1))
        .filter((record) => cursor === undefined || placeInList(record) < cursor)
      const last = items[limit - 1]
      return {
        items: items.slice(0, limit),
        ...(items.length > limit && last && { nextCursor: placeInList(last) }),
      }
    },

    async begin({ sessionId, turnId, message, event, title, idempotencyKey, reserve }) {
      const kept = keptOf(sessionId)
      const { session, lastSequence, runningTurnId } = kept.record
      if (session.status === 'ended') throw new PlatformError('session_ended', { sessionId })
      if (runningTurnId) throw new PlatformError('session_busy', { sessionId, turnId: runningTurnId })
      const eventSequence = kept.reservedUpTo + 1
      const skipped = eventSequence > lastSequence + 1 ? { fromSequence: lastSequence + 1 } : {}
      const messageSequence = session.messageCount + 1
      const said: SessionMessage = { ...message, sessionId, sequenceNumber: messageSequence, role: 'user' }
      kept.messages.push(said)
      if (idempotencyKey !== undefined)
        kept.openings.set(idempotencyKey, { turnId, message: said, eventSequence })
      kept.events.push({
        ...event,
        ...skipped,
        sequenceNumber: eventSequence,
        of: { message: messageSequence, part: 0 },
      })
      kept.epoch += 1
      kept.turns += 1
      kept.reservedUpTo = eventSequence + reserve
      kept.record = {
        session: { title, ...session, messageCount: messageSequence, updatedAt: message.timestamp },
        lastSequence: eventSequence,
        runningTurnId: turnId,
      }
      const { epoch, turns: turnNumber, reservedUpTo } = kept
      return {
        sessionId,
        turnId,
        epoch,
        messageSequence,
        eventSequence,
        ...skipped,
        reservedUpTo,
        turnNumber,
      }
    },

    async findOpening(sessionId, idempotencyKey) {
      return sessions.get(sessionId)?.openings.get(idempotencyKey)
    },

    async append({ sessionId, epoch, turnId }, { messages, events, reservedUpTo, at, release }) {
      const kept = keptOf(sessionId)
      if (kept.epoch !== epoch || !kept.record.runningTurnId) {
        throw new PlatformError('session_busy', { sessionId, turnId })
      }
      if (messages.some((message, index) => message.sequenceNumber !== kept.messages.length + index + 1)) {
        throw new PlatformError('session_busy', { sessionId, turnId })
      }
      kept.messages.push(...messages)
      kept.events.push(...events)
      const { session } = kept.record
      const lastSequence = events.at(-1)?.sequenceNumber ?? kept.record.lastSequence
      kept.reservedUpTo = release ? lastSequence : reservedUpTo
      kept.record = {
        session: { ...session, messageCount: session.messageCount + messages.length, updatedAt: at },
        lastSequence,
        ...stillRunning(release, turnId),
      }
    },

    async readMessages(sessionId, { after, limit }) {
      return keptOf(sessionId)
        .messages.filter(({ sequenceNumber }) => sequenceNumber > after)
        .slice(0, limit)
    },

    async readTail(sessionId, limit) {
      return keptOf(sessionId).messages.slice(-limit)
    },

    async readEvents(sessionId, { after, limit }) {
      return keptOf(sessionId)
        .events.filter(({ sequenceNumber }) => sequenceNumber > after)
        .slice(0, limit)
    },
  }
}

const placeInList = ({ session }: SessionRecord) => `${session.updatedAt} ${session.id}`

const stillRunning = (release: boolean, runningTurnId: TurnId) => (release ? {} : { runningTurnId })
