import type { SessionId, SessionMessage } from '@parley/contracts'
import type { Batch, SessionStore, StoredEvent, TurnOpening } from '@parley/engine'
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

export function opening(sessionId: SessionId, text = 'Hello'): TurnOpening {
  const turnId = ids.turnId()
  return {
    sessionId,
    turnId,
    message: { id: ids.messageId(), content: [{ type: 'text', text }], timestamp: AT },
    event: { timestamp: AT, body: { type: 'session:turn_started', turnId } },
    title: 'Hello',
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

export const event = (sequenceNumber: number, given: Partial<StoredEvent> = {}): StoredEvent => ({
  sequenceNumber,
  timestamp: AT,
  body: { type: 'agent:token', model: 'scripted' },
  ...given,
})

export const batch = (given: Partial<Batch>): Batch => ({
  messages: [],
  events: [],
  reservedUpTo: 102,
  at: AT,
  release: false,
  ...given,
})
