import { type PersonId, PlatformError, type SessionId } from '@parley/contracts'
import { type Clock, createMemorySessionStore, type SessionStore } from '@parley/engine'

/** The partner of a session. One with a reflection has a stored row, one with an agent of the server has none. */
type Partner = 'reflection' | 'agent'

/** Sessions that exist only in the memory of this process. */
export interface OffRecord {
  /** The store of all sessions: memory for those off the record, the given store for the others. */
  readonly store: SessionStore
  /** Makes the session that will be created under this id off the record. Throws if there are too many. */
  admit(sessionId: SessionId, personId: PersonId, partner: Partner): void
  /** Whether this process holds the session, with such a partner. */
  holds(sessionId: SessionId, partner: Partner): boolean
  /** For a session that was not created after all. */
  forget(sessionId: SessionId): void
}

export interface OffRecordHost {
  readonly kept: SessionStore
  readonly clock: Clock
  /** Ends a session that is too old or unused for too long. */
  readonly endOld: (sessionId: SessionId) => Promise<void>
}

const MAX_SESSIONS = 200
const MAX_PER_PERSON = 5
const UNUSED_MS = 30 * 60_000
const MAX_AGE_MS = 24 * 3_600_000
/** The length of everything that a person says in one session, in UTF-16 units of JSON. */
const MAX_LENGTH = 2_000_000

interface Held {
  readonly partner: Partner
  readonly personId: PersonId
  readonly since: number
  usedAt: number
  length: number
}

export function createOffRecord({ kept, clock, endOld }: OffRecordHost): OffRecord {
  const memory = createMemorySessionStore((bytes) => kept.handleOf(bytes))
  const held = new Map<SessionId, Held>()

  const storeOf = (sessionId: SessionId): SessionStore => {
    const session = held.get(sessionId)
    if (!session) return kept
    session.usedAt = clock.now()
    return memory
  }

  const endAllOld = async () => {
    const now = clock.now()
    const old = [...held].filter(
      ([, { since, usedAt }]) => now - usedAt > UNUSED_MS || now - since > MAX_AGE_MS,
    )
    for (const [sessionId] of old) await endOld(sessionId)
  }

  return {
    admit(sessionId, personId, partner) {
      const theirs = [...held.values()].filter((session) => session.personId === personId)
      if (held.size >= MAX_SESSIONS || theirs.length >= MAX_PER_PERSON) throw tooMany()
      const now = clock.now()
      held.set(sessionId, { partner, personId, since: now, usedAt: now, length: 0 })
    },

    holds: (sessionId, partner) => held.get(sessionId)?.partner === partner,
    forget: (sessionId) => void held.delete(sessionId),

    store: {
      create: (session, ...rest) => storeOf(session.id).create(session, ...rest),
      find: (sessionId, signal) => storeOf(sessionId).find(sessionId, signal),
      list: (query) => kept.list(query),
      rename: (sessionId, title) => storeOf(sessionId).rename(sessionId, title),

      async end(sessionId, at) {
        const store = storeOf(sessionId)
        await store.end(sessionId, at)
        if (store === memory) await this.remove(sessionId)
      },

      async remove(sessionId) {
        await storeOf(sessionId).remove(sessionId)
        held.delete(sessionId)
      },

      async begin(opening) {
        const { sessionId, question } = opening
        const session = held.get(sessionId)
        if (session && question.kind === 'new') {
          const length = session.length + JSON.stringify(question.message.content).length + mediaIn(question)
          if (length > MAX_LENGTH) throw tooLong()
          session.length = length
        }
        return storeOf(sessionId).begin(opening)
      },

      findOpening: (sessionId, key) => storeOf(sessionId).findOpening(sessionId, key),
      append: (lease, batch) => storeOf(lease.sessionId).append(lease, batch),
      takeOver: (turn) => storeOf(turn.sessionId).takeOver(turn),
      giveUp: (lease) => storeOf(lease.sessionId).giveUp(lease),

      async listInterrupted(limit) {
        await endAllOld()
        return kept.listInterrupted(limit)
      },

      askToCancel: (turn) => storeOf(turn.sessionId).askToCancel(turn),
      watchCancel: (lease, cancel) => storeOf(lease.sessionId).watchCancel(lease, cancel),
      note: (note) => storeOf(note.sessionId).note(note),
      readMessages: (sessionId, range) => storeOf(sessionId).readMessages(sessionId, range),
      readTail: (sessionId, ...rest) => storeOf(sessionId).readTail(sessionId, ...rest),
      findOpeningEvent: (sessionId, question) => storeOf(sessionId).findOpeningEvent(sessionId, question),
      readEvents: (sessionId, range) => storeOf(sessionId).readEvents(sessionId, range),
      handleOf: (bytes) => kept.handleOf(bytes),
      getMedia: (sessionId, handle) => storeOf(sessionId).getMedia(sessionId, handle),
    },
  }
}

const mediaIn = ({ media = [] }: { readonly media?: readonly { readonly bytes: Uint8Array }[] }): number =>
  media.reduce((sum, { bytes }) => sum + bytes.length, 0)

const tooMany = () =>
  new PlatformError('rate_limited', {
    message:
      'Too many off-record sessions are running. End one, try again later, or start this one on the record.',
  })

const tooLong = () =>
  new PlatformError('payload_too_large', {
    message:
      'An off-record session holds at most 2 MB of messages. End it and start another, or continue on the record.',
  })
