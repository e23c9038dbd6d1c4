import { type PersonId, PlatformError, type SessionId } from '@parley/contracts'
import { type Clock, createMemorySessionStore, type SessionStore, type Sessions } from '@parley/engine'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import { endSession } from './end-session.ts'

/** What a session is with. One with a reflection has a stored row, one with an agent of the server has none. */
type Partner = 'reflection' | 'agent'

/** Sessions that exist only in the memory of this process. */
export interface OffRecord {
  /** The store of all sessions: memory for those off the record, the given store for the others. */
  readonly store: SessionStore
  /** Keeps the session that will be created under this id off the record. Throws if there are too many. */
  admit(sessionId: SessionId, personId: PersonId, partner: Partner): void
  /** Whether this process has the session in memory, with such a partner. */
  holds(sessionId: SessionId, partner: Partner): boolean
  /** Call it if the session was not created. */
  forget(sessionId: SessionId): void
  /** Ends the sessions that are too old, or unused for too long. */
  endOld(): Promise<void>
}

interface OffRecordHost {
  readonly durableStore: SessionStore
  readonly clock: Clock
  readonly endHeldSession: (sessionId: SessionId) => Promise<void>
}

const MAX_SESSIONS = 200
const MAX_PER_PERSON = 5
const UNUSED_MS = 30 * 60_000
const MAX_AGE_MS = 24 * 3_600_000
/** The length of everything that a person says in one session, in UTF-16 units of JSON. */
const MAX_LENGTH = 2_000_000

interface HeldSession {
  readonly partner: Partner
  readonly personId: PersonId
  readonly since: number
  usedAt: number
  length: number
}

export function createOffRecord({ durableStore, clock, endHeldSession }: OffRecordHost): OffRecord {
  const memory = createMemorySessionStore((bytes) => durableStore.toMediaHandle(bytes))
  const heldSessions = new Map<SessionId, HeldSession>()

  const selectStore = (sessionId: SessionId): SessionStore => {
    const session = heldSessions.get(sessionId)
    if (!session) return durableStore
    session.usedAt = clock.now()
    return memory
  }

  return {
    admit(sessionId, personId, partner) {
      const theirs = [...heldSessions.values()].filter((session) => session.personId === personId)
      if (heldSessions.size >= MAX_SESSIONS || theirs.length >= MAX_PER_PERSON) throw createTooManyError()
      const now = clock.now()
      heldSessions.set(sessionId, { partner, personId, since: now, usedAt: now, length: 0 })
    },

    holds: (sessionId, partner) => heldSessions.get(sessionId)?.partner === partner,
    forget: (sessionId) => void heldSessions.delete(sessionId),

    async endOld() {
      const now = clock.now()
      const old = [...heldSessions].filter(
        ([, { since, usedAt }]) => now - usedAt > UNUSED_MS || now - since > MAX_AGE_MS,
      )
      for (const [sessionId] of old) await endHeldSession(sessionId)
    },

    store: {
      create: (session, ...rest) => selectStore(session.id).create(session, ...rest),
      find: (sessionId, signal) => selectStore(sessionId).find(sessionId, signal),
      list: (query) => durableStore.list(query),
      rename: (sessionId, title) => selectStore(sessionId).rename(sessionId, title),

      async end(sessionId, at) {
        const store = selectStore(sessionId)
        await store.end(sessionId, at)
        if (store === memory) await this.remove(sessionId)
      },

      async remove(sessionId) {
        await selectStore(sessionId).remove(sessionId)
        heldSessions.delete(sessionId)
      },

      async beginTurn(beginning) {
        const { sessionId, question } = beginning
        const session = heldSessions.get(sessionId)
        if (session && question.kind === 'new') {
          const length =
            session.length + JSON.stringify(question.message.content).length + countMediaBytes(question)
          if (length > MAX_LENGTH) throw createTooLongError()
          session.length = length
        }
        return selectStore(sessionId).beginTurn(beginning)
      },

      findRepeatedTurn: (sessionId, key) => selectStore(sessionId).findRepeatedTurn(sessionId, key),
      append: (lease, batch) => selectStore(lease.sessionId).append(lease, batch),
      takeOver: (turn) => selectStore(turn.sessionId).takeOver(turn),
      giveUpLease: (lease) => selectStore(lease.sessionId).giveUpLease(lease),
      listInterrupted: (limit) => durableStore.listInterrupted(limit),
      requestCancel: (turn) => selectStore(turn.sessionId).requestCancel(turn),
      watchCancel: (lease, cancel) => selectStore(lease.sessionId).watchCancel(lease, cancel),
      writeBetweenTurns: (note) => selectStore(note.sessionId).writeBetweenTurns(note),
      readMessages: (sessionId, range) => selectStore(sessionId).readMessages(sessionId, range),
      readTail: (sessionId, ...rest) => selectStore(sessionId).readTail(sessionId, ...rest),
      findOpeningEventNumber: (sessionId, question) =>
        selectStore(sessionId).findOpeningEventNumber(sessionId, question),
      readEvents: (sessionId, range) => selectStore(sessionId).readEvents(sessionId, range),
      toMediaHandle: (bytes) => durableStore.toMediaHandle(bytes),
      getMedia: (sessionId, handle) => selectStore(sessionId).getMedia(sessionId, handle),
    },
  }
}

const countMediaBytes = ({
  media = [],
}: {
  readonly media?: readonly { readonly bytes: Uint8Array }[]
}): number => media.reduce((sum, { bytes }) => sum + bytes.length, 0)

const createTooManyError = () =>
  new PlatformError('rate_limited', {
    message:
      'Too many off-record sessions are running. End one, try again later, or start this one on the record.',
  })

const createTooLongError = () =>
  new PlatformError('payload_too_large', {
    message:
      'An off-record session holds at most 2 MB of messages. End it and start another, or continue on the record.',
  })

/** Ends a session that is off the record. Nothing of it stays but the row of one with a reflection. */
export async function endOffRecordSession(
  sessionId: SessionId,
  host: Parameters<typeof endSession>[1] & {
    readonly sessions: Pick<Sessions, 'cancel' | 'remove'>
    readonly sessionRows: Pick<ReflectionSessionStore, 'find'>
  },
): Promise<void> {
  await host.sessions.cancel(sessionId)
  await host.sessions.remove(sessionId)
  const session = await host.sessionRows.find(sessionId)
  if (session) await endSession(session, host)
}
