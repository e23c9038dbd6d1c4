import { PlatformError, type SessionId, type SessionMessage, type UnstampedEvent } from '@parley/contracts'
import { costOf, withStep } from '../budget/cost.ts'
import { budgetFor } from '../budget/decide-budget.ts'
import { lastNumberOf, markerOf, summarise, summaryRequest } from '../context/shorten-turn.ts'
import type { AgentSessionRecord, Note } from '../ports/session-store.ts'
import type { TurnMessage } from '../turn/turn.ts'
import { type KnownSession, frameOf, knownFrom } from './known-sessions.ts'
import { readPast } from './read-past.ts'
import { settleInterrupted } from './settle-turn.ts'
import { type SessionsHost, limitsOf } from './turn-host.ts'

/** How many messages a model got before, and gets from now on. */
export interface Shortened {
  readonly messagesBefore: number
  readonly messagesAfter: number
}

/** Summarises the past; the messages stay in the store but are no longer sent to models. */
export async function compactSession(sessionId: SessionId, host: SessionsHost): Promise<Shortened> {
  const { record, known } = await idleSession(sessionId, host)
  const { past, summary: earlier } = known
  const left = past.slice(0, past.length - openNotes(past))
  if (left.length === 0) throw nothingToShorten(sessionId)
  const { agentSnapshot, costs } = record.session
  const model = host.modelOf(agentSnapshot)
  const request = summaryRequest(left, earlier, model)
  const budget = budgetFor(model, request, costs, limitsOf(host))
  if (budget.kind === 'fail') throw new PlatformError('budget_exceeded', { message: budget.error.message })
  if (budget.kind === 'pause') throw new PlatformError('budget_exceeded', { message: budget.reason })

  await noteEvent(sessionId, { type: 'session:compacting' }, host)
  const summary = await summarise(model, request, new AbortController().signal)
  if (summary.kind === 'failed')
    throw new PlatformError(summary.error.code, { message: `No summary was made: ${summary.error.message}` })
  const uptoSequence = lastNumberOf(left)
  await noteEvent(sessionId, { type: 'session:compacted', uptoSequence }, host, {
    message: {
      ...placed(markerOf('compacted', uptoSequence, summary.text), record, host),
      modelId: model.modelId,
    },
    costs: withStep(costs, costOf(model, summary.usage)),
  })
  return { messagesBefore: past.length, messagesAfter: past.length - left.length }
}

/** Sends models only the last `keep` messages, in whole turns. */
export async function trimSession(
  sessionId: SessionId,
  keep: number,
  host: SessionsHost,
): Promise<Shortened> {
  const { record, known } = await idleSession(sessionId, host)
  const { past, summary } = known
  const start = past.findLastIndex(({ role }, index) => index <= past.length - keep && role === 'user')
  const kept = keep === 0 ? past.slice(past.length - openNotes(past)) : past.slice(Math.max(0, start))
  const left = past.slice(0, past.length - kept.length)
  if (left.length === 0) return { messagesBefore: past.length, messagesAfter: past.length }
  const uptoSequence = lastNumberOf(left)
  await noteEvent(sessionId, { type: 'session:trimmed', uptoSequence }, host, {
    message: placed(markerOf('trimmed', uptoSequence, summary), record, host),
  })
  return { messagesBefore: past.length, messagesAfter: kept.length }
}

/** The last turn may still be resumed if it has no answer, so its note and its messages stay. */
const openNotes = (past: KnownSession['past']): number => (past.at(-1)?.isNote ? 1 : 0)

/** Stores an event between turns, then publishes it. */
export async function noteEvent(
  sessionId: SessionId,
  event: Extract<UnstampedEvent, { type: `session:${string}` }>,
  { store, clock, hub }: SessionsHost,
  given: Pick<Note, 'message' | 'costs'> = {},
): Promise<void> {
  const timestamp = new Date(clock.now()).toISOString()
  const sequenceNumber = await store.note({ sessionId, event: { timestamp, body: event }, ...given })
  const live = hub.open(sessionId)
  live.tell({ ...event, sessionId, sequenceNumber, timestamp })
  live.close()
}

async function idleSession(
  sessionId: SessionId,
  host: SessionsHost,
): Promise<{ record: AgentSessionRecord; known: KnownSession }> {
  const openTurn = await settleInterrupted(sessionId, host)
  if (openTurn) throw new PlatformError('session_busy', { sessionId, turnId: openTurn.turnId })
  const record = await host.store.find(sessionId)
  if (!record) throw new PlatformError('session_not_found', { sessionId })
  const { session } = record
  const past = await readPast(sessionId, session.messageCount, host)
  return { record, known: knownFrom(frameOf(session), session.messageCount, past) }
}

/** Becomes the session's next message. */
function placed(
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

const nothingToShorten = (sessionId: SessionId) =>
  new PlatformError('validation', {
    sessionId,
    message:
      'Nothing was answered in this session since it was last shortened: there is nothing to summarise.',
  })
