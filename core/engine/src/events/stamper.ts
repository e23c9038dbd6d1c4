import type { EventEnvelope, SessionEvent, SessionId, UnstampedEvent } from '@parley/contracts'
import type { Clock } from '../ports/clock.ts'
import type { SpokenEvent } from '../turn/turn.ts'
import { isText, type StreamedEvent } from './in-flight.ts'

/** The one place where an event gets its session, number and time. */
export function createStamper(sessionId: SessionId, first: number, clock: Clock) {
  const timestampNow = isoTimes(clock)
  let next = first

  // Text comes by the thousands, and a copy that is written out costs a quarter of a spread.
  const stampText = (event: SpokenEvent): StreamedEvent => {
    const { turnId, stepId, model } = event
    const sequenceNumber = next++
    const timestamp = timestampNow()
    return event.type === 'agent:token'
      ? { type: event.type, turnId, stepId, token: event.token, model, sessionId, sequenceNumber, timestamp }
      : { type: event.type, turnId, stepId, text: event.text, model, sessionId, sequenceNumber, timestamp }
  }

  return {
    now: timestampNow,
    get next() {
      return next
    },
    /** Uses up a number for text that nobody is told of by itself. */
    skip() {
      next += 1
    },
    stamp<E extends UnstampedEvent>(event: E, fromSequence?: number): E & EventEnvelope {
      if (isText(event) && fromSequence === undefined)
        return stampText(event) as SessionEvent as E & EventEnvelope
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
