import { setTimeout as pause } from 'node:timers/promises'
import { type MediaHandle, PlatformError, type SessionId, type TurnId } from '@parley/contracts'
import {
  type Lease,
  type Note,
  type SessionStore,
  type TurnOpening,
  areConsecutive,
  areRising,
  isStored,
  listMedia,
  packEvent,
  packEvents,
} from '@parley/engine'
import { sha256Hex } from '../hashes.ts'
import { codeOf } from '../login/database-error.ts'
import { newLockKey } from '../login/guarded-client.ts'
import { timeCursor, toPage } from '../pages.ts'
import type { Presence } from '../presence.ts'
import type { Run } from '../run-statements.ts'
import { appendStatement, mediaColumns } from './append-statement.ts'
import { createCancelWatch, limitConcurrency } from './cancel-watch.ts'
import { listStatement } from './list-statement.ts'
import {
  type EventsRow,
  type LeaseRow,
  type MediaRow,
  type MessageRow,
  type OpeningRow,
  type SessionRow,
  messageColumns,
  toEvents,
  toLease,
  toMessage,
  toOpenedTurn,
  toRecord,
} from './rows.ts'
import * as sql from './statements.ts'

export interface SessionStoreHost {
  readonly run: Run
  readonly presence: Presence
  /** Aborted when the database is being closed. */
  readonly closing: AbortSignal
}

const GIVE_UP_MS = 1_000
const SEARCHES_AT_ONCE = 2
/** A process that lost its connection is back within this time; until then it does not count as dead. */
const GRACE_MS = 300
/** If we lost our own connection, so did all others, and all come back at once. */
const RETURN_MS = 5_000
/** The first retry comes soon, later ones less often, to spare the database. */
const RETRY_MS = 100
const MAX_RETRY_MS = 1_000
/** The longest wait of a caller. */
const MAX_WAIT_MS = 10_000
const UNIQUE_VIOLATION = '23505'

