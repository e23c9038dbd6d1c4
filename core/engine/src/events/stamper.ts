import type { EventEnvelope, SessionId, UnstampedEvent } from '@parley/contracts'
import type { Clock } from '../ports/clock.ts'
import type { SaidPart, Step } from '../turn/turn.ts'
import type { StreamedEvent } from './in-flight.ts'

/** The one place where an event gets its session, number and time. */
export function createStamper(sessionId: SessionId, first: number, clock: Clock) {
  const timestampNow = isoTimes(clock)
  let next = first

  return {
    now: timestampNow,
    get next() {
      return next
    },
    /** Uses up a number for text that nobody is told of by itself. */
    skip() {
      next += 1
    },
    // Text comes by the thousands, and an event that is written out costs a quarter of a spread.
    stampText({ turnId, stepId, model }: Step, kind: SaidPart['type'], text: string): StreamedEvent {
      const sequenceNumber = next++
      const timestamp = timestampNow()
      return kind === 'text'
        ? { type: 'agent:token', turnId, stepId, token: text, model, sessionId, sequenceNumber, timestamp }
        : { type: 'agent:reasoning', turnId, stepId, text, model, sessionId, sequenceNumber, timestamp }
    },
    stamp<E extends UnstampedEvent>(event: E, fromSequence?: number): E & EventEnvelope {
      const stamped = { ...event, sessionId, sequenceNumber: next++, timestamp: timestampNow() }
      return fromSequence === undefined ? stamped : { ...stamped, fromSequence }
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
