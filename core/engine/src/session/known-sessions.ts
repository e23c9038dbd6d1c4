import type { SessionId, SessionMessage } from '@parley/contracts'
import type { PastMessage } from '../context/plan-context.ts'
import { renderSystemPrompt } from '../context/agent-input.ts'
import type { SessionPast } from './read-past.ts'
import type { SettledSession } from './turn-host.ts'
import { hasFinalText, standingOf } from './reconstruct-session-state.ts'

/** What this process knows of a session: what was settled at its start, and what a model is given of its past. */
export interface KnownSession extends SessionPast {
  readonly session: SettledSession
  /** The agent's system prompt, with the session's context in it. */
  readonly system: string
  /** The number of the last message that the past accounts for. */
  readonly lastMessage: number
  /** How many characters it holds, roughly. */
  readonly weight: number
}

export type KnownSessions = ReturnType<typeof createKnownSessions>

/** How many characters are held in all, roughly. */
const MOST = 16_000_000

/**
 * Spares a turn the reading of what the turn before it has just written. Messages are append-only and numbered, so a
 * past that ends with the session's last message is the session's, whoever else wrote meanwhile.
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
    /** What was remembered longest ago is forgotten first. */
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

export function frameOf({ id, ownerId, agentSnapshot, context }: SettledSession): Frame {
  return {
    session: { id, ownerId, agentSnapshot, context },
    system: renderSystemPrompt(agentSnapshot.system_prompt, context),
  }
}

/** A session of which messages up to this number are known. */
export const knownFrom = (
  { session, system }: Frame,
  lastMessage = 0,
  past: SessionPast = { past: [] },
): KnownSession => ({
  session,
  system,
  lastMessage,
  ...past,
  weight: OBJECT + system.length + weightOf(past.past),
})

/**
 * The session after a turn: its question and all that answered it. A turn without an answer may still be continued, so
 * the next turn reads what became of it. Undefined where the whole past has to be read again.
 */
export function grownBy(known: KnownSession, turn: readonly SessionMessage[]): KnownSession | undefined {
  if (turn.some(({ marker }) => marker)) return undefined
  if (!hasFinalText(turn)) return known
  const lastMessage = turn.at(-1)?.sequenceNumber ?? known.lastMessage
  const past = [...known.past, ...standingOf(turn)]
  return { ...known, lastMessage, past, weight: known.weight + weightOf(turn) }
}

/** An object's own weight, whatever it holds. */
const OBJECT = 300

function weightOf(messages: readonly PastMessage[]): number {
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
