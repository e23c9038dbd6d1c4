import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type SessionId } from '@parley/contracts'
import type { Lease, NewTurn, TakeOver, TurnStore } from '@parley/engine'
import { UNIQUE_VIOLATION, getErrorCode } from '../login/database-error.ts'
import { createLockKey } from '../login/guarded-client.ts'
import type { Presence } from '../presence.ts'
import { MAX_WAIT_MS, type Run, retryWhileUnavailable } from '../run-statements.ts'
import { namedStatement } from '../statement.ts'
import { appendBatch } from './append-batch.ts'
import { NOT_ASSIGNED, packEventValues } from './event-rows.ts'
import { explainRefusal } from './explain-refusal.ts'
import { INSERT_MEDIA, toMediaValues } from './media-rows.ts'
import { type LeaseRow, toLease } from './rows.ts'
import { IS_HOLDER_DEAD } from './statements.ts'

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

/** Each write is one statement, in one round trip. */
export const createTurnStore = (host: SessionStoreHost): TurnStore => ({
  async beginTurn(turn) {
    const attempt = (isRepeated: boolean) => tryToBegin(host, turn, isRepeated)
    const lease = await retryWhileUnavailable(host.closing, attempt, MAX_WAIT_MS).catch((error: unknown) => {
      if (getErrorCode(error) === 'database_unavailable') void giveUpTurn(host, turn)
      throw error
    })
    if (lease === 'lost') throw createTakenOverError(turn.sessionId)
    return lease
  },

  append: (lease, batch) => appendBatch(host, lease, batch),

  async takeOver(turn) {
    const { run, presence } = host
    // If our connection is lost, those of others are too: nobody counts as dead before we are back.
    const holder = await presence.ensureKey()
    const [dead] = await run<{ lease_holder: string | null }>(...FIND_DEAD_HOLDER(toTurnValues(turn)))
    if (!dead) return undefined
    const { lease_holder: deadHolder } = dead
    if (deadHolder !== null) await pause(Math.max(GRACE_MS, RETURN_MS - presence.msSinceReturn()))
    try {
      const [row] = await run<LeaseRow>(...buildTakeOver(turn, holder, deadHolder))
      return row && toLease(turn, row, row.event_reserved - turn.reserve)
    } catch (error) {
      void giveUpTurn(host, turn)
      throw error
    }
  },

  giveUpLease: (lease) => void giveUpTurn(host, lease),
})

async function tryToBegin(
  host: SessionStoreHost,
  turn: NewTurn,
  isRepeated: boolean,
): Promise<Lease | 'lost'> {
  // An earlier attempt may have succeeded: then the open turn is our own.
  const earlier = isRepeated ? await findOwnLease(host, turn) : undefined
  if (earlier) return earlier
  const holder = await host.presence.ensureKey()
  const [row] = await host.run<LeaseRow>(...buildOpenTurn(turn, holder)).catch((error: unknown) => {
    if (getErrorCode(error) === UNIQUE_VIOLATION) return []
    throw error
  })
  if (row) return toLease(turn, row, row.event_last)
  // It may also have succeeded only now.
  const late = isRepeated ? await findOwnLease(host, turn) : undefined
  if (late) return late
  throw await explainRefusal(host.run, turn.sessionId)
}

const LEASE = `id, lease_epoch, lease_from_sequence, turn_event, event_last, event_reserved, message_count, turn_count, costs, grants`

const TAKE_LEASE = `lease_epoch = lease_epoch + 1,
       lease_holder = :holder,
       lease_from_sequence = case when event_last < event_reserved then event_last + 1 end,
       cancel_asked = false`

const OPEN_TURN = `${TAKE_LEASE},
       lease_turn_id = :turn_id,
       turn_event = event_reserved + 1,
       event_last = event_reserved + 1,
       event_reserved = event_reserved + 1 + :reserve::integer,
       turn_count = turn_count + 1,
       updated_at = :updated_at`

/** The packed opening event; only the database knows its number. */
const OPENING_EVENT =
  'json_build_array(json_build_array(event_last, :body::json, :more::json, lease_from_sequence))'

const IS_IDLE = `id = :session_id and status = 'active' and lease_turn_id is null`

const buildOpenTurnText = (more = '') => `with session as (
     update agent_sessions set ${OPEN_TURN}, message_count = message_count + 1, title = coalesce(title, :title)
     where ${IS_IDLE}
     returning ${LEASE}, owner_id
   ), message as (
     insert into session_messages (session_id, sequence_number, id, turn_id, role, content, timestamp, event_last, events)
     select id, message_count, :message_id, :turn_id, 'user', :content, :sent_at, event_last, ${OPENING_EVENT} from session
   ), opening as (
     insert into session_openings (session_id, idempotency_key, turn_id, message_sequence, event_sequence)
     select id, :idempotency_key, :turn_id, message_count, event_last from session where :idempotency_key::text is not null
   )${more}
   select * from session`

/** Of two concurrent calls the second waits for the row, and then sees an open turn. */
const INSERT_MESSAGE = namedStatement(buildOpenTurnText())

const INSERT_MESSAGE_WITH_MEDIA = namedStatement(buildOpenTurnText(INSERT_MEDIA))

