import {
  type AgentSession,
  type MediaHandle,
  PlatformError,
  type SessionId,
  type SessionMessage,
  type TurnId,
  createMediaHandle,
  readMediaHash,
} from '@parley/contracts'
import {
  type BetweenTurnsWrite,
  type Media,
  type MessageColumns,
  type SessionStore,
  type StoredEvent,
  listMedia,
  packEvents,
  toSessionMessage,
} from '@parley/engine'
import { computeSha256Hex } from '../hashes.ts'
import { toPage, toTimeCursor } from '../pages.ts'
import { MAX_WAIT_MS, retryWhileUnavailable, findFirst } from '../run-statements.ts'
import { createCancelWatch } from './cancel-watch.ts'
import { packEventValues, selectEvents } from './event-rows.ts'
import { createBusyError, explainRefusal } from './explain-refusal.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { buildSessionList } from './list-statement.ts'
import {
  type MediaRow,
  type RepeatedTurnRow,
  type SessionRow,
  convertRepeatedTurnRow,
  convertSessionRow,
  toMessageColumns,
} from './rows.ts'
import * as sql from './statements.ts'
import { type SessionStoreHost, createTurnStore } from './turn-store.ts'

const MAX_CONCURRENT_SEARCHES = 2

/** The store of sessions. */
export function createPostgresSessionStore(host: SessionStoreHost): SessionStore {
  const { run, closing } = host
  const cancels = createCancelWatch(run, host.presence)
  // A search reads everything: only a few at a time, so that connections stay free for turns.
  const limitSearches = createConcurrencyLimit(MAX_CONCURRENT_SEARCHES)

  return {
    ...createTurnStore(host),

    async create(session, started, past = [], signal) {
      await run(sql.CREATE, toSessionValues(session, started, past), signal)
    },

    find: (sessionId, signal) => findFirst(run<SessionRow>(sql.FIND, [sessionId], signal), convertSessionRow),

    async list(query) {
      const read = () => run<SessionRow>(...buildSessionList(query))
      const rows = await (query.search === undefined ? read() : limitSearches(read))
      return toPage(query, rows, convertSessionRow, (last) => toTimeCursor(last.updated_at, last.id))
    },

    async rename(sessionId, title) {
      const [row] = await run(sql.RENAME, [sessionId, title])
      if (!row) throw new PlatformError('session_not_found', { sessionId })
    },

    async end(sessionId, at) {
      const [row] = await run(sql.END, [sessionId, at])
      if (!row) throw await explainRefusal(run, sessionId)
    },

    async remove(sessionId) {
      const [row] = await run<{ removed: boolean }>(sql.REMOVE, [sessionId])
      if (!row?.removed) throw await explainRefusal(run, sessionId)
    },

    async listInterrupted(limit) {
      const rows = await run<{ id: SessionId; lease_turn_id: TurnId }>(sql.LIST_INTERRUPTED, [limit])
      if (rows.length === 0) await run(sql.FORGET_DEAD)
      return rows.map(({ id, lease_turn_id }) => ({ sessionId: id, turnId: lease_turn_id }))
    },

    toMediaHandle: (bytes) => createMediaHandle(computeSha256Hex(bytes)),

    getMedia: (sessionId, handle) =>
      findFirst(run<MediaRow>(sql.GET_MEDIA, [sessionId, parseMediaHandle(handle)]), toMedia),

    requestCancel: (turn) => cancels.request(turn),
    watchCancel: (lease, cancel) => cancels.watch(lease, cancel),

    findRepeatedTurn: (sessionId, idempotencyKey) =>
      findFirst(
        run<RepeatedTurnRow>(sql.FIND_REPEATED_TURN, [sessionId, idempotencyKey]),
        convertRepeatedTurnRow,
      ),

    async writeBetweenTurns(write) {
      const { sessionId } = write
      const [row] = await run<{ event_last: number }>(...buildWriteBetweenTurns(write))
      if (row) return row.event_last
      const reason = await explainRefusal(run, sessionId)
      throw reason.code === 'session_ended' ? createBusyError(sessionId, null) : reason
    },

    async readMessages(sessionId, { after, limit, maxBytes }) {
      const range = [sessionId, after, limit]
      const rows = await (maxBytes === undefined
        ? run<MessageColumns>(sql.READ_MESSAGES, range)
        : run<MessageColumns>(sql.READ_MESSAGES_UP_TO, [...range, maxBytes]))
      return rows.map(toSessionMessage)
    },

    async readTail(sessionId, limit, signal) {
      // A running turn waits for it; a caller with a deadline does not.
      const read = () => run<MessageColumns>(sql.READ_TAIL, [sessionId, limit], signal)
      const rows = await retryWhileUnavailable(closing, read, signal ? 0 : MAX_WAIT_MS)
      return rows.map(toSessionMessage).toReversed()
    },

    async findOpeningEventNumber(sessionId, question) {
      const find = () => run<{ event_last: number }>(sql.FIND_MESSAGE_EVENT, [sessionId, question])
      const [row] = await retryWhileUnavailable(closing, find, MAX_WAIT_MS)
      return row?.event_last ?? 0
    },

    readEvents: (sessionId, range) => selectEvents(run, sessionId, range),
  }
}

const toSessionValues = (
  session: AgentSession,
  started: StoredEvent,
  past: readonly SessionMessage[],
): readonly unknown[] => [
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
  ...toMessageColumns(past),
  listMedia(past).map(parseMediaHandle),
]

const buildWriteBetweenTurns = ({ sessionId, event, message, costs }: BetweenTurnsWrite) =>
  sql.WRITE_BETWEEN_TURNS({
    session_id: sessionId,
    ...packEventValues(event, message),
    message_number: message?.sequenceNumber,
    costs: JSON.stringify(costs),
    message_id: message?.id,
    role: message?.role,
    content: JSON.stringify(message?.content),
    model_id: message?.modelId,
    marker: JSON.stringify(message?.marker),
    timestamp: message?.timestamp,
  })

const toMedia = ({ media_type, bytes }: MediaRow): Media => ({ mediaType: media_type, bytes })

const parseMediaHandle = (handle: MediaHandle) => Buffer.from(readMediaHash(handle), 'hex')
