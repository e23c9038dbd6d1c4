import {
  type MediaHandle,
  type OpenTurn,
  PlatformError,
  type SessionId,
  type SessionMessage,
} from '@parley/contracts'
import { areConsecutive, areRising } from '../session/in-order.ts'
import { mediaOf } from '../media/de-inline-media.ts'
import type {
  Batch,
  Lease,
  Media,
  OpenedTurn,
  SessionRecord,
  SessionStore,
  StoredEvent,
  TurnOpening,
} from '../ports/session-store.ts'

interface Kept {
  session: SessionRecord['session']
  lastSequence: number
  readonly messages: SessionMessage[]
  readonly events: StoredEvent[]
  readonly openings: Map<string, OpenedTurn>
  readonly media: Map<MediaHandle, Media>
  epoch: number
  turns: number
  reservedUpTo: number
  open?: { turnId: OpenTurn['turnId']; openedAt: number; holder?: Holder; isCancelAsked: boolean } | undefined
}

/** A process as the store knows it. */
interface Holder {
  isAlive: boolean
  readonly watches: Map<Lease, () => void>
}

/** Several processes on one store in memory, each of which may die. */
export function memoryStores() {
  const sessions = new Map<SessionId, Kept>()
  return {
    open() {
      const holder: Holder = { isAlive: true, watches: new Map() }
      return {
        store: memoryStoreOf(sessions, holder),
        die: () => {
          holder.isAlive = false
        },
      }
    },
  }
}

/** The obvious store: what the real ones are compared with. */
export const memorySessionStore = (): SessionStore => memoryStores().open().store

