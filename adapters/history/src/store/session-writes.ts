import type Database from 'better-sqlite3-multiple-ciphers'
import {
  type AgentSession,
  PlatformError,
  type SessionId,
  type SessionMessage,
  type TurnId,
} from '@parley/contracts'
import {
  type Batch,
  type Lease,
  type Media,
  type BetweenTurnsWrite,
  type StoredEvent,
  type TakeOver,
  type NewTurn,
  areConsecutive,
  areRising,
  listMedia,
  packEvents,
} from '@parley/engine'
import type { OwnTurns } from './own-turns.ts'
import { type LeaseRow, parseMediaHandle, hashMedia, toMessageRows } from './rows.ts'
import type { Statements } from './statements.ts'

/** Writes to a session as a whole, each in one transaction. */
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

    note: database.transaction(({ sessionId, event, message, costs }: BetweenTurnsWrite): number => {
      const { message_count, event_last } = requireIdleSession(statements, sessionId)
      if (message && message.sequenceNumber !== message_count + 1)
        throw new PlatformError('session_busy', { sessionId })
      const sequenceNumber = event_last + 1
      statements.note.run({
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
    }),
  }
}

/** Writes of a turn, each in one transaction. */
export const createTurnWrites = (database: Database, host: HistoryStoreHost) => ({
  begin: database.transaction((opening: NewTurn) => beginTurn(opening, host)),
  append: database.transaction((lease: Lease, batch: Batch) => appendToTurn(lease, batch, host)),
  takeOver: database.transaction((turn: TakeOver) => takeOverTurn(turn, host)),
  /** The epoch of the turn, if it is running. */
  askToCancel: database.transaction((turn: TurnRef) => requestCancel(turn, host)),
})

/** The statements of a store, and the turns that it runs. */
export interface HistoryStoreHost {
  readonly statements: Statements
  readonly own: OwnTurns
}

type TurnRef = Pick<Lease, 'sessionId' | 'turnId'>

function beginTurn(opening: NewTurn, { statements, own }: HistoryStoreHost): Lease {
  const { sessionId, turnId, question, event, reserve } = opening
  const row = requireIdleSession(statements, sessionId)
  requireContinuable(row, question)
  const numbers = nextNumbers(row, reserve)
  const { eventSequence } = numbers
  const isNew = question.kind === 'new'
  const lease: Lease = {
    ...toLease(row, turnId, numbers),
    lastMessageNumber: row.message_count + (isNew ? 1 : 0),
    openingEventNumber: eventSequence,
    turnNumber: row.turn_count + 1,
  }
  statements.begin.run({
    id: sessionId,
    turn_id: turnId,
    at: event.timestamp,
    title: isNew ? question.title : null,
    message_count: lease.lastMessageNumber,
    event: eventSequence,
    reserved: lease.reservedUpTo,
    holder: own.holder,
  })
  storeOpening(opening, lease, statements)
  return lease
}

function storeOpening(
  { sessionId, turnId, question, event }: NewTurn,
  { lastMessageNumber, eventSequence }: Lease,
  statements: Statements,
): void {
  const messageNumber = question.kind === 'stored' ? question.sequenceNumber : lastMessageNumber
  const messageRef = { message: messageNumber, part: 0 }
  const opened: StoredEvent = { ...event, sequenceNumber: eventSequence, messageRef }
  if (question.kind === 'stored') {
    storeWithEvents(statements, sessionId, { messages: [], events: [opened] })
    return
  }
  const message = {
    ...question.message,
    sessionId,
    turnId,
    sequenceNumber: lastMessageNumber,
    role: 'user' as const,
  }
  storeWithEvents(statements, sessionId, { messages: [message], events: [opened] })
  storeMedia(statements, sessionId, question.media ?? [])
  const { idempotencyKey: key } = question
  if (key !== undefined) statements.insertOpening.run(sessionId, key, lastMessageNumber, eventSequence)
}

