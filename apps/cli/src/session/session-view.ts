import type { SessionView } from '@parley/contracts'
import type { SessionRecord } from '@parley/engine'

/** A session as programs are told of it: the same shape as over HTTP. */
export function sessionView({ session, lastSequence, runningTurnId }: SessionRecord): SessionView {
  const { agentSnapshot, ownerId: _, ...kept } = session
  const { model, provider } = agentSnapshot
  return {
    ...kept,
    sessionId: session.id,
    model,
    provider,
    lastSequence,
    ...(runningTurnId !== undefined && { runningTurnId }),
  }
}
