import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type SessionId, type TurnId } from '@parley/contracts'
import {
  type Batch,
  type EventColumns,
  type Lease,
  type Media,
  type SessionStore,
  type StoredEvent,
  type TakeOver,
  type NewTurn,
  areConsecutive,
  areRising,
  isStored,
  packEvent,
  packEvents,
  toStoredEvents,
} from '@parley/engine'
import { computeSha256 } from '../hashes.ts'
import { UNIQUE_VIOLATION, getErrorCode } from '../login/database-error.ts'
import { createLockKey } from '../login/guarded-client.ts'
import type { Presence } from '../presence.ts'
import { MAX_WAIT_MS, type Run, retryWhileUnavailable } from '../run-statements.ts'
import { type SqlStatement, statement } from '../statement.ts'
import { type LeaseRow, MESSAGE_COLUMNS, MESSAGE_TYPES, toLease, toMessageValues } from './rows.ts'
import * as sql from './statements.ts'

export interface SessionStoreHost {
  readonly run: Run
  readonly presence: Presence
  /** Aborted when the database is being closed. */
  readonly closing: AbortSignal
}

type TurnRef = Pick<Lease, 'sessionId' | 'turnId'>

const GIVE_UP_MS = 1_000
/** A process that lost its connection is back within this time; until then it does not count as dead. */
const GRACE_MS = 300
/** If we lost our own connection, so did all others, and all come back at once. */
const RETURN_MS = 5_000

/** Opens a turn: one statement, in one round trip. */
export async function beginTurn(host: SessionStoreHost, opening: NewTurn): Promise<Lease> {
  const attempt = (isRepeated: boolean) => tryToBegin(host, opening, isRepeated)
  const lease = await retryWhileUnavailable(host.closing, attempt, MAX_WAIT_MS).catch((error: unknown) => {
    if (getErrorCode(error) === 'database_unavailable') void giveUpTurn(host, opening)
    throw error
  })
  if (lease === 'lost') throw createTakenOverError(opening.sessionId)
  return lease
}

async function tryToBegin(
  host: SessionStoreHost,
  opening: NewTurn,
  isRepeated: boolean,
): Promise<Lease | 'lost'> {
  // An earlier attempt may have succeeded: then the open turn is our own.
  const earlier = isRepeated ? await findOwnLease(host, opening) : undefined
  if (earlier) return earlier
  const holder = await host.presence.ensureKey()
  const [row] = await runBegin(host.run, opening, holder).catch((error: unknown) => {
    if (getErrorCode(error) === UNIQUE_VIOLATION) return []
    throw error
  })
  if (row) return toLease(opening, row, row.event_last)
  // It may also have succeeded only now.
  const late = isRepeated ? await findOwnLease(host, opening) : undefined
  if (late) return late
  throw await explainRefusal(host.run, opening.sessionId)
}

function runBegin(run: Run, { sessionId, turnId, question, event, reserve }: NewTurn, holder: string) {
  const message = question.kind === 'new' ? question.message : undefined
  const row = message && { sequenceNumber: 0, turnId, timestamp: message.timestamp }
  const messageRef = { message: question.kind === 'stored' ? question.sequenceNumber : 0, part: 0 }
  const packed = packEventValues({ ...event, messageRef }, row)
  const shared = [sessionId, holder, turnId, reserve, ...packed, event.timestamp]
  if (question.kind === 'stored') return run<LeaseRow>(sql.BEGIN_STORED, [...shared, question.messageCount])
  const { title, media = [], idempotencyKey = null } = question
  const { id, timestamp } = question.message
  const values = [...shared, title, id, JSON.stringify(question.message.content), timestamp, idempotencyKey]
  if (media.length === 0) return run<LeaseRow>(sql.BEGIN, values)
  return run<LeaseRow>(sql.BEGIN_WITH_MEDIA, [...values, ...toMediaColumns(media)])
}

/** The body and the other fields of an event without a number, each as JSON. */
export function packEventValues(
  event: Omit<StoredEvent, 'sequenceNumber'>,
  message: Parameters<typeof packEvent>[2],
): readonly string[] {
  const [, body, more] = packEvent(event, 0, message)
  return [JSON.stringify(body), JSON.stringify(more)]
}

