import { setTimeout as delay } from 'node:timers/promises'
import type Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError, type SessionId, type SessionMessage, createMediaHandle } from '@parley/contracts'
import type { AgentSessionRecord, SessionQuery, SessionStore } from '@parley/engine'
import { isDamage } from '../file/history-error.ts'
import { createCancelWatch } from './cancel-watch.ts'
import { createOwnTurns } from './own-turns.ts'
import {
  type MessageRow,
  parseMediaHandle,
  hashMedia,
  parseEventRows,
  parseMessageRow,
  parseRepeatedTurnRow,
  parseSessionRow,
} from './rows.ts'
import { type HistoryStoreHost, createSessionWrites, reportTakenAsBusy } from './session-writes.ts'
import { prepareStatements } from './statements.ts'
import { createTurnStore } from './turn-store.ts'

export interface ClosableStore extends SessionStore {
  close: () => void
}

export function createSqliteSessionStore(database: Database): ClosableStore {
  addTextSearch(database)
  const statements = prepareStatements(database)
  const own = createOwnTurns()
  const host: HistoryStoreHost = { statements, own }
  const sessionWrites = createSessionWrites(database, host)
  const turnStore = createTurnStore(database, host)
  const cancelWatch = createCancelWatch(() => statements.findCancelRequests.all())

  return {
    ...turnStore,

    create: async (session, started, past = []) => sessionWrites.create.immediate(session, started, past),
    find: async (sessionId) => findSession(sessionId, host),
    list: async (query) => listSessions(query, host),
    rename: async (sessionId, title) => sessionWrites.rename.immediate(sessionId, title),
    end: async (sessionId, at) => sessionWrites.end.immediate(sessionId, at),
    async remove(sessionId) {
      sessionWrites.remove.immediate(sessionId)
      await wipeRemoved(database)
    },

    async findRepeatedTurn(sessionId, idempotencyKey) {
      const row = statements.findRepeatedTurn.get(sessionId, idempotencyKey)
      return row && parseRepeatedTurnRow(row)
    },

    listInterrupted: async (limit) => listInterruptedTurns(limit, host),

    async requestCancel(turn) {
      const epoch = sessionWrites.requestCancel.immediate(turn)
      if (epoch === undefined) return false
      cancelWatch.cancelTurn({ id: turn.sessionId, lease_epoch: epoch })
      return true
    },

    watchCancel: (lease, cancel) => cancelWatch.watch(lease, cancel),

    readMessages: async (sessionId, range) => readMessages(sessionId, range, host),
    readTail: async (sessionId, limit) =>
      statements.readTail.all(sessionId, limit).map(parseMessageRow).toReversed(),
    findOpeningEventNumber: async (sessionId, question) =>
      statements.findOpeningEvent.get(sessionId, question)?.event_last ?? 0,
    async readEvents(sessionId, { after, limit }) {
      const rows = statements.readEvents.all({ session_id: sessionId, after, limit })
      return parseEventRows(rows, { after, limit })
    },

    writeBetweenTurns: async (write) =>
      reportTakenAsBusy(write, () => sessionWrites.writeBetweenTurns.immediate(write)),

    toMediaHandle: (bytes) => createMediaHandle(hashMedia(bytes).toString('hex')),
    async getMedia(sessionId, handle) {
      const row = statements.findMedia.get({ session_id: sessionId, sha256: parseMediaHandle(handle) })
      return row && { mediaType: row.media_type, bytes: row.bytes }
    },

    close() {
      cancelWatch.stop()
      for (const lease of own.list()) turnStore.giveUpLease(lease)
      database.close()
    },
  }
}

function findSession(
  sessionId: SessionId,
  { statements, own }: HistoryStoreHost,
): AgentSessionRecord | undefined {
  const row = statements.findSession.get(sessionId)
  return row && parseSessionRow(row, own.getOpenTurn(row))
}

function listSessions(
  { ownerId, search, channel, status, turn, reflectionId, limit, cursor }: SessionQuery,
  { statements, own }: HistoryStoreHost,
): Awaited<ReturnType<SessionStore['list']>> {
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
  const rows = search === undefined ? statements.list.all(range) : statements.search.all({ ...range, search })
  const last = rows[limit - 1]
  return {
    items: rows.slice(0, limit).map((row) => parseSessionRow(row, own.getOpenTurn(row))),
    ...(rows.length > limit && last && { nextCursor: toCursor(last) }),
  }
}

const listInterruptedTurns = (limit: number, { statements, own }: HistoryStoreHost) =>
  statements.findOpenTurns
    .all()
    .flatMap((row) => {
      const open = own.getOpenTurn(row)
      return open?.state === 'interrupted' ? [{ sessionId: row.id, turnId: open.turnId }] : []
    })
    .slice(0, limit)

function readMessages(
  sessionId: SessionId,
  { after, limit, maxBytes = Infinity }: Parameters<SessionStore['readMessages']>[1],
  { statements }: HistoryStoreHost,
): readonly SessionMessage[] {
  const rows: MessageRow[] = []
  let bytes = 0
  for (const row of statements.readMessages.iterate({ session_id: sessionId, after, limit })) {
    rows.push(row)
    bytes += Buffer.byteLength(row.content)
    if (bytes >= maxBytes) break
  }
  return rows.map(parseMessageRow)
}

interface ListPosition {
  readonly updated_at: string
  readonly id: string
}

/** Sorts after every date and every id. */
const FIRST_POSITION: ListPosition = { updated_at: '~', id: '~' }

/** Where a page of the list begins. */
function readCursor(cursor: string | undefined): ListPosition {
  if (cursor === undefined) return FIRST_POSITION
  const [updated_at, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (updated_at && id && rest.length === 0) return { updated_at, id }
  throw new PlatformError('validation', {
    message: 'The cursor is invalid. Leave it out to start at the first page.',
  })
}

const toCursor = ({ updated_at, id }: ListPosition): string =>
  Buffer.from(`${updated_at} ${id}`).toString('base64url')

/** Adds case-insensitive search in any script, limited to the text of messages. */
export function addTextSearch(database: Database): void {
  let needle = createNeedle('')
  const getNeedle = (search: string) => (needle = needle.search === search ? needle : createNeedle(search))
  const options = { deterministic: true }

  database.function('text_holds', options, (text: string | null, search: string) =>
    Number(foldCase(text ?? '').includes(getNeedle(search).folded)),
  )

  database.function('content_holds', options, (content: string, search: string) => {
    const { folded, asJson } = getNeedle(search)
    // Most messages do not contain it, and parsing them as JSON takes far longer.
    if (!foldCase(content).includes(asJson)) return 0
    const parts: SessionMessage['content'] = JSON.parse(content)
    return Number(parts.some((part) => foldCase(readPartText(part)).includes(folded)))
  })
}

const createNeedle = (search: string) => ({
  search,
  folded: foldCase(search),
  asJson: foldCase(JSON.stringify(search).slice(1, -1)),
})

/** A final sigma has its own form, and in JSON another letter may be the final one. */
const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

function readPartText(part: SessionMessage['content'][number]): string {
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
