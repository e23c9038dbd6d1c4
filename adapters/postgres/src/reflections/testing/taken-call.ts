import type { SessionId } from '@parley/contracts'
import type { TakenCall } from '@parley/reflections'

/** A call of two messages that is used for learning. */
export const createTakenCall = (sessionId: SessionId): TakenCall => ({
  sessionId,
  providerConversationId: `conv_of_${sessionId}`,
  startedAt: '2026-01-01T12:00:00.000Z',
  title: 'Where?',
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: `Where, in ${sessionId}?` }],
      timestamp: '2026-01-01T12:00:00.000Z',
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'In Oslo.' }],
      timestamp: '2026-01-01T12:00:05.000Z',
    },
  ],
  source: { title: `Call ${sessionId}`, text: JSON.stringify([{ role: 'user', text: `Of ${sessionId}` }]) },
})
