import type { EventEnvelope, SessionId, UnstampedEvent } from '@parley/contracts'
import type { Clock } from '../ports/clock.ts'

/** The one place where an event gets its session, number and time. */
export function createStamper(sessionId: SessionId, first: number, clock: Clock) {
  const timestampNow = isoTimes(clock)
  let next = first
  return {
    now: timestampNow,
    get next() {
      return next
    },
    stamp<E extends UnstampedEvent>(event: E, fromSequence?: number): E & EventEnvelope {
      const sequenceNumber = next++
      const envelope = { sessionId, sequenceNumber, timestamp: timestampNow() }
      return fromSequence === undefined ? { ...event, ...envelope } : { ...event, ...envelope, fromSequence }
    },
  }
}

/** Many events fall into one millisecond: its text is made once. */
function isoTimes(clock: Clock): () => string {
  let last = Number.NaN
  let text = ''
  return () => {
    const now = clock.now()
    if (now !== last) {
      last = now
      text = new Date(now).toISOString()
    }
    return text
  }
}
