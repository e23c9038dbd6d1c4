import { setTimeout as delay } from 'node:timers/promises'
import type Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError, type SessionId, type SessionMessage } from '@parley/contracts'
import type { Lease, SessionStore } from '@parley/engine'
import { isDamage } from '../file/history-error.ts'
import { createCancelWatch } from './cancel-watch.ts'
import { createOwnTurns } from './own-turns.ts'
import {
  type MessageRow,
  type SessionRow,
  handleOf,
  hashOfHandle,
  hashOf,
  toEvents,
  toMessage,
  toOpenedTurn,
  toRecord,
} from './rows.ts'
import { createSessionWrites, createTurnWrites } from './session-writes.ts'
import { prepareStatements } from './statements.ts'

export interface ClosableStore extends SessionStore {
  close: () => void
}

export function sqliteSessionStore(database: Database): ClosableStore {
  addTextSearch(database)
  const statements = prepareStatements(database)
  const own = createOwnTurns()
  const sessionWrites = createSessionWrites(database, statements)
  const turnWrites = createTurnWrites(database, statements, own)
  const cancelWatch = createCancelWatch(() => statements.findCancelRequests.all())

  const record = (row: SessionRow) => toRecord(row, own.openTurnOf(row))

  /** The turn becomes interrupted. Until another takes it over, writes with its lease still count. */
  const giveUp = (lease: Pick<Lease, 'sessionId' | 'epoch'>) => {
    own.giveUp(lease)
    try {
      statements.giveUpLease.run({ id: lease.sessionId, epoch: lease.epoch })
      own.forget(lease)
    } catch {
      // Nothing can be written; other processes notice when this one ends.
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
      // A history has no sessions with reflections.
      if (reflectionId !== undefined) return { items: [] }
      const range = {
        ...readCursor(cursor),
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
      return statements.findOpenTurns
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
      cancelWatch.cancelTurn({ id: turn.sessionId, lease_epoch: epoch })
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
      return toEvents(statements.readEvents.all({ session_id: sessionId, after, limit }), { after, limit })
    },

    note: async (note) => busyIfTaken(note, () => sessionWrites.note.immediate(note)),

    handleOf: (bytes) => handleOf(hashOf(bytes)),

    async getMedia(sessionId, handle) {
      const row = statements.findMedia.get({ session_id: sessionId, sha256: hashOfHandle(handle) })
      return row && { mediaType: row.media_type, bytes: row.bytes }
    },

    close() {
      cancelWatch.stop()
      for (const lease of own.list()) giveUp(lease)
      database.close()
    },
  }
}

/** A used number or key means that another process writes here. */
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

interface Place {
  readonly updated_at: string
  readonly id: string
}

/** Sorts after every date and every id. */
const START: Place = { updated_at: '~', id: '~' }

/** Where a page of the list begins. */
function readCursor(cursor: string | undefined): Place {
  if (cursor === undefined) return START
  const [updated_at, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (updated_at && id && rest.length === 0) return { updated_at, id }
  throw new PlatformError('validation', {
    message: 'The cursor is invalid. Leave it out to start at the first page.',
  })
}

const toCursor = ({ updated_at, id }: Place): string =>
  Buffer.from(`${updated_at} ${id}`).toString('base64url')

/** Adds case-insensitive search in any script, limited to the text of messages. */
export function addTextSearch(database: Database): void {
  let needle = createNeedle('')
  const needleFor = (search: string) => (needle = needle.search === search ? needle : createNeedle(search))
  const options = { deterministic: true }

  database.function('text_holds', options, (text: string | null, search: string) =>
    Number(fold(text ?? '').includes(needleFor(search).folded)),
  )

  database.function('content_holds', options, (content: string, search: string) => {
    const { folded, asJson } = needleFor(search)
    // Most messages do not contain it, and parsing them as JSON takes far longer.
    if (!fold(content).includes(asJson)) return 0
    const parts: SessionMessage['content'] = JSON.parse(content)
    return Number(parts.some((part) => fold(textOf(part)).includes(folded)))
  })
}

const createNeedle = (search: string) => ({
  search,
  folded: fold(search),
  asJson: fold(JSON.stringify(search).slice(1, -1)),
})

/** A final sigma has its own form, and in JSON another letter may be the final one. */
const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

function textOf(part: SessionMessage['content'][number]): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  return part.type === 'tool_result' ? part.outcome.text : ''
}

const PATIENCE_MS = 5_000
const PAUSE_MS = 20

/** Removes the last traces of removed rows from the file and its log. */
export async function wipeRemoved(database: Database, patienceMs = PATIENCE_MS): Promise<void> {
  try {
    // SQLite overwrites a removed row, but not the copies that it left when it moved rows between pages:
    // docs/decisions/0010-removing-a-session-vacuums-the-history.md
    database.exec('vacuum')
    const deadline = Date.now() + patienceMs
    while (!tryToTruncateLog(database)) {
      if (Date.now() > deadline) throw new Error('another program is reading it')
      await delay(PAUSE_MS)
    }
  } catch (cause) {
    throw isDamage(cause) ? cause : createWipeError(cause)
  }
}

/** False while another process reads or writes. Does not wait, since this thread also runs turns. */
function tryToTruncateLog(database: Database): boolean {
  const patience = database.pragma('busy_timeout', { simple: true })
  database.pragma('busy_timeout = 0')
  try {
    return database.pragma('wal_checkpoint(truncate)', { simple: true }) === 0
  } finally {
    database.pragma(`busy_timeout = ${String(patience)}`)
  }
}

function createWipeError(cause: unknown): PlatformError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `The session was removed, but some of its text may still be in unused parts of the history (${reason}). Removing the next session deletes it, too: close other programs that use the history, and free disk space if it is full.`
  return new PlatformError('history_unwritable', { message }, { cause })
}
