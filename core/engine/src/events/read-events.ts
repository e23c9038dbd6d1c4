import type { SessionEvent, SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '../ports/session-store.ts'
import type { EventHub } from './event-hub.ts'
import { toTold } from './stored-event.ts'

const PAGE = 200

/**
 * A session's events after `after`, then those to come, until the signal is aborted. A reader that falls behind is
 * taken back to the store and loses nothing; the text of a running step then comes joined.
 */
export async function* readEvents(
  { sessionId, after, signal }: { sessionId: SessionId; after: number; signal: AbortSignal },
  { store, hub }: { store: SessionStore; hub: EventHub },
): AsyncGenerator<SessionEvent> {
  let seen = after
  const reader = hub.attach(sessionId)
  try {
    while (!signal.aborted) {
      // What the running step says is taken before the store is read, so that no step falls between the two.
      const inFlight = reader.restart()
      for await (const event of replay(store, sessionId, seen)) {
        yield event
        seen = event.sequenceNumber
      }
      for (const event of inFlight) {
        if (event.sequenceNumber <= seen) continue
        yield event
        seen = event.sequenceNumber
      }
      for (;;) {
        const event = await reader.next(signal)
        if (event === undefined) return
        if (event === 'lagged') break
        if (event.sequenceNumber <= seen) continue
        yield event
        seen = event.sequenceNumber
      }
    }
  } finally {
    reader.detach()
  }
}

async function* replay(
  store: SessionStore,
  sessionId: SessionId,
  after: number,
): AsyncGenerator<SessionEvent> {
  let seen = after
  for (;;) {
    const page = await store.readEvents(sessionId, { after: seen, limit: PAGE })
    const messages = await messagesOf(store, sessionId, page)
    for (const stored of page) {
      yield toTold(sessionId, stored, stored.of && messages.get(stored.of.message))
      seen = stored.sequenceNumber
    }
    if (page.length < PAGE) return
  }
}

async function messagesOf(store: SessionStore, sessionId: SessionId, page: readonly StoredEvent[]) {
  const numbers = page.flatMap(({ of }) => (of ? [of.message] : []))
  if (numbers.length === 0) return new Map<number, SessionMessage>()
  const first = Math.min(...numbers)
  const limit = Math.max(...numbers) - first + 1
  const messages = await store.readMessages(sessionId, { after: first - 1, limit })
  return new Map(messages.map((message) => [message.sequenceNumber, message]))
}
