import { type AgentSession, PlatformError, type SessionId } from '@parley/contracts'
import type { Batch, Lease, StoredEvent, TurnOpening } from '@parley/engine'
import type Database from 'better-sqlite3-multiple-ciphers'
import { type LeaseRow, toEventRow, toMessageRow } from './rows.ts'
import type { prepareStatements } from './statements.ts'

interface WritesHost {
  readonly holder: string
  readonly isRunning: (row: LeaseRow) => boolean
}

/** What the store writes, each in one transaction. */
export function createWrites(
  database: Database,
  statements: ReturnType<typeof prepareStatements>,
  { holder, isRunning }: WritesHost,
) {
  const leaseRowOf = (sessionId: SessionId): LeaseRow => {
    const row = statements.findLease.get(sessionId)
    if (!row) throw new PlatformError('session_not_found', { sessionId })
    return row
  }

  return {
    create: database.transaction((session: AgentSession, started: StoredEvent) => {
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
      statements.insertEvent.run(toEventRow(id, started))
    }),

    begin: database.transaction((opening: TurnOpening): Lease => {
      const { sessionId, turnId, message, event, title, idempotencyKey, reserve } = opening
      const row = leaseRowOf(sessionId)
      if (row.status === 'ended') throw new PlatformError('session_ended', { sessionId })
      if (isRunning(row)) throw new PlatformError('session_busy', { sessionId, turnId: row.lease_turn_id })

      const messageSequence = row.message_count + 1
      const eventSequence = row.event_reserved + 1
      const reservedUpTo = eventSequence + reserve
      const skipped = eventSequence > row.event_last + 1 ? { fromSequence: row.event_last + 1 } : {}
      const said = { ...message, sessionId, sequenceNumber: messageSequence, role: 'user' as const }
      const of = { message: messageSequence, part: 0 }
      statements.insertMessage.run(toMessageRow(said))
      statements.insertEvent.run(
        toEventRow(sessionId, { ...event, ...skipped, sequenceNumber: eventSequence, of }),
      )
      if (idempotencyKey !== undefined) {
        statements.insertOpening.run(sessionId, idempotencyKey, turnId, messageSequence, eventSequence)
      }
      statements.takeLease.run({
        id: sessionId,
        title,
        at: message.timestamp,
        message_count: messageSequence,
        event_last: eventSequence,
        event_reserved: reservedUpTo,
        lease_holder: holder,
        lease_turn_id: turnId,
      })
      const epoch = row.lease_epoch + 1
      const turnNumber = row.turn_count + 1
      return {
        sessionId,
        turnId,
        epoch,
        messageSequence,
        eventSequence,
        ...skipped,
        reservedUpTo,
        turnNumber,
      }
    }),

    append: database.transaction((lease: Lease, batch: Batch): void => {
      const { sessionId, turnId, epoch } = lease
      const { messages, events, reservedUpTo, at, release } = batch
      const row = leaseRowOf(sessionId)
      const isHeld = row.lease_epoch === epoch && row.lease_holder !== null
      const isNext = messages.every(
        ({ sequenceNumber }, index) => sequenceNumber === row.message_count + index + 1,
      )
      if (!isHeld || !isNext) throw new PlatformError('session_busy', { sessionId, turnId })

      for (const message of messages) statements.insertMessage.run(toMessageRow(message))
      for (const event of events) statements.insertEvent.run(toEventRow(sessionId, event))
      const lastEvent = events.at(-1)?.sequenceNumber ?? row.event_last
      statements.advance.run({
        id: sessionId,
        at,
        message_count: row.message_count + messages.length,
        event_last: lastEvent,
        event_reserved: release ? lastEvent : reservedUpTo,
        lease_holder: release ? null : row.lease_holder,
        lease_turn_id: release ? null : row.lease_turn_id,
      })
    }),
  }
}