const BEGIN_STORED = namedStatement(`with session as (
     update agent_sessions set ${OPEN_TURN} where ${IS_IDLE} and message_count = :message_count
     returning ${LEASE}
   ), event as (
     insert into session_events (session_id, event_last, events)
     select id, event_last, ${OPENING_EVENT} from session
   )
   select * from session`)

function buildOpenTurn({ sessionId, turnId, question, event, reserve }: NewTurn, holder: string) {
  const shared = { session_id: sessionId, turn_id: turnId, holder, reserve, updated_at: event.timestamp }
  if (question.kind === 'stored') {
    const messageRef = { message: question.sequenceNumber, part: 0 }
    const packed = packEventValues({ ...event, messageRef }, undefined)
    return BEGIN_STORED({ ...shared, ...packed, message_count: question.messageCount })
  }
  const { title, message, media = [], idempotencyKey } = question
  const { id, content, timestamp } = message
  const messageRef = { message: NOT_ASSIGNED, part: 0 }
  const values = {
    ...shared,
    ...packEventValues({ ...event, messageRef }, { sequenceNumber: NOT_ASSIGNED, turnId, timestamp }),
    title,
    message_id: id,
    content: JSON.stringify(content),
    sent_at: timestamp,
    idempotency_key: idempotencyKey,
  }
  return media.length === 0
    ? INSERT_MESSAGE(values)
    : INSERT_MESSAGE_WITH_MEDIA({ ...values, ...toMediaValues(media) })
}

/** `is_held` is false if another process has taken the lease, or this one has written with it. */
const FIND_OWN_LEASE = namedStatement(`
  select ${LEASE}, lease_turn_id = :turn_id and lease_holder = :holder and event_last = turn_event as is_held
   from agent_sessions where id = :session_id and (lease_turn_id = :turn_id
     or exists (select from session_messages where session_id = :session_id and turn_id = :turn_id)
     or exists (select from (select events from session_events where session_id = :session_id order by event_last desc limit 20) last
       where strpos(events::text, :turn_id) > 0))`)

/** The lease of a turn that we may have opened; `lost` if another process took it over, undefined if it is not open. */
async function findOwnLease(
  { run, presence }: SessionStoreHost,
  turn: NewTurn,
): Promise<Lease | 'lost' | undefined> {
  const values = { ...toTurnValues(turn), holder: await presence.ensureKey() }
  const [row] = await run<LeaseRow & { is_held: boolean }>(...FIND_OWN_LEASE(values))
  if (!row) return undefined
  return row.is_held ? toLease(turn, row, row.event_last) : 'lost'
}

/** The holder of an open turn, if it is dead or seems to be. */
const FIND_DEAD_HOLDER = namedStatement(`
  select lease_holder::text from agent_sessions
   where id = :session_id and lease_turn_id = :turn_id and ${IS_HOLDER_DEAD}`)

const TAKE_OVER = namedStatement(`
  update agent_sessions set ${TAKE_LEASE}, turn_waits = false, event_reserved = event_reserved + 1 + :reserve::integer
   where id = :session_id and lease_turn_id = :turn_id and turn_waits = :turn_waits
     and lease_holder is not distinct from :dead_holder::bigint
     and event_last = coalesce(:last_sequence::bigint, event_last) and ${IS_HOLDER_DEAD}
   returning ${LEASE}`)

const buildTakeOver = (turn: TakeOver, holder: string, deadHolder: string | null) =>
  TAKE_OVER({
    ...toTurnValues(turn),
    holder,
    reserve: turn.reserve,
    turn_waits: turn.state === 'waiting',
    dead_holder: deadHolder,
    last_sequence: turn.lastSequence,
  })

/**
 * Sets a holder that is no process: a new one each time, since `FORGET_DEAD` may be removing an earlier one. A lease that
 * another process has taken stays with it.
 */
const GIVE_UP = namedStatement(`with nobody as (insert into presences (key) values (:nobody))
   update agent_sessions set lease_holder = :nobody
   where id = :session_id and lease_turn_id = :turn_id and not turn_waits and lease_epoch = coalesce(:epoch, lease_epoch)
     and (lease_holder = :holder or ${IS_HOLDER_DEAD})`)

/**
 * Releases a turn whose end could not be written, or that may have begun: our own presence would keep its lease for ever.
 * Delayed, since the statement may still be running.
 */
async function giveUpTurn(host: SessionStoreHost, turn: TurnRef & Partial<Lease>): Promise<void> {
  const { run, presence, closing } = host
  await pause(GIVE_UP_MS, undefined, { ref: false })
  await retryWhileUnavailable(closing, async () => {
    const holder = await presence.ensureKey()
    await run(...GIVE_UP({ ...toTurnValues(turn), epoch: turn.epoch, holder, nobody: createLockKey() }))
  }).catch(() => (closing.aborted ? undefined : giveUpTurn(host, turn)))
}

const toTurnValues = ({ sessionId, turnId }: TurnRef) => ({ session_id: sessionId, turn_id: turnId })

const createTakenOverError = (sessionId: SessionId) =>
  new PlatformError('database_unavailable', {
    sessionId,
    message:
      'The database was unavailable. Your message is stored, but its turn was ended: continue the turn.',
  })
