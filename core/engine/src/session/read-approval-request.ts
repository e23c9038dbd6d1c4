import type { SessionEvent } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '../ports/session-store.ts'

type ApprovalRequest = Extract<SessionEvent, { type: 'agent:approval_requested' }>

/** The question of a waiting turn, which is its last event; undefined if the turn has continued since. */
export async function readApprovalRequest(
  { session: { id: sessionId }, lastSequence }: AgentSessionRecord,
  store: Pick<SessionStore, 'readEvents'>,
): Promise<ApprovalRequest | undefined> {
  const [last] = await store.readEvents(sessionId, { after: lastSequence - 1, limit: 1 })
  if (last?.body.type !== 'agent:approval_requested') return undefined
  const { body, sequenceNumber, timestamp } = last
  return { ...body, sequenceNumber, timestamp, sessionId } as ApprovalRequest
}
