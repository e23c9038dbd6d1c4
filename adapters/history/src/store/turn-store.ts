import type Database from 'better-sqlite3-multiple-ciphers'
import { PlatformError, type SessionId, type TurnId } from '@parley/contracts'
import {
  type Batch,
  type Lease,
  type NewTurn,
  type StoredEvent,
  type TakeOver,
  type TurnStore,
  areConsecutive,
  areRising,
} from '@parley/engine'
import type { LeaseRow } from './rows.ts'
import {
  type HistoryStoreHost,
  reportTakenAsBusy,
  requireIdleSession,
  requireSession,
  storeMedia,
  storeWithEvents,
} from './session-writes.ts'

interface TurnStoreHost extends HistoryStoreHost {
  readonly turnStatements: ReturnType<typeof prepareTurnStatements>
}

/** Each write is one transaction. */
export function createTurnStore(database: Database, storeHost: HistoryStoreHost) {
  const host: TurnStoreHost = { ...storeHost, turnStatements: prepareTurnStatements(database) }
  const { own } = host
  const begin = database.transaction((turn: NewTurn) => beginTurn(turn, host))
  const append = database.transaction((lease: Lease, batch: Batch) => appendToTurn(lease, batch, host))
  const takeOver = database.transaction((turn: TakeOver) => takeOverTurn(turn, host))
  return {
    async beginTurn(turn: NewTurn) {
      const lease = reportTakenAsBusy(turn, () => begin.immediate(turn))
      own.hold(lease)
      return lease
    },

    async append(lease: Lease, batch: Batch) {
      reportTakenAsBusy(lease, () => append.immediate(lease, batch))
      if (batch.lease !== 'kept') own.forget(lease)
    },

    async takeOver(turn: TakeOver) {
      const lease = takeOver.immediate(turn)
      if (lease) own.hold(lease)
      return lease
    },

    giveUpLease: (lease: Pick<Lease, 'sessionId' | 'epoch'>) => giveUpTurn(lease, host),
  } satisfies TurnStore
}

function beginTurn(turn: NewTurn, host: TurnStoreHost): Lease {
  const { statements, turnStatements, own } = host
  const { sessionId, turnId, question, event, reserve } = turn
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
  turnStatements.begin.run({
    id: sessionId,
    turn_id: turnId,
    at: event.timestamp,
    title: isNew ? question.title : null,
    message_count: lease.lastMessageNumber,
    event: eventSequence,
    reserved: lease.reservedUpTo,
    holder: own.holder,
  })
  storeOpening(turn, lease, host)
  return lease
}

function storeOpening(
  { sessionId, turnId, question, event }: NewTurn,
  { lastMessageNumber, eventSequence }: Lease,
  { statements, turnStatements }: TurnStoreHost,
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
  if (key !== undefined) turnStatements.insertOpening.run(sessionId, key, lastMessageNumber, eventSequence)
}

function appendToTurn(
  { sessionId, turnId, epoch }: Lease,
  batch: Batch,
  { statements, turnStatements }: TurnStoreHost,
): void {
  const { messages, events } = batch
  const isInOrder = areConsecutive(messages) && areRising(events)
  const { changes } = turnStatements.append[batch.lease].run({
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

function takeOverTurn(turn: TakeOver, { statements, turnStatements, own }: TurnStoreHost): Lease | undefined {
  const { sessionId, turnId, state, reserve, lastSequence } = turn
  const row = requireSession(statements, sessionId)
  const open = own.getOpenTurn(row)
  if (open?.turnId !== turnId || open.state !== state) return undefined
  if (lastSequence !== undefined && lastSequence !== row.event_last) return undefined
  const numbers = nextNumbers(row, reserve)
  turnStatements.takeOver.run({ id: sessionId, holder: own.holder, reserved: numbers.reservedUpTo })
  return toLease(row, turnId, numbers)
}

/** The turn becomes interrupted. Until another process takes it over, writes with its lease still count. */
function giveUpTurn(lease: Pick<Lease, 'sessionId' | 'epoch'>, { turnStatements, own }: TurnStoreHost): void {
  own.giveUp(lease)
  try {
    turnStatements.giveUpLease.run({ id: lease.sessionId, epoch: lease.epoch })
    own.forget(lease)
  } catch {
    // Nothing can be written; other processes notice when this one ends.
  }
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

interface TakenLease {
  readonly id: SessionId
  readonly holder: string
  readonly reserved: number
}

interface BegunTurnRow extends TakenLease {
  readonly turn_id: TurnId
  readonly at: string
  readonly title: string | null
  readonly message_count: number
  readonly event: number
}

interface AppendRow {
  readonly id: SessionId
  readonly epoch: number
  readonly turn_id: TurnId
  readonly new_messages: number
  readonly first_message: number | null
  readonly first_event: number | null
  readonly last_event: number | null
  readonly at: string | null
  readonly reserved: number
  readonly costs: string | null
  readonly grants: string | null
}

const RELEASE_LEASE =
  'event_reserved = coalesce(:last_event, event_last), lease_holder = null, cancel_asked = 0'

const buildAppend = (changes: string) =>
  `update agent_sessions set message_count = message_count + :new_messages,
     event_last = coalesce(:last_event, event_last), costs = coalesce(:costs, costs),
     grants = coalesce(:grants, grants),
     updated_at = coalesce(:at, updated_at), ${changes}
   where id = :id and lease_epoch = :epoch and lease_turn_id = :turn_id and turn_waits = 0
     and (:first_message is null or message_count + 1 = :first_message)
     and (:first_event is null or event_last < :first_event)`

const prepareTurnStatements = (database: Database) => ({
  begin: database.prepare<BegunTurnRow>(
    `update agent_sessions set title = coalesce(title, :title), updated_at = :at, message_count = :message_count,
       turn_count = turn_count + 1, event_last = :event, event_reserved = :reserved, lease_epoch = lease_epoch + 1,
       lease_holder = :holder, lease_turn_id = :turn_id, turn_event = :event
     where id = :id`,
  ),
  takeOver: database.prepare<TakenLease>(
    `update agent_sessions set lease_epoch = lease_epoch + 1, lease_holder = :holder, turn_waits = 0, cancel_asked = 0,
       event_reserved = :reserved
     where id = :id`,
  ),
  append: {
    kept: database.prepare<AppendRow>(buildAppend('event_reserved = :reserved')),
    waiting: database.prepare<AppendRow>(buildAppend(`${RELEASE_LEASE}, turn_waits = 1`)),
    ended: database.prepare<AppendRow>(
      buildAppend(`${RELEASE_LEASE}, lease_turn_id = null, turn_event = null`),
    ),
  } satisfies Record<Batch['lease'], unknown>,
  giveUpLease: database.prepare<Pick<AppendRow, 'id' | 'epoch'>>(
    `update agent_sessions set lease_holder = null, cancel_asked = 0
     where id = :id and lease_epoch = :epoch and turn_waits = 0`,
  ),
  insertOpening: database.prepare<[SessionId, string, number, number]>(
    `insert into session_openings (session_id, idempotency_key, message_sequence, event_sequence)
     values (?, ?, ?, ?)`,
  ),
})