function memoryStoreOf(sessions: Map<SessionId, Kept>, holder: Holder): SessionStore {
  const keptOf = (sessionId: SessionId): Kept => {
    if (!holder.isAlive) throw new Error('this process is dead')
    const kept = sessions.get(sessionId)
    if (!kept) throw new PlatformError('session_not_found', { sessionId })
    return kept
  }
  const idleOf = (sessionId: SessionId): Kept => {
    const kept = keptOf(sessionId)
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
        media: new Map(mediaOf(past).flatMap((handle) => sharedMedia(session.ownerId, handle))),
        epoch: 0,
        turns: 0,
        reservedUpTo: started.sequenceNumber,
      })
    },

    async find(sessionId) {
      const kept = sessions.get(sessionId)
      return kept && recordOf(kept)
    },

    async list({ ownerId, search, limit, cursor }) {
      const items = [...sessions.values()]
        .filter(({ session }) => ownerId === undefined || session.ownerId === ownerId)
        .filter((kept) => search === undefined || isFoundBy(search, kept))
        .map(recordOf)
        .toSorted((a, b) => (placeInList(a) < placeInList(b) ? 1 : -1))
        .filter((record) => cursor === undefined || placeInList(record) < cursor)
      const last = items[limit - 1]
      return {
        items: items.slice(0, limit),
        ...(items.length > limit && last && { nextCursor: placeInList(last) }),
      }
    },

    async rename(sessionId, title) {
      const kept = keptOf(sessionId)
      kept.session = { ...kept.session, title }
    },

    async end(sessionId, at) {
      const kept = idleOf(sessionId)
      kept.session = { ...kept.session, status: 'ended', updatedAt: at }
    },

    async remove(sessionId) {
      idleOf(sessionId)
      sessions.delete(sessionId)
    },

    async begin(opening) {
      const { sessionId, turnId, question } = opening
      const kept = idleOf(sessionId)
      if (kept.session.status === 'ended') throw new PlatformError('session_ended', { sessionId })
      if (question.kind === 'stored' && question.messageCount !== kept.messages.length)
        throw new PlatformError('session_busy', { sessionId })
      const lease = leaseOf(kept, { sessionId, turnId, reserve: opening.reserve })
      kept.turns += 1
      kept.open = { turnId, openedAt: lease.eventSequence, holder, isCancelAsked: false }
      storeOpening(kept, opening, lease)
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
      const kept = keptOf(sessionId)
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
      kept.open = openAfter(lease, kept.open)
    },

    async takeOver({ sessionId, turnId, state, reserve }) {
      const kept = keptOf(sessionId)
      const open = kept.open
      if (!open || open.turnId !== turnId || openTurnOf(kept)?.state !== state) return undefined
      const lease = leaseOf(kept, { sessionId, turnId, reserve })
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
          const open = openTurnOf(kept)
          return open?.state === 'interrupted' ? [{ sessionId: kept.session.id, turnId: open.turnId }] : []
        })
        .slice(0, limit)
    },

    async note({ sessionId, event, message, costs }) {
      const kept = idleOf(sessionId)
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
      const kept = keptOf(sessionId)
      if (!kept.open || kept.open.turnId !== turnId || openTurnOf(kept)?.state !== 'running') return false
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
      const found = keptOf(sessionId).messages.slice(after, after + limit)
      let bytes = 0
      return found.filter(({ content }) => {
        const fits = bytes < maxBytes
        bytes += JSON.stringify(content).length
        return fits
      })
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

function recordOf(kept: Kept): SessionRecord {
  const { session, lastSequence } = kept
  const openTurn = openTurnOf(kept)
  return { session, lastSequence, ...(openTurn && { openTurn }) }
}

function openTurnOf({ open }: Kept): OpenTurn | undefined {
  if (!open) return undefined
  const { turnId, holder } = open
  if (!holder) return { turnId, state: 'waiting' }
  return { turnId, state: holder.isAlive ? 'running' : 'interrupted' }
}

/** Gives out the numbers after those that may have been used. */
function leaseOf(kept: Kept, { reserve, ...turn }: Pick<TurnOpening, 'sessionId' | 'turnId' | 'reserve'>) {
  const eventSequence = kept.reservedUpTo + 1
  const skipped = eventSequence > kept.lastSequence + 1 ? { fromSequence: kept.lastSequence + 1 } : {}
  kept.epoch += 1
  kept.reservedUpTo = eventSequence + reserve
  return { ...turn, ...skipped, epoch: kept.epoch, eventSequence, reservedUpTo: kept.reservedUpTo }
}

type Numbered = ReturnType<typeof leaseOf>

function storeOpening(kept: Kept, { sessionId, question, event }: TurnOpening, lease: Numbered) {
  const { eventSequence, fromSequence, turnId } = lease
  let message = kept.messages.length
  if (question.kind === 'new') {
    message += 1
    const said: SessionMessage = {
      ...question.message,
      sessionId,
      turnId,
      sequenceNumber: message,
      role: 'user',
    }
    kept.messages.push(said)
    for (const media of question.media ?? []) kept.media.set(handleOf(media.bytes), media)
    kept.session = { title: question.title, ...kept.session, messageCount: message }
    const { idempotencyKey } = question
    if (idempotencyKey !== undefined)
      kept.openings.set(idempotencyKey, { turnId, message: said, eventSequence })
  } else message = question.sequenceNumber
  kept.session = { ...kept.session, updatedAt: event.timestamp }
  kept.lastSequence = eventSequence
  kept.events.push({
    ...event,
    ...(fromSequence !== undefined && { fromSequence }),
    sequenceNumber: eventSequence,
    of: { message, part: 0 },
  })
}

function openAfter(lease: Batch['lease'], open: NonNullable<Kept['open']>): Kept['open'] {
  if (lease === 'ended') return undefined
  if (lease === 'kept') return open
  return { turnId: open.turnId, openedAt: open.openedAt, isCancelAsked: false }
}

function isFoundBy(search: string, { session, messages }: Kept): boolean {
  const texts = messages.flatMap(({ content }) =>
    content.flatMap((part) => {
      if (part.type === 'tool_result') return [part.outcome.text]
      return 'text' in part ? [part.text] : []
    }),
  )
  return [session.title ?? '', ...texts].some((text) => text.toLowerCase().includes(search.toLowerCase()))
}

const placeInList = ({ session }: SessionRecord) => `${session.updatedAt} ${session.id}`

/** Not the hash of the bytes, but as good a name for them here. */
function handleOf(bytes: Uint8Array): MediaHandle {
  const digest = bytes.reduce((sum, byte) => (sum * 257n + BigInt(byte) + 1n) % 2n ** 256n, 1n)
  return `media://sha256-${digest.toString(16).padStart(64, '0')}`
}
