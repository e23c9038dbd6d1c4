import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type SessionId, type TurnId } from '@parley/contracts'
import type { Batch, Lease, SessionStore } from '@parley/engine'
import type { Presence } from '../presence.ts'
import type { Run } from '../queries.ts'
import { codeOf } from '../server/unavailable.ts'
import { FIRST_PAGE, placeAfter, readCursor } from './list-cursor.ts'
import * as sql from './statements.ts'
import {
  type EventRow,
  type LeaseRow,
  type MessageRow,
  type OpeningRow,
  type SessionRow,
  toEvent,
  toLease,
  toMessage,
  toOpenedTurn,
  toRecord,
} from './rows.ts'

export interface SessionStoreHost {
  readonly run: Run
  readonly presence: Presence
  /** Aborted when the database is being closed. */
  readonly closing: AbortSignal
}

const GIVE_UP_MS = 1_000
const UNIQUE_VIOLATION = '23505'

/** Sessions in Postgres. Begin and append, which every turn waits for, are one statement and one round trip each. */
export function postgresSessionStore({ run, presence, closing }: SessionStoreHost): SessionStore {
  const whyNotBegun = async (sessionId: SessionId): Promise<PlatformError> => {
    const [row] = await run<{ status: string; lease_turn_id: TurnId | null }>(sql.WHY_NOT, [sessionId])
    if (!row) return new PlatformError('session_not_found', { sessionId })
    if (row.status === 'ended') return new PlatformError('session_ended', { sessionId })
    return busy(sessionId, row.lease_turn_id)
  }

  /**
   * Where even the end of a turn could not be written, or it is not known whether it began, nobody will end it,
   * and our own presence would keep its lease for ever. Later, since the statement may still be under way.
   */
  const giveUp = async (turn: Pick<Lease, 'sessionId' | 'turnId'>): Promise<void> => {
    await pause(GIVE_UP_MS, undefined, { ref: false })
    if (closing.aborted) return
    await run(sql.GIVE_UP, [turn.sessionId, turn.turnId]).catch(() => giveUp(turn))
  }

  return {
    async create(session, started) {
      await run(sql.CREATE, [
        session.id,
        session.ownerId,
        session.channel,
        session.status,
        session.title ?? null,
        session.agentSlug,
        JSON.stringify(session.agentSnapshot),
        JSON.stringify(session.context),
        session.messageCount,
        session.createdAt,
        session.updatedAt,
        started.sequenceNumber,
        JSON.stringify(started.body),
        started.timestamp,
      ])
    },

    async find(sessionId) {
      const [row] = await run<SessionRow>(sql.FIND, [sessionId])
      return row && toRecord(row)
    },

    async list({ ownerId, limit, cursor }) {
      const page = [limit + 1, ...(cursor === undefined ? FIRST_PAGE : readCursor(cursor))]
      const rows = await (ownerId === undefined
        ? run<SessionRow>(sql.LIST, page)
        : run<SessionRow>(sql.LIST_OF_OWNER, [...page, ownerId]))
      const items = rows.slice(0, limit).map(toRecord)
      const last = items.at(-1)
      return { items, ...(rows.length > limit && last && { nextCursor: placeAfter(last) }) }
    },

    async begin(opening) {
      const { sessionId, turnId, message, event, title, reserve, idempotencyKey } = opening
      const holder = await presence.key()
      try {
        const [row] = await run<LeaseRow>(sql.BEGIN, [
          sessionId,
          holder,
          turnId,
          reserve,
          title,
          message.timestamp,
          message.id,
          JSON.stringify(message.content),
          JSON.stringify(event.body),
          event.timestamp,
          idempotencyKey ?? null,
        ])
        if (row) return toLease(opening, row)
      } catch (error) {
        if (codeOf(error) === UNIQUE_VIOLATION) throw busy(sessionId, null)
        if (error instanceof PlatformError) void giveUp(opening)
        throw error
      }
      throw await whyNotBegun(sessionId)
    },

    async findOpening(sessionId, idempotencyKey) {
      const [row] = await run<OpeningRow>(sql.FIND_OPENING, [sessionId, idempotencyKey])
      return row && toOpenedTurn(row)
    },

    async append(lease, batch) {
      const { sessionId, turnId } = lease
      if (!areConsecutive(batch)) throw busy(sessionId, turnId)
      try {
        const [row] = await run(sql.APPEND, appendValues(lease, batch, presence.lastKey()))
        if (row) return
      } catch (error) {
        if (codeOf(error) === UNIQUE_VIOLATION) throw busy(sessionId, turnId)
        if (error instanceof PlatformError && batch.release) void giveUp(lease)
        throw error
      }
      throw busy(sessionId, turnId)
    },

    async readMessages(sessionId, { after, limit }) {
      return (await run<MessageRow>(sql.READ_MESSAGES, [sessionId, after, limit])).map(toMessage)
    },

    async readTail(sessionId, limit) {
      return (await run<MessageRow>(sql.READ_TAIL, [sessionId, limit])).map(toMessage).toReversed()
    },

    async readEvents(sessionId, { after, limit }) {
      return (await run<EventRow>(sql.READ_EVENTS, [sessionId, after, limit])).map(toEvent)
    },
  }
}

const busy = (sessionId: SessionId, turnId: TurnId | null) =>
  new PlatformError('session_busy', { sessionId, ...(turnId && { turnId }) })

const areConsecutive = ({ messages }: Batch) =>
  messages.every(({ sequenceNumber }, index) => sequenceNumber === (messages[0]?.sequenceNumber ?? 0) + index)

const appendValues = (
  { sessionId, epoch, turnId }: Lease,
  { messages, events, reservedUpTo, at, release }: Batch,
  holder: string,
): readonly unknown[] => [
  sessionId,
  epoch,
  turnId,
  messages[0] ? messages[0].sequenceNumber - 1 : null,
  release,
  holder,
  events.at(-1)?.sequenceNumber ?? null,
  reservedUpTo,
  at,
  messages.map(({ sequenceNumber }) => sequenceNumber),
  messages.map(({ id }) => id),
  messages.map(({ role }) => role),
  messages.map(({ content }) => JSON.stringify(content)),
  messages.map(({ modelId }) => modelId ?? null),
  messages.map(({ cutShort }) => cutShort ?? null),
  messages.map(({ timestamp }) => timestamp),
  events.map(({ sequenceNumber }) => sequenceNumber),
  events.map(({ fromSequence }) => fromSequence ?? null),
  events.map(({ body }) => JSON.stringify(body)),
  events.map(({ of }) => of?.message ?? null),
  events.map(({ of }) => of?.part ?? null),
  events.map(({ timestamp }) => timestamp),
]
