import type { SessionEvent, SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '../ports/session-store.ts'
import { toTold } from './stored-event.ts'

const PAGE = 200

/** How much of the transcript is held at once; a single message may be longer. */
const WINDOW_BYTES = 128_000

/** The stored events after `after`, made whole, as slowly as they are taken. */
export async function* replay(
  store: SessionStore,
  sessionId: SessionId,
  after: number,
): AsyncGenerator<SessionEvent> {
  const messageOf = createWindow(store, sessionId)
  let seen = after
  for (;;) {
    const page = await store.readEvents(sessionId, { after: seen, limit: PAGE })
    const last = lastMessageOf(page)
    for (const stored of page) {
      const message = stored.of && (await messageOf(stored.of.message, last))
      // The session is being removed.
      if (stored.of && !message) return
      yield toTold(sessionId, stored, message)
      seen = stored.sequenceNumber
    }
    if (page.length < PAGE) return
  }
}

const lastMessageOf = (page: readonly StoredEvent[]) =>
  page.reduce((last, { of }) => Math.max(last, of?.message ?? 0), 0)

/** Gives messages by their numbers, and holds no more of them than what is read at once. */
function createWindow(store: SessionStore, sessionId: SessionId) {
  let held = new Map<number, SessionMessage>()
  return async (wanted: number, last: number): Promise<SessionMessage | undefined> => {
    for (const number of held.keys()) if (number < wanted) held.delete(number)
    if (!held.has(wanted)) {
      held.clear()
      const range = { after: wanted - 1, limit: last - wanted + 1, maxBytes: WINDOW_BYTES }
      const messages = await store.readMessages(sessionId, range)
      held = new Map(messages.map((message) => [message.sequenceNumber, message]))
    }
    return held.get(wanted)
  }
}
