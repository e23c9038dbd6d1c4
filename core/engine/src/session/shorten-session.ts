import {
  PlatformError,
  type SessionId,
  type SessionMessage,
  type ShortenedSession,
  type UnstampedEvent,
} from '@parley/contracts'
import { createStepCost, addStepCost } from '../budget/cost.ts'
import { decideRequestBudget } from '../budget/decide-budget.ts'
import { getLastNumber, createMarker, requestSummary, createSummaryRequest } from '../window/shorten-turn.ts'
import type { AgentSessionRecord, BetweenTurnsWrite } from '../ports/session-store.ts'
import type { TurnMessage } from '../turn/turn.ts'
import { type CachedSession, createSessionBase, createCachedSession } from './session-cache.ts'
import { readPast } from './read-past.ts'
import { settleSession } from './settle-turn.ts'
import { type SessionsHost, resolveLimits } from './sessions-host.ts'

/** Summarises the past; the messages stay in the store but are no longer sent to models. */
export async function compactSession(sessionId: SessionId, host: SessionsHost): Promise<ShortenedSession> {
  const { record, known } = await readIdleSession(sessionId, host)
  const { past, summary: earlier } = known
  const omitted = past.slice(0, past.length - countOpenNotes(past))
  if (omitted.length === 0) throw createNothingToShortenError(sessionId)
  const { agentSnapshot, costs } = record.session
  const model = host.getModel(agentSnapshot)
  const request = createSummaryRequest(omitted, earlier, model)
  const budget = decideRequestBudget(model, request, costs, resolveLimits(host))
  if (budget.kind === 'fail') throw new PlatformError('budget_exceeded', { message: budget.error.message })
  if (budget.kind === 'pause') throw new PlatformError('budget_exceeded', { message: budget.reason })

  await recordSessionEvent(sessionId, { type: 'session:compacting' }, host)
  const summary = await requestSummary(model, request, new AbortController().signal)
  if (summary.kind === 'failed')
    throw new PlatformError(summary.error.code, { message: `No summary was made: ${summary.error.message}` })
  const uptoSequence = getLastNumber(omitted)
  await recordSessionEvent(sessionId, { type: 'session:compacted', uptoSequence }, host, {
    message: {
      ...toNextMessage(createMarker('compacted', uptoSequence, summary.text), record, host),
      modelId: model.modelId,
    },
    costs: addStepCost(costs, createStepCost(model, summary.usage)),
  })
  return { messagesBefore: past.length, messagesAfter: past.length - omitted.length }
}

/** Sends models only the last `keep` messages, in whole turns. */
export async function trimSession(
  sessionId: SessionId,
  keep: number,
  host: SessionsHost,
): Promise<ShortenedSession> {
  const { record, known } = await readIdleSession(sessionId, host)
  const { past, summary } = known
  const start = past.findLastIndex(({ role }, index) => index <= past.length - keep && role === 'user')
  const kept = keep === 0 ? past.slice(past.length - countOpenNotes(past)) : past.slice(Math.max(0, start))
  const omitted = past.slice(0, past.length - kept.length)
  if (omitted.length === 0) return { messagesBefore: past.length, messagesAfter: past.length }
  const uptoSequence = getLastNumber(omitted)
  await recordSessionEvent(sessionId, { type: 'session:trimmed', uptoSequence }, host, {
    message: toNextMessage(createMarker('trimmed', uptoSequence, summary), record, host),
  })
  return { messagesBefore: past.length, messagesAfter: kept.length }
}

/** The last turn may still be resumed if it has no answer, so its note and its messages stay. */
const countOpenNotes = (past: CachedSession['past']): number => (past.at(-1)?.isNote ? 1 : 0)

/** Stores an event between turns, then publishes it. */
export async function recordSessionEvent(
  sessionId: SessionId,
  event: Extract<UnstampedEvent, { type: `session:${string}` }>,
  { store, clock, eventBus }: SessionsHost,
  additions: Pick<BetweenTurnsWrite, 'message' | 'costs'> = {},
): Promise<void> {
  const timestamp = new Date(clock.now()).toISOString()
  const sequenceNumber = await store.writeBetweenTurns({
    sessionId,
    event: { timestamp, body: event },
    ...additions,
  })
  const live = eventBus.open(sessionId)
  live.publish({ ...event, sessionId, sequenceNumber, timestamp })
  live.close()
}

async function readIdleSession(
  sessionId: SessionId,
  host: SessionsHost,
): Promise<{ record: AgentSessionRecord; known: CachedSession }> {
  const openTurn = await settleSession(sessionId, host)
  if (openTurn) throw new PlatformError('session_busy', { sessionId, turnId: openTurn.turnId })
  const record = await host.store.find(sessionId)
  if (!record) throw new PlatformError('session_not_found', { sessionId })
  const { session } = record
  const past = await readPast(sessionId, session.messageCount, host)
  return { record, known: createCachedSession(createSessionBase(session), session.messageCount, past) }
}

/** Becomes the session's next message. */
function toNextMessage(
  { content, ...message }: TurnMessage,
  { session }: AgentSessionRecord,
  { ids, clock }: SessionsHost,
): SessionMessage {
  return {
    ...message,
    content: [...content],
    id: ids.messageId(),
    sessionId: session.id,
    sequenceNumber: session.messageCount + 1,
    timestamp: new Date(clock.now()).toISOString(),
  }
}

const createNothingToShortenError = (sessionId: SessionId) =>
  new PlatformError('validation', {
    sessionId,
    message:
      'Nothing was answered in this session since it was last shortened: there is nothing to summarise.',
  })
