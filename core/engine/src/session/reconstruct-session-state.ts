import type { SessionId, SessionMessage, SessionView } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '../ports/session-store.ts'
import { findUnansweredCalls } from '../turn/decide-next.ts'

/** A logical turn: the person's messages and everything that answers them. */
export interface LogicalTurn {
  readonly messages: readonly SessionMessage[]
  /** Completed turns have final text; the others are stored and shown, but not sent to models. */
  readonly outcome: 'completed' | 'rolled-back'
}

/**
 * The turns of a transcript. Consecutive questions form one turn, unless each opened its own. Messages before the first
 * question (a tail that starts mid-turn) and markers belong to no turn.
 */
export function reconstructSessionState(messages: readonly SessionMessage[]): readonly LogicalTurn[] {
  const turns: SessionMessage[][] = []
  let previous: SessionMessage | undefined
  for (const message of messages) {
    if (message.marker) continue
    const goesOn = previous?.role === 'user' && previous.turnId === message.turnId
    if (message.role === 'user' && !goesOn) turns.push([])
    turns.at(-1)?.push(message)
    previous = message
  }
  return turns.map((turn) => ({ messages: turn, outcome: hasFinalText(turn) ? 'completed' : 'rolled-back' }))
}

export function hasFinalText(turn: readonly SessionMessage[]): boolean {
  const last = turn.at(-1)
  if (last?.role !== 'assistant' || last.cutShort === 'failed' || last.cutShort === 'unfinished') return false
  const asksForTools = last.content.some((part) => part.type === 'tool_call')
  return !asksForTools && last.content.some((part) => part.type === 'text' && part.text !== '')
}

/** A turn without its failed and unfinished steps, and without cancelled steps that were followed by others. */
export const removeFailedSteps = (turn: readonly SessionMessage[]): readonly SessionMessage[] =>
  turn.filter(
    ({ cutShort }, index) =>
      cutShort === undefined || (cutShort === 'cancelled' && index === turn.length - 1),
  )

/** The public view of a session, the same over HTTP and in a terminal. */
export function toSessionView(
  { session, lastSequence, openTurn }: AgentSessionRecord,
  { mayWrite }: Pick<SessionView, 'mayWrite'>,
): SessionView {
  const { agentSnapshot, ownerId: _, ...kept } = session
  const { model, provider, name } = agentSnapshot
  return {
    ...kept,
    sessionId: session.id,
    ...(name !== undefined && { agentName: name }),
    model,
    provider,
    lastSequence,
    ...(openTurn && { openTurn }),
    mayWrite,
  }
}

/** The last stored turn of a session. */
export interface StoredTurn {
  readonly question: SessionMessage
  /** Everything after the question, including markers. */
  readonly later: readonly SessionMessage[]
  /** The answer so far, without failed steps. */
  readonly transcript: readonly SessionMessage[]
  readonly unanswered: ReturnType<typeof findUnansweredCalls>
  readonly isAnswered: boolean
}

/** Enough to find the question of most turns. */
const LAST_TURN = 100

/** Undefined if the session has no messages. */
export async function restoreTurn(
  store: SessionStore,
  sessionId: SessionId,
  limit = LAST_TURN,
): Promise<StoredTurn | undefined> {
  const tail = await store.readTail(sessionId, limit)
  const at = tail.findLastIndex(({ role }) => role === 'user')
  const question = tail[at]
  if (!question) return tail.length < limit ? undefined : restoreTurn(store, sessionId, limit * 4)
  const later = tail.slice(at + 1)
  const answers = later.filter(({ marker }) => !marker)
  const isAnswered = hasFinalText(answers)
  const transcript = isAnswered ? answers : answers.filter(({ cutShort }) => cutShort === undefined)
  return {
    question,
    later,
    transcript,
    unanswered: findUnansweredCalls(transcript),
    isAnswered,
  }
}
