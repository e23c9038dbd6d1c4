import type { SessionId, SessionMessage } from '@parley/contracts'
import { OBJECT_WEIGHT, estimateMessageWeight } from '../events/estimate-weight.ts'
import type { PastMessage, SessionPast } from '../window/plan-window.ts'
import { renderSystemPrompt } from '../context/agent-input.ts'
import type { FixedSession } from './sessions-host.ts'
import { hasFinalText, removeFailedSteps } from './reconstruct-session-state.ts'

/** A session in this process's cache: its fixed parts, and the past as a model gets it. */
export interface CachedSession extends SessionPast {
  readonly session: FixedSession
  /** The agent's system prompt, filled with the session's context. */
  readonly system: string
  /** The number of the last message in the past. */
  readonly lastMessageNumber: number
  /** Approximate memory, in bytes. */
  readonly weight: number
}

export type SessionCache = ReturnType<typeof createSessionCache>

/** The limit of all weights together. */
const MAX_WEIGHT = 16_000_000

/**
 * Saves a turn from rereading the messages that the previous turn just wrote. Messages are append-only and numbered, so
 * a cached past that ends with the session's last message is complete, even if other processes wrote to the session.
 */
export function createSessionCache(most = MAX_WEIGHT) {
  const sessions = new Map<SessionId, CachedSession>()
  let held = 0

  const forget = (sessionId: SessionId) => {
    held -= sessions.get(sessionId)?.weight ?? 0
    sessions.delete(sessionId)
  }

  return {
    get: (sessionId: SessionId) => sessions.get(sessionId),
    forget,
    /** The oldest entry is dropped first. */
    remember(sessionId: SessionId, known: CachedSession) {
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

type SessionBase = Pick<CachedSession, 'session' | 'system'>

export function createSessionBase({ id, ownerId, agentSnapshot, context }: FixedSession): SessionBase {
  return {
    session: { id, ownerId, agentSnapshot, context },
    system: renderSystemPrompt(agentSnapshot.system_prompt, context),
  }
}

/** The cached session, if it is known up to this message. */
export const createCachedSession = (
  { session, system }: SessionBase,
  lastMessageNumber = 0,
  past: SessionPast = { past: [] },
): CachedSession => ({
  session,
  system,
  lastMessageNumber,
  ...past,
  weight: OBJECT_WEIGHT + system.length + estimateWeight(past.past),
})

/**
 * The session after a turn, with its question and answer. A turn without an answer may still be resumed, so the next
 * turn reads it again. Undefined if the whole past must be read again.
 */
export function addCachedTurn(
  known: CachedSession,
  turn: readonly SessionMessage[],
): CachedSession | undefined {
  if (turn.some(({ marker }) => marker)) return undefined
  if (!hasFinalText(turn)) return known
  const lastMessageNumber = turn.at(-1)?.sequenceNumber ?? known.lastMessageNumber
  const past = [...known.past, ...removeFailedSteps(turn)]
  return { ...known, lastMessageNumber, past, weight: known.weight + estimateWeight(turn) }
}

const estimateWeight = (messages: readonly PastMessage[]): number =>
  messages.reduce((weight, message) => weight + estimateMessageWeight(message), 0)
