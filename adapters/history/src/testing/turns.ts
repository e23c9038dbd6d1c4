import type { SessionId, SessionMessage } from '@parley/contracts'
import type { NewQuestion, SessionStore, TurnOpening } from '@parley/engine'
import { newSession, testIds } from '@parley/engine/testing'

const ids = testIds()
const AT = '2026-03-04T05:06:07.000Z'

export async function startSession(
  store: SessionStore,
  given: Parameters<typeof newSession>[2] = {},
): Promise<SessionId> {
  const id = ids.sessionId()
  await store.create(...newSession(id, AT, given))
  return id
}

export function opening(
  sessionId: SessionId,
  text = 'Hello',
  given: Pick<NewQuestion, 'idempotencyKey'> = {},
): TurnOpening {
  const turnId = ids.turnId()
  const message: NewQuestion['message'] = {
    id: ids.messageId(),
    content: [{ type: 'text', text }],
    timestamp: AT,
  }
  return {
    sessionId,
    turnId,
    question: { kind: 'new', message, title: 'Hello', ...given },
    event: { timestamp: AT, body: { type: 'session:turn_started', turnId } },
    reserve: 100,
  }
}

export const answer = (sessionId: SessionId, sequenceNumber: number, text = 'Hi.'): SessionMessage => ({
  id: ids.messageId(),
  sessionId,
  sequenceNumber,
  role: 'assistant',
  content: [{ type: 'text', text }],
  timestamp: AT,
})