/** The lease of a turn that we may have opened; `lost` if another process took it over, undefined if it is not open. */
async function findOwnLease(
  { run, presence }: SessionStoreHost,
  opening: NewTurn,
): Promise<Lease | 'lost' | undefined> {
  const values = [opening.sessionId, opening.turnId, await presence.ensureKey()]
  const [row] = await run<LeaseRow & { is_held: boolean }>(sql.FIND_OWN_LEASE, values)
  if (!row) return undefined
  return row.is_held ? toLease(opening, row, row.event_last) : 'lost'
}

/** Stores a batch: one statement, in one round trip. */
export async function appendToTurn(
  { run, closing }: SessionStoreHost,
  lease: Lease,
  batch: Batch,
): Promise<void> {
  const { sessionId, turnId } = lease
  if (!areConsecutive(batch.messages) || !areRising(batch.events)) throw createBusyError(sessionId, turnId)
  const store: Pick<SessionStore, 'readEvents'> = {
    readEvents: (id, range) => readStoredEvents(run, id, range),
  }
  await retryWhileUnavailable(closing, async (isRepeated) => {
    try {
      const [row] = await run(...buildAppend(lease, batch))
      if (row) return
    } catch (error) {
      if (getErrorCode(error) !== UNIQUE_VIOLATION) throw error
    }
    if (!isRepeated || !(await isStored(batch, sessionId, store))) throw createBusyError(sessionId, turnId)
  })
}

/** Takes the lease of an open turn that no process holds. */
export async function takeOverTurn(host: SessionStoreHost, turn: TakeOver): Promise<Lease | undefined> {
  const { run, presence } = host
  const { sessionId, turnId, state, reserve, lastSequence = null } = turn
  // If our connection is lost, those of others are too: nobody counts as dead before we are back.
  const ownKey = await presence.ensureKey()
  const [dead] = await run<{ lease_holder: string | null }>(sql.FIND_DEAD_HOLDER, [sessionId, turnId])
  if (!dead) return undefined
  const { lease_holder: deadHolder } = dead
  if (deadHolder !== null) await pause(Math.max(GRACE_MS, RETURN_MS - presence.msSinceReturn()))
  const values = [sessionId, ownKey, turnId, reserve, state === 'waiting', deadHolder, lastSequence]
  try {
    const [row] = await run<LeaseRow>(sql.TAKE_OVER, values)
    return row && toLease(turn, row, row.event_reserved - reserve)
  } catch (error) {
    void giveUpTurn(host, turn)
    throw error
  }
}

/**
 * Releases a turn whose end could not be written, or that may have begun: our own presence would keep its lease for ever.
 * Delayed, since the statement may still be running.
 */
export async function giveUpTurn(host: SessionStoreHost, turn: TurnRef & Partial<Lease>): Promise<void> {
  const { run, presence, closing } = host
  await pause(GIVE_UP_MS, undefined, { ref: false })
  await retryWhileUnavailable(closing, async () => {
    const values = [turn.sessionId, turn.turnId, turn.epoch, await presence.ensureKey(), createLockKey()]
    await run(sql.GIVE_UP, values)
  }).catch(() => (closing.aborted ? undefined : giveUpTurn(host, turn)))
}

export const readStoredEvents = async (
  run: Run,
  sessionId: SessionId,
  { after, limit }: { readonly after: number; readonly limit: number },
) => toStoredEvents(await run<EventColumns>(sql.READ_EVENTS, [sessionId, after, limit]), { after, limit })

/** The reason why a session refused a write. */
export async function explainRefusal(run: Run, sessionId: SessionId): Promise<PlatformError> {
  const [row] = await run<{ status: string; lease_turn_id: TurnId | null }>(sql.FIND_STATE, [sessionId])
  if (!row) return new PlatformError('session_not_found', { sessionId })
  if (row.status === 'ended') return new PlatformError('session_ended', { sessionId })
  return createBusyError(sessionId, row.lease_turn_id)
}

export const createBusyError = (sessionId: SessionId, turnId: TurnId | null) =>
  new PlatformError('session_busy', { sessionId, ...(turnId && { turnId }) })

