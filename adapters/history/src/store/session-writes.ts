import { type AgentSession, PlatformError, type SessionId, type SessionMessage } from '@parley/contracts'
import { mediaOf, type Note, type StoredEvent } from '@parley/engine'
import type Database from 'better-sqlite3-multiple-ciphers'
import { idleRowOf, leaseRowOf } from './lease-row.ts'
import { hashIn } from './media-hash.ts'
import { toMessageRows } from './rows.ts'
import { storeTogether } from './store-together.ts'
import type { Statements } from './statements.ts'

/** What is written of a session as a whole, each in one transaction. */
export function createSessionWrites(database: Database, statements: Statements) {
  return {
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
        storeTogether(statements, id, { messages: [], events: [started] })
        for (const handle of mediaOf(past))
          statements.nameMedia.run({ session_id: id, sha256: hashIn(handle) })
      },
    ),

    rename: database.transaction((sessionId: SessionId, title: string) => {
      leaseRowOf(statements, sessionId)
      statements.rename.run(title, sessionId)
    }),

    end: database.transaction((sessionId: SessionId, at: string) => {
      idleRowOf(statements, sessionId)
      statements.end.run(at, sessionId)
    }),

    remove: database.transaction((sessionId: SessionId) => {
      idleRowOf(statements, sessionId)
      for (const statement of statements.remove) statement.run({ id: sessionId })
    }),

    note: database.transaction(({ sessionId, event, message, costs }: Note): number => {
      const { message_count, event_last } = idleRowOf(statements, sessionId)
      if (message && message.sequenceNumber !== message_count + 1)
        throw new PlatformError('session_busy', { sessionId })
      const sequenceNumber = event_last + 1
      statements.note.run({
        id: sessionId,
        event: sequenceNumber,
        new_messages: message ? 1 : 0,
        costs: costs ? JSON.stringify(costs) : null,
      })
      storeTogether(statements, sessionId, {
        messages: message ? [message] : [],
        events: [{ ...event, sequenceNumber }],
      })
      return sequenceNumber
    }),
  }
}
