import { type CallId, PlatformError, type SessionId } from '@parley/contracts'
import type { AgentSessionRecord, NewTurn } from '../ports/session-store.ts'
import { BUDGET_CALL } from '../turn/ask-model.ts'
import type { SessionProcess } from './agent-runner.ts'
import { readApprovalRequest } from './read-approval-request.ts'
import { readPast } from './read-past.ts'
import type { PersonDecision, SentMessage } from './requests.ts'
import { type StoredTurn, restoreTurn } from './restore-turn.ts'
import { type CachedSession, createCachedSession, createSessionBase } from './session-cache.ts'
import { type FixedSession, type SessionsHost, requireModel } from './sessions-host.ts'
import { beginAfterSettling, createWaitingError, requireNotEnded, requireSettled } from './settle-turn.ts'

/** How many event numbers a turn reserves when it opens. */
export const RESERVED_AT_OPENING = 1_024

/** Opens a new turn on the question of a turn without an answer. */
export async function continueTurn(sessionId: SessionId, host: SessionProcess): Promise<SentMessage> {
  const { store, clock, ids, runner } = host
  const record = await requireSettled(sessionId, store)
  const { session } = record
  requireNotEnded(record)
  requireModel(session.agentSnapshot, host)
  if (record.openTurn?.state === 'running') throw createBusyError(record)
  if (record.openTurn?.state === 'waiting') throw createWaitingError(sessionId)
  const stored = await restoreTurn(store, sessionId)
  if (!stored || stored.isAnswered) throw createNothingToContinueError(sessionId)

  const { question, later, transcript, unanswered } = stored
  const turnId = ids.turnId()
  const timestamp = new Date(clock.now()).toISOString()
  const started = { type: 'session:turn_started', turnId, continued: true } as const
  const turn: NewTurn = {
    sessionId,
    turnId,
    question: {
      kind: 'stored',
      sequenceNumber: question.sequenceNumber,
      messageCount: later.at(-1)?.sequenceNumber ?? question.sequenceNumber,
    },
    event: { timestamp, body: started },
    reserve: RESERVED_AT_OPENING,
  }
  const lease = await beginAfterSettling(turn, host)
  return runner.start({
    lease,
    session,
    first: { kind: 'stored', event: { ...started, message: question }, timestamp },
    readBefore: () => readBefore(session, stored, host),
    question,
    transcript,
    resumption: { kind: 'interrupted', callIds: new Set(unanswered.map(({ id }) => id)) },
  })
}

/** Resumes a waiting turn with a person's decision. */
export async function resumeWithDecision(
  sessionId: SessionId,
  callId: CallId,
  { decision, by, inputHash, unattended }: PersonDecision,
  host: SessionProcess,
): Promise<SentMessage> {
  const { store, runner } = host
  const found = await requireSettled(sessionId, store)
  const { session, openTurn, lastSequence } = found
  requireModel(session.agentSnapshot, host)
  const stored = await restoreTurn(store, sessionId)
  if (openTurn?.state !== 'waiting' || !stored || findWaitingCall(stored) !== callId)
    throw createNotPendingError(callId)
  const request = await readApprovalRequest(found, store)
  if (inputHash !== undefined && inputHash !== request?.inputHash) throw createChangedError(callId)
  if (decision === 'allow_session' && !request?.grant) throw createApproveEachTimeError(request?.tool)

  const { turnId } = openTurn
  const lease = await store.takeOver({
    sessionId,
    turnId,
    state: 'waiting',
    reserve: RESERVED_AT_OPENING,
    // Another process may have answered since, and the turn may wait again, with another call.
    lastSequence,
  })
  if (!lease) throw createNotPendingError(callId)
  const { question, transcript } = stored
  return runner.start({
    lease,
    session,
    first: {
      kind: 'new',
      event: {
        type: 'agent:approval_answered',
        turnId,
        callId,
        decision,
        ...(by !== undefined && { by }),
        ...(unattended && { unattended }),
      },
      ...(decision === 'allow_session' && { grant: request?.grant }),
    },
    readBefore: () => readBefore(session, stored, host),
    question,
    transcript,
    ...(request?.usage && { usage: request.usage }),
    resumption:
      stored.unanswered.length === 0
        ? { kind: 'budget-decided', decision }
        : { kind: 'decided', callId, answer: { decision, inputHash: request?.inputHash, unattended } },
  })
}

/** The session before the question of this turn. */
async function readBefore(
  session: FixedSession,
  { question, later }: StoredTurn,
  host: SessionsHost,
): Promise<CachedSession> {
  const last = question.sequenceNumber - 1
  return createCachedSession(
    createSessionBase(session),
    last,
    await readPast(session.id, last, host, { later }),
  )
}

/** The call that waits in a turn, or the budget if there is none. */
const findWaitingCall = ({ unanswered }: StoredTurn): CallId => unanswered[0]?.id ?? BUDGET_CALL

const createBusyError = ({ session, openTurn }: AgentSessionRecord) =>
  new PlatformError('session_busy', { sessionId: session.id, ...(openTurn && { turnId: openTurn.turnId }) })

const createNothingToContinueError = (sessionId: SessionId) =>
  new PlatformError('nothing_to_continue', {
    sessionId,
    message: 'The last turn of this session is complete; there is nothing to continue.',
  })

const createNotPendingError = (callId: CallId) =>
  new PlatformError('approval_not_pending', {
    callId,
    message: `No call ${callId} is waiting for approval in this session.`,
  })

const createChangedError = (callId: CallId) =>
  new PlatformError('approval_not_pending', {
    callId,
    message: `The call ${callId} is waiting, but its request changed since (its inputHash differs). Read it again, then answer.`,
  })

const createApproveEachTimeError = (tool = 'This call') =>
  new PlatformError('validation', {
    message: `${tool} needs approval each time: answer "allow" or "refuse".`,
  })
