import {
  type OpenTurn,
  PlatformError,
  type SessionId,
  type TurnError,
  type TurnId,
  Usage,
} from '@parley/contracts'
import { NO_USAGE } from '../budget/cost.ts'
import type { AgentSessionRecord, Lease, NewTurn, SessionStore, TakeOver } from '../ports/session-store.ts'
import type { DurableEvent } from '../turn/turn.ts'
import { restoreTurn } from './restore-turn.ts'
import { createStepId, readStoredEvents } from '../events/stored-event.ts'
import { type RecorderHost, createTurnRecorder, isBusy } from './turn-recorder.ts'

/** Enough for the events of an ending; each is stored before it is published. */
const RESERVED_TO_SETTLE = 8

type SettleReason = 'interrupted' | 'cancelled'

/**
 * Ends an open turn that no process holds: its process died, or it waits for a person and was cancelled. False if
 * another process was faster.
 */
export async function settleTurn(
  turn: Omit<TakeOver, 'reserve'>,
  ending: SettleReason,
  host: RecorderHost,
): Promise<boolean> {
  const running = getRunningSettles(host.store)
  // A second call waits for the first: replacing the entry would hide that the first still writes.
  const earlier = running.get(turn.sessionId)?.catch(() => false)
  const settling = Promise.resolve(earlier).then(() => takeOverAndEnd(turn, ending, host))
  running.set(turn.sessionId, settling)
  try {
    return await settling
  } finally {
    if (running.get(turn.sessionId) === settling) running.delete(turn.sessionId)
  }
}

const settlesByStore = new WeakMap<SessionStore, Map<SessionId, Promise<boolean>>>()

/** The endings in progress in this process, by session. */
function getRunningSettles(store: SessionStore): Map<SessionId, Promise<boolean>> {
  const known = settlesByStore.get(store) ?? new Map<SessionId, Promise<boolean>>()
  settlesByStore.set(store, known)
  return known
}

/** A session as `findSettled` finds it. Throws `session_not_found`. */
export async function requireSettled(sessionId: SessionId, store: SessionStore): Promise<AgentSessionRecord> {
  const record = await findSettled(sessionId, store)
  if (!record) throw new PlatformError('session_not_found', { sessionId })
  return record
}

/**
 * Finds a session. If this process is ending a turn of it, waits for that first: until then the turn looks like a
 * running one, and a request would be refused as busy.
 */
async function findSettled(
  sessionId: SessionId,
  store: SessionStore,
): Promise<AgentSessionRecord | undefined> {
  const record = await store.find(sessionId)
  if (record?.openTurn?.state !== 'running') return record
  await getRunningSettles(store)
    .get(sessionId)
    ?.catch(() => undefined)
  return store.find(sessionId)
}

async function takeOverAndEnd(
  { sessionId, turnId, state }: Omit<TakeOver, 'reserve'>,
  ending: SettleReason,
  host: RecorderHost,
): Promise<boolean> {
  const lease = await host.store.takeOver({ sessionId, turnId, state, reserve: RESERVED_TO_SETTLE })
  if (!lease) return false
  const recorder = createTurnRecorder(lease, host)
  try {
    if (state === 'interrupted') {
      const discarded = await findDiscardedStep(lease, host.store)
      if (discarded) await recorder.record(discarded)
    }
    const usage = await readUsage(lease, host.store)
    for (const event of ENDING_EVENTS[ending](turnId, usage)) await recorder.record(event)
  } catch (failure) {
    host.store.giveUpLease(lease)
    throw failure
  } finally {
    recorder.close()
  }
  return true
}

/** Ends the open turn of a session if its process died; returns the turn that is still open, if any. */
export async function settleSession(sessionId: SessionId, host: RecorderHost): Promise<OpenTurn | undefined> {
  const open = (await findSettled(sessionId, host.store))?.openTurn
  if (open?.state !== 'interrupted') return open
  await settleTurn({ sessionId, turnId: open.turnId, state: 'interrupted' }, 'interrupted', host)
  return (await findSettled(sessionId, host.store))?.openTurn
}

/** Opens a turn. If a dead process left one open, ends that one first. */
export async function beginAfterSettling(turn: NewTurn, host: RecorderHost): Promise<Lease> {
  try {
    return await host.store.beginTurn(turn)
  } catch (failure) {
    if (!isBusy(failure)) throw failure
    const { sessionId } = turn
    const openTurn = await settleSession(sessionId, host)
    if (openTurn?.state === 'waiting') throw createWaitingError(sessionId)
    if (openTurn) throw failure
    return host.store.beginTurn(turn)
  }
}

export const createWaitingError = (sessionId: SessionId) =>
  new PlatformError('session_busy', {
    sessionId,
    message: 'A call is waiting for approval: allow or refuse it, or cancel the turn.',
  })

/** An ended session takes no more turns. */
export function requireNotEnded(record: AgentSessionRecord | undefined): void {
  if (record?.session.status !== 'ended') return
  throw new PlatformError('session_ended', { sessionId: record.session.id })
}

const INTERRUPTED: TurnError = {
  code: 'internal',
  message:
    'The server stopped before this turn was complete. Your message is saved: continue the turn, or send the message again.',
  retryable: true,
}

const ENDING_EVENTS: Record<SettleReason, (turnId: TurnId, usage: Usage) => readonly DurableEvent[]> = {
  interrupted: (turnId, usage) => [
    { type: 'session:turn_completed', turnId, stopReason: 'error', usage, error: INTERRUPTED },
  ],
  cancelled: (turnId, usage) => [
    { type: 'session:cancelled', turnId },
    { type: 'session:turn_completed', turnId, stopReason: 'cancelled', usage },
  ],
}

/** The usage of an open turn, from its last stored event with usage; free steps may be missing. */
async function readUsage(lease: Lease, store: SessionStore): Promise<Usage> {
  let usage = NO_USAGE
  for await (const { body } of readStoredEvents(store, lease.sessionId, lease.openingEventNumber))
    usage = Usage.safeParse(body['usage']).data ?? usage
  return usage
}

/** The step that a dead process may have been running; none if its last step waits for tool results. */
async function findDiscardedStep(lease: Lease, store: SessionStore): Promise<DurableEvent | undefined> {
  const { sessionId, turnId, lastMessageNumber } = lease
  const turn = await restoreTurn(store, sessionId)
  if (turn && turn.unanswered.length > 0) return undefined
  let attempt = 0
  for await (const { body } of readStoredEvents(store, lease.sessionId, lease.openingEventNumber)) {
    const isEarlier = body['stepId'] === createStepId(turnId, lastMessageNumber + 1, attempt)
    if (body.type === 'agent:step_discarded' && isEarlier) attempt += 1
  }
  return {
    type: 'agent:step_discarded',
    turnId,
    stepId: createStepId(turnId, lastMessageNumber + 1, attempt),
  }
}
