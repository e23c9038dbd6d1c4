import type { EventEnvelope, SessionId, UnstampedEvent } from '@parley/contracts'
import type { Clock } from '../ports/clock.ts'
import type { StepRef, StreamedPart } from '../turn/turn.ts'
import type { StreamedEvent } from './step-text.ts'

/** The only place that gives an event its session, number and time. */
export function createStamper(sessionId: SessionId, first: number, clock: Clock) {
  const timestampNow = createIsoClock(clock)
  let next = first

  return {
    now: timestampNow,
    get next() {
      return next
    },
    /** Uses a number for text that gets no event of its own. */
    useNumber() {
      next += 1
    },
    // There are thousands of text events, and listing the fields costs a quarter of a spread.
    stampText({ turnId, stepId, model }: StepRef, kind: StreamedPart['type'], text: string): StreamedEvent {
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

/** Many events share a millisecond, so its text is formatted once. */
function createIsoClock(clock: Clock): () => string {
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
