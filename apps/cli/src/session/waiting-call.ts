import type { AgentSessionRecord, SessionStore } from '@parley/engine'
import type { ApprovalRequest } from '../talk/conversation.ts'

/** The call that a turn waits with: the last thing that was told of it. */
export async function waitingCall(
  { session, lastSequence, openTurn }: AgentSessionRecord,
  store: SessionStore,
): Promise<ApprovalRequest | undefined> {
  if (openTurn?.state !== 'waiting') return undefined
  const [last] = await store.readEvents(session.id, { after: lastSequence - 1, limit: 1 })
  if (last?.body.type !== 'agent:approval_requested') return undefined
  const { body, sequenceNumber, timestamp } = last
  return { ...body, sequenceNumber, timestamp, sessionId: session.id } as ApprovalRequest
}