function appendToTurn(
  { sessionId, turnId, epoch }: Lease,
  batch: Batch,
  { statements }: HistoryStoreHost,
): void {
  const { messages, events } = batch
  const isInOrder = areConsecutive(messages) && areRising(events)
  const { changes } = statements.append[batch.lease].run({
    id: sessionId,
    epoch,
    turn_id: turnId,
    new_messages: messages.length,
    first_message: messages[0]?.sequenceNumber ?? null,
    first_event: events[0]?.sequenceNumber ?? null,
    last_event: events.at(-1)?.sequenceNumber ?? null,
    at: events.at(-1)?.timestamp ?? null,
    reserved: batch.reservedUpTo,
    costs: batch.costs ? JSON.stringify(batch.costs) : null,
    grants: batch.grants ? JSON.stringify(batch.grants) : null,
  })
  if (changes === 0) requireSession(statements, sessionId)
  if (changes === 0 || !isInOrder) throw new PlatformError('session_busy', { sessionId, turnId })
  storeWithEvents(statements, sessionId, batch)
  storeMedia(statements, sessionId, batch.media ?? [])
}

function takeOverTurn(turn: TakeOver, { statements, own }: HistoryStoreHost): Lease | undefined {
  const { sessionId, turnId, state, reserve, lastSequence } = turn
  const row = requireSession(statements, sessionId)
  const open = own.getOpenTurn(row)
  if (open?.turnId !== turnId || open.state !== state) return undefined
  if (lastSequence !== undefined && lastSequence !== row.event_last) return undefined
  const numbers = nextNumbers(row, reserve)
  statements.takeOver.run({ id: sessionId, holder: own.holder, reserved: numbers.reservedUpTo })
  return toLease(row, turnId, numbers)
}

/** The next lease of a session, for its open turn. */
const toLease = (row: LeaseRow, turnId: TurnId, numbers: ReturnType<typeof nextNumbers>): Lease => ({
  sessionId: row.id,
  turnId,
  epoch: row.lease_epoch + 1,
  lastMessageNumber: row.message_count,
  ...numbers,
  openingEventNumber: row.turn_event ?? numbers.eventSequence,
  turnNumber: row.turn_count,
  costs: JSON.parse(row.costs),
  grants: JSON.parse(row.grants),
})

function requestCancel(
  { sessionId, turnId }: TurnRef,
  { statements, own }: HistoryStoreHost,
): number | undefined {
  const row = requireSession(statements, sessionId)
  const open = own.getOpenTurn(row)
  if (open?.turnId !== turnId || open.state !== 'running') return undefined
  statements.askToCancel.run(sessionId)
  return row.lease_epoch
}

/** Refuses a session that has ended, or that has new messages. */
function requireContinuable(
  { id: sessionId, status, message_count }: LeaseRow,
  question: NewTurn['question'],
) {
  if (status === 'ended') throw new PlatformError('session_ended', { sessionId })
  if (question.kind === 'stored' && question.messageCount !== message_count)
    throw new PlatformError('session_busy', { sessionId })
}

/** The next numbers after those that may be used already. */
function nextNumbers({ event_last, event_reserved }: LeaseRow, reserve: number) {
  const eventSequence = event_reserved + 1
  const skipped = eventSequence > event_last + 1 ? { fromSequence: event_last + 1 } : {}
  return { eventSequence, ...skipped, reservedUpTo: eventSequence + reserve }
}

function requireSession({ findLease }: Statements, sessionId: SessionId): LeaseRow {
  const row = findLease.get(sessionId)
  if (!row) throw new PlatformError('session_not_found', { sessionId })
  return row
}

/** For a session without an open turn. */
function requireIdleSession(statements: Statements, sessionId: SessionId): LeaseRow {
  const row = requireSession(statements, sessionId)
  const { lease_turn_id: turnId } = row
  if (turnId !== null) throw new PlatformError('session_busy', { sessionId, turnId })
  return row
}

function storeMedia(statements: Statements, sessionId: SessionId, media: readonly Media[]): void {
  for (const { mediaType, bytes } of media) {
    const reference = { session_id: sessionId, sha256: hashMedia(bytes) }
    statements.insertMedia.run({ ...reference, media_type: mediaType, bytes })
    statements.nameMedia.run(reference)
  }
}

/** Stores events in the row of their last message, or in a row of their own. */
function storeWithEvents(
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
