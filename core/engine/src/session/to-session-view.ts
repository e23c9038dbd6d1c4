import type { SessionView } from '@parley/contracts'
import type { AgentSessionRecord } from '../ports/session-store.ts'

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
