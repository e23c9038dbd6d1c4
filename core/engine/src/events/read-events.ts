import type { SessionEvent, SessionId } from '@parley/contracts'
import type { SessionStore } from '../ports/session-store.ts'
import type { RunEventBus } from './run-event-bus.ts'
import { firstNumberOf, isText } from './in-flight.ts'
import { replay } from './replay.ts'

/**
 * A session's events after `after`, then those to come, until the signal is aborted. A reader that falls behind, or
 * misses a number, is taken back to the store and loses nothing; the text of a running step then comes joined.
 */
export async function* readEvents(
  { sessionId, after, signal }: { sessionId: SessionId; after: number; signal: AbortSignal },
  { store, hub }: { store: SessionStore; hub: RunEventBus },
): AsyncGenerator<SessionEvent> {
  let seen = after
  let triedAfter: number | undefined
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
        if (placeOf(event, seen) !== 'next') continue
        yield event
        seen = event.sequenceNumber
      }
      for (;;) {
        const event = await reader.next(signal)
        if (event === undefined) return
        if (event === 'lagged') break
        const place = placeOf(event, seen)
        if (place === 'beyond') {
          // Text comes into the store at the end of its step: it is looked for there once.
          if (isText(event) && seen === triedAfter) continue
          triedAfter = seen
          break
        }
        if (place === 'seen') continue
        yield event
        seen = event.sequenceNumber
      }
    }
  } finally {
    reader.detach()
  }
}

/** Where an event stands for a reader that has seen everything up to a number: beyond its next, something is missing. */
function placeOf(event: SessionEvent, seen: number): 'seen' | 'next' | 'beyond' {
  if (event.sequenceNumber <= seen) return 'seen'
  return firstNumberOf(event) <= seen + 1 ? 'next' : 'beyond'
}
