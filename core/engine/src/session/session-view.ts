import type { SessionView } from '@parley/contracts'
import type { SessionRecord } from '../ports/session-store.ts'

/** A session as outsiders are told of it, the same over HTTP and in a terminal. */
export function sessionView({ session, lastSequence, openTurn }: SessionRecord): SessionView {
  const { agentSnapshot, ownerId: _, ...kept } = session
  const { model, provider } = agentSnapshot
  return {
    ...kept,
    sessionId: session.id,
    model,
    provider,
    lastSequence,
    ...(openTurn && { openTurn }),
  }
}
