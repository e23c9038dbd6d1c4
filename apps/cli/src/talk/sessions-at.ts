import { randomUUID } from 'node:crypto'
import type { ApiClient } from '@parley/api-client'
import type { TalkedIn } from './conversation.ts'

/** The sessions of a server, as a person talks in them. */
export function sessionsAt({ sessions }: ApiClient): TalkedIn {
  const opened = (accepted: Awaited<ReturnType<typeof sessions.send>>) => ({ ...accepted, firstSequence: 0 })
  return {
    send: async (sessionId, said) => {
      const text = typeof said === 'string' ? said : said.text
      return opened(await sessions.send({ sessionId, text, idempotencyKey: randomUUID() }))
    },
    continue: async (sessionId) => opened(await sessions.continue(sessionId)),
    decide: async (sessionId, callId, { decision, inputHash }) =>
      opened(
        await sessions.decide({ sessionId, callId, decision, ...(inputHash !== undefined && { inputHash }) }),
      ),
    cancel: async (sessionId) => (await sessions.cancel(sessionId)).cancelled,
    events: (reading) => sessions.events(reading),
  }
}
