import { PlatformError, type SessionId } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import type Database from 'better-sqlite3-multiple-ciphers'
import { isAlive, newLeaseHolder } from './lease-holder.ts'
import { placeOf, toCursor } from './list-place.ts'
import { type LeaseRow, type SessionRow, toEvent, toMessage, toOpenedTurn, toRecord } from './rows.ts'
import { prepareStatements } from './statements.ts'
import { createWrites } from './writes.ts'

export interface ClosableStore extends SessionStore {
  close: () => void
}

/** A turn that this store began. It stays as `ended` where its release could not be written. */
interface OwnTurn {
  readonly epoch: number
  readonly state: 'running' | 'ended'
}

export function sqliteSessionStore(database: Database): ClosableStore {
  const statements = prepareStatements(database)
  const holder = newLeaseHolder()
  const turns = new Map<SessionId, OwnTurn>()
  const isRunning = ({ id, lease_holder }: SessionRow | LeaseRow): boolean =>
    lease_holder === holder
      ? turns.get(id)?.state === 'running'
      : lease_holder !== null && isAlive(lease_holder)
  const writes = createWrites(database, statements, { holder, isRunning })

  const record = (row: SessionRow) => toRecord(row, isRunning(row))

  return {
    async create(session, started) {
      writes.create.immediate(session, started)
    },

    async find(sessionId) {
      const row = statements.findSession.get(sessionId)
      return row && record(row)
    },

    async list({ ownerId, limit, cursor }) {
      const range = { ...placeOf(cursor), limit: limit + 1 }
      const rows =
        ownerId === undefined
          ? statements.listOfAll.all(range)
          : statements.listOfOwner.all({ ...range, owner_id: ownerId })
      const last = rows[limit - 1]
      return {
        items: rows.slice(0, limit).map(record),
        ...(rows.length > limit && last && { nextCursor: toCursor(last) }),
      }
    },

    async begin(opening) {
      const lease = busyIfTaken(opening, () => writes.begin.immediate(opening))
      turns.set(lease.sessionId, { epoch: lease.epoch, state: 'running' })
      return lease
    },

    async findOpening(sessionId, idempotencyKey) {
      const row = statements.findOpening.get(sessionId, idempotencyKey)
      return row && toOpenedTurn(row)
    },

    async append(lease, batch) {
      const { sessionId, epoch } = lease
      const endsTurn = batch.release && turns.get(sessionId)?.epoch === epoch
      if (endsTurn) turns.set(sessionId, { epoch, state: 'ended' })
      busyIfTaken(lease, () => writes.append.immediate(lease, batch))
      if (endsTurn) turns.delete(sessionId)
    },

    async readMessages(sessionId, { after, limit }) {
      return statements.readMessages.all({ session_id: sessionId, after, limit }).map(toMessage)
    },

    async readTail(sessionId, limit) {
      return statements.readTail.all(sessionId, limit).map(toMessage).toReversed()
    },

    async readEvents(sessionId, { after, limit }) {
      return statements.readEvents.all({ session_id: sessionId, after, limit }).map(toEvent)
    },

    close() {
      try {
        for (const sessionId of turns.keys()) statements.giveUpLease.run(sessionId, holder)
      } finally {
        turns.clear()
        database.close()
      }
    },
  }
}

/** A number or key that another has used says that another writes here. */
function busyIfTaken<T>({ sessionId, turnId }: { sessionId: SessionId; turnId: string }, write: () => T): T {
  try {
    return write()
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
    throw isTaken ? new PlatformError('session_busy', { sessionId, turnId }, { cause: error }) : error
  }
}
