import type { SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { AT, ids, newSession } from '@parley/engine/testing'

export { opening } from '@parley/engine/testing'

export async function startSession(
  store: SessionStore,
  given: Parameters<typeof newSession>[2] = {},
): Promise<SessionId> {
  const id = ids.sessionId()
  await store.create(...newSession(id, AT, given))
  return id
}

export const answer = (sessionId: SessionId, sequenceNumber: number, text = 'Hi.'): SessionMessage => ({
  id: ids.messageId(),
  sessionId,
  sequenceNumber,
  role: 'assistant',
  content: [{ type: 'text', text }],
  timestamp: AT,
})
