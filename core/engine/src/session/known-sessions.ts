import type { Agent, SessionId, SessionMessage } from '@parley/contracts'
import { lastTurnsOf, pastOf } from './past-of.ts'
import { hasFinalText, standingOf } from './reconstruct-session-state.ts'

/** What this process knows of a session: its agent, which never changes, and what a model is given of its past. */
export interface KnownSession {
  readonly agent: Agent
  /** The number of the last message that the past accounts for. */
  readonly lastMessage: number
  readonly past: readonly SessionMessage[]
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

/** A session as its last messages tell. */
export function knownFrom(agent: Agent, tail: readonly SessionMessage[]): KnownSession {
  const past = pastOf(tail)
  const weight = OBJECT + agent.system_prompt.length + weightOf(past)
  return { agent, lastMessage: tail.at(-1)?.sequenceNumber ?? 0, past, weight }
}

/** The session after a turn: its question and all that answered it. */
export function grownBy(known: KnownSession, turn: readonly SessionMessage[]): KnownSession {
  const lastMessage = turn.at(-1)?.sequenceNumber ?? known.lastMessage
  if (!hasFinalText(turn)) return { ...known, lastMessage }
  const all = [...known.past, ...standingOf(turn)]
  const past = lastTurnsOf(all)
  const dropped = all.slice(0, all.length - past.length)
  return { ...known, lastMessage, past, weight: known.weight + weightOf(turn) - weightOf(dropped) }
}

/** An object's own weight, whatever it holds. */
const OBJECT = 300

function weightOf(messages: readonly SessionMessage[]): number {
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
