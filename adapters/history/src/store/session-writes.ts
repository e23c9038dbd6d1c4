import type Database from 'better-sqlite3-multiple-ciphers'
import { type AgentSession, PlatformError, type SessionId, type SessionMessage } from '@parley/contracts'
import {
  type Batch,
  type BetweenTurnsWrite,
  type Lease,
  type Media,
  type StoredEvent,
  listMedia,
  packEvents,
} from '@parley/engine'
import type { OwnTurns } from './own-turns.ts'
import { type LeaseRow, hashMedia, parseMediaHandle, toMessageRows } from './rows.ts'
import type { Statements } from './statements.ts'

/** The statements of a store, and the turns that it runs. */
export interface HistoryStoreHost {
  readonly statements: Statements
  readonly own: OwnTurns
}

/** Writes outside of a turn, each in one transaction. */
export function createSessionWrites(database: Database, { statements, own }: HistoryStoreHost) {
  return {
    /** The epoch of the turn, if it is running. */
    requestCancel: database.transaction(
      ({ sessionId, turnId }: Pick<Lease, 'sessionId' | 'turnId'>): number | undefined => {
        const row = requireSession(statements, sessionId)
        const open = own.getOpenTurn(row)
        if (open?.turnId !== turnId || open.state !== 'running') return undefined
        statements.askToCancel.run(sessionId)
        return row.lease_epoch
      },
    ),

    create: database.transaction(
      (session: AgentSession, started: StoredEvent, past: readonly SessionMessage[]) => {
        const { id } = session
        statements.insertSession.run({
          id,
          owner_id: session.ownerId,
          channel: session.channel,
          status: session.status,
          title: session.title ?? null,
          agent_slug: session.agentSlug,
          created_at: session.createdAt,
          updated_at: session.updatedAt,
          message_count: session.messageCount,
          event_last: started.sequenceNumber,
        })
        const agent_snapshot = JSON.stringify(session.agentSnapshot)
        statements.insertSettings.run({ id, agent_snapshot, context: JSON.stringify(session.context) })
        for (const row of toMessageRows(past, [])) statements.insertMessage.run(row)
        storeWithEvents(statements, id, { messages: [], events: [started] })
        for (const handle of listMedia(past))
          statements.nameMedia.run({ session_id: id, sha256: parseMediaHandle(handle) })
      },
    ),

    rename: database.transaction((sessionId: SessionId, title: string) => {
      requireSession(statements, sessionId)
      statements.rename.run(title, sessionId)
    }),

    end: database.transaction((sessionId: SessionId, at: string) => {
      requireIdleSession(statements, sessionId)
      statements.end.run(at, sessionId)
    }),

    remove: database.transaction((sessionId: SessionId) => {
      requireIdleSession(statements, sessionId)
      for (const statement of statements.remove) statement.run({ id: sessionId })
    }),

    writeBetweenTurns: database.transaction(
      ({ sessionId, event, message, costs }: BetweenTurnsWrite): number => {
        const { message_count, event_last } = requireIdleSession(statements, sessionId)
        if (message && message.sequenceNumber !== message_count + 1)
          throw new PlatformError('session_busy', { sessionId })
        const sequenceNumber = event_last + 1
        statements.writeBetweenTurns.run({
          id: sessionId,
          event: sequenceNumber,
          new_messages: message ? 1 : 0,
          costs: costs ? JSON.stringify(costs) : null,
        })
        storeWithEvents(statements, sessionId, {
          messages: message ? [message] : [],
          events: [{ ...event, sequenceNumber }],
        })
        return sequenceNumber
      },
    ),
  }
}

export function requireSession({ findLease }: Statements, sessionId: SessionId): LeaseRow {
  const row = findLease.get(sessionId)
  if (!row) throw new PlatformError('session_not_found', { sessionId })
  return row
}

/** For a session without an open turn. */
export function requireIdleSession(statements: Statements, sessionId: SessionId): LeaseRow {
  const row = requireSession(statements, sessionId)
  const { lease_turn_id: turnId } = row
  if (turnId !== null) throw new PlatformError('session_busy', { sessionId, turnId })
  return row
}

export function storeMedia(statements: Statements, sessionId: SessionId, media: readonly Media[]): void {
  for (const { mediaType, bytes } of media) {
    const reference = { session_id: sessionId, sha256: hashMedia(bytes) }
    statements.insertMedia.run({ ...reference, media_type: mediaType, bytes })
    statements.nameMedia.run(reference)
  }
}

/** Stores events in the row of their last message, or in a row of their own. */
export function storeWithEvents(
  { insertMessage, insertEvents }: Statements,
  sessionId: SessionId,
  { messages, events }: Pick<Batch, 'messages' | 'events'>,
): void {
  for (const row of toMessageRows(messages, events)) insertMessage.run(row)
  const last = events.at(-1)
  if (messages.length === 0 && last)
    insertEvents.run({
      session_id: sessionId,
      event_last: last.sequenceNumber,
      events: packEvents(events),
    })
}

/** A used number or key means that another process writes here. */
export function reportTakenAsBusy<T>(
  { sessionId, turnId }: { sessionId: SessionId; turnId?: string },
  write: () => T,
): T {
  try {
    return write()
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
    throw isTaken
      ? new PlatformError('session_busy', { sessionId, ...(turnId && { turnId }) }, { cause: error })
      : error
  }
}
