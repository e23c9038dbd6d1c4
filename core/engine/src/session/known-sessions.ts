import type { SessionId, SessionMessage } from '@parley/contracts'
import type { PastMessage, SessionPast } from '../context/plan-context.ts'
import { renderSystemPrompt } from '../context/agent-input.ts'
import type { SettledSession } from './turn-host.ts'
import { hasFinalText, withoutFailedSteps } from './reconstruct-session-state.ts'

/** A session in this process's cache: its fixed parts, and the past as a model gets it. */
export interface KnownSession extends SessionPast {
  readonly session: SettledSession
  /** The agent's system prompt, filled with the session's context. */
  readonly system: string
  /** The number of the last message in the past. */
  readonly lastMessage: number
  /** Approximate size in characters. */
  readonly weight: number
}

export type KnownSessions = ReturnType<typeof createKnownSessions>

/** The approximate limit of all cached characters. */
const MOST = 16_000_000

/**
 * Saves a turn from rereading the messages that the previous turn just wrote. Messages are append-only and numbered, so
 * a cached past that ends with the session's last message is complete, even if other processes wrote to the session.
 */
export function createKnownSessions(most = MOST) {
  const sessions = new Map<SessionId, KnownSession>()
  let held = 0

  const forget = (sessionId: SessionId) => {
    held -= sessions.get(sessionId)?.weight ?? 0
    sessions.delete(sessionId)
  }

  return {
    get: (sessionId: SessionId) => sessions.get(sessionId),
    forget,
    /** The oldest entry is dropped first. */
    remember(sessionId: SessionId, known: KnownSession) {
      forget(sessionId)
      sessions.set(sessionId, known)
      held += known.weight
      for (const oldest of sessions.keys()) {
        if (held <= most) break
        forget(oldest)
      }
    },
  }
}

type Frame = Pick<KnownSession, 'session' | 'system'>

export function createFrame({ id, ownerId, agentSnapshot, context }: SettledSession): Frame {
  return {
    session: { id, ownerId, agentSnapshot, context },
    system: renderSystemPrompt(agentSnapshot.system_prompt, context),
  }
}

/** The cached session, if it is known up to this message. */
export const createKnownSession = (
  { session, system }: Frame,
  lastMessage = 0,
  past: SessionPast = { past: [] },
): KnownSession => ({
  session,
  system,
  lastMessage,
  ...past,
  weight: OBJECT + system.length + estimateWeight(past.past),
})

/**
 * The session after a turn, with its question and answer. A turn without an answer may still be resumed, so the next
 * turn reads it again. Undefined if the whole past must be read again.
 */
export function addTurn(known: KnownSession, turn: readonly SessionMessage[]): KnownSession | undefined {
  if (turn.some(({ marker }) => marker)) return undefined
  if (!hasFinalText(turn)) return known
  const lastMessage = turn.at(-1)?.sequenceNumber ?? known.lastMessage
  const past = [...known.past, ...withoutFailedSteps(turn)]
  return { ...known, lastMessage, past, weight: known.weight + estimateWeight(turn) }
}

/** The weight of an object without its content. */
const OBJECT = 300

function estimateWeight(messages: readonly PastMessage[]): number {
  let weight = 0
  for (const { content } of messages) {
    weight += OBJECT
    for (const part of content) {
      if (part.type === 'text' || part.type === 'reasoning') weight += part.text.length
      else if (part.type === 'tool_result') weight += part.outcome.text.length
      else weight += OBJECT
    }
  }
  return weight
}
