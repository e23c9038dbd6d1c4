import type { SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { AT, ids, createTestSession } from '@parley/engine/testing'

export { createNewTurn } from '@parley/engine/testing'

export async function startSession(
  store: SessionStore,
  given: Parameters<typeof createTestSession>[2] = {},
): Promise<SessionId> {
  const id = ids.sessionId()
  await store.create(...createTestSession(id, AT, given))
  return id
}

export const createAnswer = (sessionId: SessionId, sequenceNumber: number, text = 'Hi.'): SessionMessage => ({
  id: ids.messageId(),
  sessionId,
  sequenceNumber,
  role: 'assistant',
  content: [{ type: 'text', text }],
  timestamp: AT,
})
