import { PlatformError, type SessionId } from '@parley/contracts'
import type { Lease, SessionStore } from '@parley/engine'
import type Database from 'better-sqlite3-multiple-ciphers'
import { createCancelWatch } from './cancel-watch.ts'
import { placeOf, toCursor } from './list-place.ts'
import { handleOf, hashIn, hashOf } from './media-hash.ts'
import { createOwnTurns } from './own-turns.ts'
import { type MessageRow, type SessionRow, toEvents, toMessage, toOpenedTurn, toRecord } from './rows.ts'
import { createSessionWrites } from './session-writes.ts'
import { prepareStatements } from './statements.ts'
import { addTextSearch } from './text-search.ts'
import { createTurnWrites } from './turn-writes.ts'
import { wipeRemoved } from './wipe-removed.ts'

export interface ClosableStore extends SessionStore {
  close: () => void
}

export function sqliteSessionStore(database: Database): ClosableStore {
  addTextSearch(database)
  const statements = prepareStatements(database)
  const own = createOwnTurns()
  const sessionWrites = createSessionWrites(database, statements)
  const turnWrites = createTurnWrites(database, statements, own)
  const cancelWatch = createCancelWatch(() => statements.findAsked.all())

  const record = (row: SessionRow) => toRecord(row, own.openTurnOf(row))

  /** The turn counts as interrupted then. Until another takes it over, what is written with its lease still counts. */
  const giveUp = (lease: Pick<Lease, 'sessionId' | 'epoch'>) => {
    own.giveUp(lease)
    try {
      statements.giveUpLease.run({ id: lease.sessionId, epoch: lease.epoch })
      own.forget(lease)
    } catch {
      // Nothing can be written; the other processes will see it when this one ends.
    }
  }

  return {
    async create(session, started, past = []) {
      sessionWrites.create.immediate(session, started, past)
    },

    async find(sessionId) {
      const row = statements.findSession.get(sessionId)
      return row && record(row)
    },

    async list({ ownerId, search, channel, status, turn, reflectionId, limit, cursor }) {
      // No session of a history is with a reflection.
      if (reflectionId !== undefined) return { items: [] }
      const range = {
        ...placeOf(cursor),
        owner_id: ownerId ?? null,
        channel: channel ?? null,
        status: status ?? null,
        waits: turn === undefined ? (0 as const) : (1 as const),
        limit: limit + 1,
      }
      const rows =
        search === undefined ? statements.list.all(range) : statements.search.all({ ...range, search })
      const last = rows[limit - 1]
      return {
        items: rows.slice(0, limit).map(record),
        ...(rows.length > limit && last && { nextCursor: toCursor(last) }),
      }
    },

    async rename(sessionId, title) {
      sessionWrites.rename.immediate(sessionId, title)
    },

    async end(sessionId, at) {
      sessionWrites.end.immediate(sessionId, at)
    },

    async remove(sessionId) {
      sessionWrites.remove.immediate(sessionId)
      await wipeRemoved(database)
    },

    async begin(opening) {
      const lease = busyIfTaken(opening, () => turnWrites.begin.immediate(opening))
      own.hold(lease)
      return lease
    },

    async findOpening(sessionId, idempotencyKey) {
      const row = statements.findOpening.get(sessionId, idempotencyKey)
      return row && toOpenedTurn(row)
    },

    async append(lease, batch) {
      busyIfTaken(lease, () => turnWrites.append.immediate(lease, batch))
      if (batch.lease !== 'kept') own.forget(lease)
    },

    giveUp,

    async takeOver(turn) {
      const lease = turnWrites.takeOver.immediate(turn)
      if (lease) own.hold(lease)
      return lease
    },

    async listInterrupted(limit) {
      return statements.findHeld
        .all()
        .flatMap((row) => {
          const open = own.openTurnOf(row)
          return open?.state === 'interrupted' ? [{ sessionId: row.id, turnId: open.turnId }] : []
        })
        .slice(0, limit)
    },

    async askToCancel(turn) {
      const epoch = turnWrites.askToCancel.immediate(turn)
      if (epoch === undefined) return false
      cancelWatch.tell({ id: turn.sessionId, lease_epoch: epoch })
      return true
    },

    watchCancel: (lease, cancel) => cancelWatch.watch(lease, cancel),

    async readMessages(sessionId, { after, limit, maxBytes = Infinity }) {
      const rows: MessageRow[] = []
      let bytes = 0
      for (const row of statements.readMessages.iterate({ session_id: sessionId, after, limit })) {
        rows.push(row)
        bytes += Buffer.byteLength(row.content)
        if (bytes >= maxBytes) break
      }
      return rows.map(toMessage)
    },

    async readTail(sessionId, limit) {
      return statements.readTail.all(sessionId, limit).map(toMessage).toReversed()
    },

    async findOpeningEvent(sessionId, question) {
      return statements.findEventOf.get(sessionId, question)?.event_last ?? 0
    },

    async readEvents(sessionId, { after, limit }) {
      const rows = statements.readEvents.all({ session_id: sessionId, after, limit })
      return rows
        .flatMap(toEvents)
        .filter(({ sequenceNumber }) => sequenceNumber > after)
        .slice(0, limit)
    },

    note: async (note) => busyIfTaken(note, () => sessionWrites.note.immediate(note)),

    handleOf: (bytes) => handleOf(hashOf(bytes)),

    async getMedia(sessionId, handle) {
      const row = statements.findMedia.get({ session_id: sessionId, sha256: hashIn(handle) })
      return row && { mediaType: row.media_type, bytes: row.bytes }
    },

    close() {
      cancelWatch.stop()
      for (const lease of own.list()) giveUp(lease)
      database.close()
    },
  }
}

/** A number or key that another has used says that another writes here. */
function busyIfTaken<T>({ sessionId, turnId }: { sessionId: SessionId; turnId?: string }, write: () => T): T {
  try {
    return write()
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
    throw isTaken
      ? new PlatformError('session_busy', { sessionId, ...(turnId && { turnId }) }, { cause: error })
      : error
  }
}