/** The store of sessions. Begin and append, which every turn waits for, take one statement and one round trip each. */
export function postgresSessionStore({ run, presence, closing }: SessionStoreHost): SessionStore {
  const cancels = createCancelWatch(run, presence)

  /** Retries while the database does not answer; with `isAgain` an earlier attempt may have succeeded. */
  const retryWhileUnavailable = async <T>(
    attempt: (isAgain: boolean) => Promise<T>,
    mostMs = Infinity,
  ): Promise<T> => {
    const began = performance.now()
    for (let waitMs = 0; ; waitMs = Math.min(waitMs * 2 || RETRY_MS, MAX_RETRY_MS)) {
      if (waitMs > 0) await pause(waitMs, undefined, { ref: false })
      try {
        return await attempt(waitMs > 0)
      } catch (error) {
        const isOver = closing.aborted || performance.now() - began > mostMs
        if (isOver || codeOf(error) !== 'database_unavailable') throw error
      }
    }
  }

  const explainRefusal = async (sessionId: SessionId): Promise<PlatformError> => {
    const [row] = await run<{ status: string; lease_turn_id: TurnId | null }>(sql.FIND_STATE, [sessionId])
    if (!row) return new PlatformError('session_not_found', { sessionId })
    if (row.status === 'ended') return new PlatformError('session_ended', { sessionId })
    return createBusyError(sessionId, row.lease_turn_id)
  }

  /**
   * Releases a turn whose end could not be written, or that may have begun: our own presence would keep its lease for ever.
   * Delayed, since the statement may still be running.
   */
  const giveUp = async (turn: Pick<Lease, 'sessionId' | 'turnId'> & Partial<Lease>): Promise<void> => {
    await pause(GIVE_UP_MS, undefined, { ref: false })
    await retryWhileUnavailable(async () => {
      const values = [turn.sessionId, turn.turnId, turn.epoch, await presence.key(), newLockKey()]
      await run(sql.GIVE_UP, values)
    }).catch(() => (closing.aborted ? undefined : giveUp(turn)))
  }

  /** The lease of a turn that we may have opened; `lost` if another process took it over, undefined if it is not open. */
  const findOpenedLease = async (opening: TurnOpening): Promise<Lease | 'lost' | undefined> => {
    const values = [opening.sessionId, opening.turnId, await presence.key()]
    const [row] = await run<LeaseRow & { is_held: boolean }>(sql.FIND_OPENED, values)
    if (!row) return undefined
    return row.is_held ? toLease(opening, row, row.event_last) : 'lost'
  }

  const readEvents: SessionStore['readEvents'] = async (sessionId, { after, limit }) => {
    return toEvents(await run<EventsRow>(sql.READ_EVENTS, [sessionId, after, limit]), { after, limit })
  }

  const runBegin = ({ sessionId, turnId, question, event, reserve }: TurnOpening, holder: string) => {
    const message = question.kind === 'new' ? question.message : undefined
    const row = message && { sequenceNumber: 0, turnId, timestamp: message.timestamp }
    const of = { message: question.kind === 'stored' ? question.sequenceNumber : 0, part: 0 }
    const [, body, more] = packEvent({ ...event, of }, 0, row)
    const packed = [JSON.stringify(body), JSON.stringify(more)]
    const shared = [sessionId, holder, turnId, reserve, ...packed, event.timestamp]
    if (question.kind === 'stored') {
      const { messageCount } = question
      return run<LeaseRow>(sql.BEGIN_STORED, [...shared, messageCount])
    }
    const { title, media = [], idempotencyKey = null } = question
    const { id, timestamp } = question.message
    const values = [...shared, title, id, JSON.stringify(question.message.content), timestamp, idempotencyKey]
    if (media.length === 0) return run<LeaseRow>(sql.BEGIN, values)
    return run<LeaseRow>(sql.BEGIN_WITH_MEDIA, [...values, ...mediaColumns(media)])
  }

  // A search reads everything: only a few at a time, so that connections stay free for turns.
  const limitSearches = limitConcurrency(SEARCHES_AT_ONCE)

  return {
    async create(session, started, past = [], signal) {
      const values = [
        session.id,
        session.ownerId,
        session.channel,
        session.status,
        session.title,
        session.agentSlug,
        JSON.stringify(session.agentSnapshot),
        JSON.stringify(session.context),
        session.messageCount,
        session.createdAt,
        session.updatedAt,
        started.sequenceNumber,
        packEvents([started]),
        ...messageColumns(past),
        listMedia(past).map(hashOfHandle),
      ]
      await run(sql.CREATE, values, signal)
    },

    async find(sessionId, signal) {
      const [row] = await run<SessionRow>(sql.FIND, [sessionId], signal)
      return row && toRecord(row)
    },

    async list(query) {
      const read = () => run<SessionRow>(...listStatement(query))
      const rows = await (query.search === undefined ? read() : limitSearches(read))
      return toPage(query, rows, toRecord, (last) => timeCursor(last.updated_at, last.id))
    },

    async rename(sessionId, title) {
      const [row] = await run(sql.RENAME, [sessionId, title])
      if (!row) throw new PlatformError('session_not_found', { sessionId })
    },

    async end(sessionId, at) {
      const [row] = await run(sql.END, [sessionId, at])
      if (!row) throw await explainRefusal(sessionId)
    },

    async remove(sessionId) {
      const [row] = await run<{ removed: boolean }>(sql.REMOVE, [sessionId])
      if (!row?.removed) throw await explainRefusal(sessionId)
    },

    async begin(opening) {
      const { sessionId } = opening
      const attempt = async (isAgain: boolean): Promise<Lease | 'lost'> => {
        const opened = async () => (isAgain ? findOpenedLease(opening) : undefined)
        const before = await opened()
        if (before) return before
        const rows = await runBegin(opening, await presence.key()).catch((error: unknown) => {
          if (codeOf(error) === UNIQUE_VIOLATION) return []
          throw error
        })
        const [row] = rows
        if (row) return toLease(opening, row, row.event_last)
        // The earlier attempt may have succeeded: then the open turn is our own.
        const late = await opened()
        if (late) return late
        throw await explainRefusal(sessionId)
      }
      const lease = await retryWhileUnavailable(attempt, MAX_WAIT_MS).catch((error: unknown) => {
        if (codeOf(error) === 'database_unavailable') void giveUp(opening)
        throw error
      })
      if (lease === 'lost') throw createTakenOverError(sessionId)
      return lease
    },

    giveUp: (lease) => void giveUp(lease),

    async takeOver(turn) {
      const { sessionId, turnId, state, reserve, lastSequence = null } = turn
      // If our connection is lost, those of others are too: nobody counts as dead before we are back.
      const holder = await presence.key()
      const [turnHolder] = await run<{ lease_holder: string | null }>(sql.FIND_DEAD_HOLDER, [
        sessionId,
        turnId,
      ])
      if (!turnHolder) return undefined
      if (turnHolder.lease_holder !== null)
        await pause(Math.max(GRACE_MS, RETURN_MS - presence.sinceReturn()))
      const values = [
        sessionId,
        holder,
        turnId,
        reserve,
        state === 'waiting',
        turnHolder.lease_holder,
        lastSequence,
      ]
      try {
        const [row] = await run<LeaseRow>(sql.TAKE_OVER, values)
        return row && toLease(turn, row, row.event_reserved - reserve)
      } catch (error) {
        void giveUp(turn)
        throw error
      }
    },

    async listInterrupted(limit) {
      const rows = await run<{ id: SessionId; lease_turn_id: TurnId }>(sql.LIST_INTERRUPTED, [limit])
      if (rows.length === 0) await run(sql.FORGET_DEAD)
      return rows.map(({ id, lease_turn_id }) => ({ sessionId: id, turnId: lease_turn_id }))
    },

    handleOf: (bytes) => `media://sha256-${sha256Hex(bytes)}`,

    async getMedia(sessionId, handle) {
      const [row] = await run<MediaRow>(sql.GET_MEDIA, [sessionId, hashOfHandle(handle)])
      return row && { mediaType: row.media_type, bytes: row.bytes }
    },

    askToCancel: (turn) => cancels.request(turn),
    watchCancel: (lease, cancel) => cancels.watch(lease, cancel),

    async findOpening(sessionId, idempotencyKey) {
      const [row] = await run<OpeningRow>(sql.FIND_OPENING, [sessionId, idempotencyKey])
      return row && toOpenedTurn(row)
    },

    async append(lease, batch) {
      const { sessionId, turnId } = lease
      if (!areConsecutive(batch.messages) || !areRising(batch.events))
        throw createBusyError(sessionId, turnId)
      await retryWhileUnavailable(async (isAgain) => {
        try {
          const [row] = await run(...appendStatement(lease, batch))
          if (row) return
        } catch (error) {
          if (codeOf(error) !== UNIQUE_VIOLATION) throw error
        }
        if (!isAgain || !(await isStored(batch, sessionId, { readEvents })))
          throw createBusyError(sessionId, turnId)
      })
    },

    async note({ sessionId, event, message, costs }) {
      const values = [
        sessionId,
        ...packNote(event, message),
        message?.sequenceNumber,
        JSON.stringify(costs),
        message?.id,
        message?.role,
        JSON.stringify(message?.content),
        message?.modelId,
        JSON.stringify(message?.marker),
        message?.timestamp,
      ]
      const [row] = await run<{ event_last: number }>(sql.NOTE, values)
      if (row) return row.event_last
      const reason = await explainRefusal(sessionId)
      throw reason.code === 'session_ended' ? createBusyError(sessionId, null) : reason
    },

    async readMessages(sessionId, { after, limit, maxBytes }) {
      const range = [sessionId, after, limit]
      const rows = await (maxBytes === undefined
        ? run<MessageRow>(sql.READ_MESSAGES, range)
        : run<MessageRow>(sql.READ_MESSAGES_UP_TO, [...range, maxBytes]))
      return rows.map(toMessage)
    },

    async readTail(sessionId, limit, signal) {
      // A running turn waits for it; a caller with a deadline does not.
      const read = () => run<MessageRow>(sql.READ_TAIL, [sessionId, limit], signal)
      const rows = await retryWhileUnavailable(read, signal ? 0 : MAX_WAIT_MS)
      return rows.map(toMessage).toReversed()
    },

    async findOpeningEvent(sessionId, question) {
      const find = () => run<{ event_last: number }>(sql.FIND_EVENT_OF, [sessionId, question])
      const [row] = await retryWhileUnavailable(find, MAX_WAIT_MS)
      return row?.event_last ?? 0
    },

    readEvents,
  }
}

const hashOfHandle = (handle: MediaHandle) => Buffer.from(handle.slice('media://sha256-'.length), 'hex')

const createBusyError = (sessionId: SessionId, turnId: TurnId | null) =>
  new PlatformError('session_busy', { sessionId, ...(turnId && { turnId }) })

const createTakenOverError = (sessionId: SessionId) =>
  new PlatformError('database_unavailable', {
    sessionId,
    message:
      'The database was unavailable. Your message is stored, but its turn was ended: continue the turn.',
  })

function packNote(event: Note['event'], message: Note['message']): readonly string[] {
  const [, body, more] = packEvent(event, 0, message)
  return [JSON.stringify(body), JSON.stringify(more)]
}
