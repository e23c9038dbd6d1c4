import type { Agent, SessionId, SessionMessage } from '@parley/contracts'
import { TAIL } from './past-of.ts'

/** What this process knows of a session: its agent, which never changes, and its last messages. */
export interface KnownSession {
  readonly agent: Agent
  /** The number of the last message of the tail. */
  readonly lastMessage: number
  readonly tail: readonly SessionMessage[]
}

export type KnownSessions = ReturnType<typeof createKnownSessions>

/** How many characters are held in all, roughly. */
const MOST = 16_000_000

/**
 * Spares a turn the reading of what the turn before it has just written. Messages are append-only and numbered, so a
 * tail whose last number is the session's is the session's, whoever else wrote meanwhile.
 */
export function createKnownSessions(most = MOST) {
  const sessions = new Map<SessionId, { readonly known: KnownSession; readonly weight: number }>()
  let held = 0

  const forget = (sessionId: SessionId) => {
    held -= sessions.get(sessionId)?.weight ?? 0
    sessions.delete(sessionId)
  }

  return {
    get: (sessionId: SessionId) => sessions.get(sessionId)?.known,
    forget,
    /** What was remembered longest ago is forgotten first. */
    remember(sessionId: SessionId, { agent, lastMessage, tail }: KnownSession) {
      forget(sessionId)
      const known = { agent, lastMessage, tail: tail.length > TAIL ? tail.slice(-TAIL) : tail }
      const weight = weightOf(known)
      sessions.set(sessionId, { known, weight })
      held += weight
      for (const oldest of sessions.keys()) {
        if (held <= most) break
        forget(oldest)
      }
    },
  }
}

/** An object's own weight, whatever it holds. */
const OBJECT = 300

function weightOf({ agent, tail }: KnownSession): number {
  let weight = OBJECT + agent.system_prompt.length
  for (const { content } of tail) {
    weight += OBJECT
    for (const part of content) {
      if (part.type === 'text' || part.type === 'reasoning') weight += part.text.length
      else if (part.type === 'tool_result') weight += part.outcome.text.length
      else weight += OBJECT
    }
  }
  return weight
}