const createTakenOverError = (sessionId: SessionId) =>
  new PlatformError('database_unavailable', {
    sessionId,
    message:
      'The database was unavailable. Your message is stored, but its turn was ended: continue the turn.',
  })

/**
 * The statement that writes a batch. There is one for each number of messages, since plain rows are faster than arrays,
 * and another with grants and media, which few batches have.
 */
function buildAppend(
  { sessionId, epoch, turnId }: Lease,
  { messages, events, reservedUpTo, lease, costs, grants, media = [] }: Batch,
): readonly [SqlStatement, readonly unknown[]] {
  const values: unknown[] = [
    sessionId,
    epoch,
    turnId,
    messages[0] ? messages[0].sequenceNumber - 1 : null,
    lease,
    events.at(-1)?.sequenceNumber,
    reservedUpTo,
    JSON.stringify(costs),
    events.length === 0 ? null : packEvents(events, messages.at(-1)),
    events[0]?.sequenceNumber,
    events.at(-1)?.timestamp,
  ]
  const hasExtras = grants !== undefined || media.length > 0
  if (hasExtras) values.push(JSON.stringify(grants), ...toMediaColumns(media))
  for (const message of messages) values.push(...toMessageValues(message))
  return [getAppendStatement(messages.length, hasExtras), values]
}

/** Their hashes, media types and bytes. */
const toMediaColumns = (media: readonly Media[]): readonly unknown[] => [
  media.map(({ bytes }) => computeSha256(bytes)),
  media.map(({ mediaType }) => mediaType),
  media.map(({ bytes }) => Buffer.from(bytes)),
]

const statements = new Map<string, SqlStatement>()

function getAppendStatement(messages: number, hasExtras: boolean): SqlStatement {
  const key = `${messages} ${hasExtras}`
  const known = statements.get(key) ?? statement(buildAppendText(messages, hasExtras))
  statements.set(key, known)
  return known
}

const SHARED_VALUE_COUNT = 11
const EXTRA_VALUE_COUNT = 4

function buildAppendText(messages: number, hasExtras: boolean): string {
  return `with session as (
     update agent_sessions set
       lease_holder = case when $5::text = 'kept' then lease_holder end,
       lease_turn_id = case when $5 <> 'ended' then lease_turn_id end,
       turn_waits = $5 = 'waiting',
       event_last = coalesce($6::integer, event_last),
       event_reserved = case when $5 = 'kept' then greatest(event_reserved, $7::integer) else coalesce($6, event_last) end,
       message_count = message_count + ${messages},
       costs = coalesce($8::json, costs),${hasExtras ? ' grants = coalesce($12::json, grants),' : ''}
       updated_at = coalesce($11::timestamptz, updated_at)
     where id = $1 and lease_epoch = $2 and lease_turn_id = $3 and not turn_waits
       and message_count = coalesce($4, message_count)
       and ($10::integer is null or event_last < $10)
     returning id, event_last, owner_id
   ), stored as (${messages === 0 ? INSERT_EVENTS : insertMessages(messages, hasExtras)})${hasExtras ? sql.insertMedia('session', 13) : ''}
   select from session`
}

const INSERT_EVENTS = `
     insert into session_events (session_id, event_last, events)
     select id, $6, $9::json from session where $6 is not null`

/** Of messages stored together, the last one has the events. */
const insertMessages = (count: number, hasExtras: boolean) => `
     insert into session_messages (session_id, ${MESSAGE_COLUMNS}, event_last, events)
     select session.id, message.*, session.event_last,
       case when message.sequence_number = $4 + ${count} then $9::json end
     from session, (values ${toPlaceholders(MESSAGE_TYPES, count, SHARED_VALUE_COUNT + (hasExtras ? EXTRA_VALUE_COUNT : 0))})
       as message (${MESSAGE_COLUMNS})`

/** `count` rows of placeholders for these types, after the first `before` placeholders. */
const toPlaceholders = (types: readonly string[], count: number, before: number) =>
  Array.from({ length: count }, (_, row) => {
    const places = types.map((type, column) => `$${before + row * types.length + column + 1}::${type}`)
    return `(${places.join(', ')})`
  }).join(', ')
