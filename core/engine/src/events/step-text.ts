import type { SessionEvent, UnstampedEvent } from '@parley/contracts'
import type { StreamedPart, StreamedTurnEvent } from '../turn/turn.ts'

export type StreamedEvent = Extract<SessionEvent, { type: 'agent:token' | 'agent:reasoning' }>

export type StepText = ReturnType<typeof createStepText>

/** One run of text or reasoning: its last event, its first number and its text so far. */
interface TextRun {
  readonly event: StreamedEvent & { fromSequence: number }
  readonly part: StreamedPart
}

/** A step's output so far, with each run of text or reasoning joined into one event. */
export function createStepText() {
  let runs: TextRun[] = []
  let last: TextRun | undefined

  const begin = (event: StreamedEvent, part: StreamedPart) => {
    const fromSequence = event.fromSequence ?? event.sequenceNumber
    // A joined event replaces everything from its first number on.
    if (event.fromSequence !== undefined)
      runs = runs.filter((run) => getFirstNumber(run.event) < fromSequence)
    last = { event: { ...event, fromSequence }, part }
    runs.push(last)
  }

  /** The part that an event of another process continues, or a new one. */
  const findPart = (event: StreamedEvent): StreamedPart => {
    const continues =
      last?.event.stepId === event.stepId &&
      last.event.type === event.type &&
      event.fromSequence === undefined
    return continues && last
      ? last.part
      : { type: event.type === 'agent:token' ? 'text' : 'reasoning', text: '' }
  }

  return {
    /** Adds the event's text to its part of the step. */
    add(event: StreamedEvent, part: StreamedPart = findPart(event)) {
      part.text += getEventText(event)
      if (!last || last.part !== part) {
        begin(event, part)
        return
      }
      last.event.sequenceNumber = event.sequenceNumber
      last.event.timestamp = event.timestamp
    },
    /** Extends the last part without an event; false if a new part would begin. */
    extendPart(part: StreamedPart, text: string, sequenceNumber: number): boolean {
      if (!last || last.part !== part) return false
      part.text += text
      last.event.sequenceNumber = sequenceNumber
      return true
    },
    joinRuns: (): readonly StreamedEvent[] =>
      runs.map(({ event, part }) =>
        event.type === 'agent:token' ? { ...event, token: part.text } : { ...event, text: part.text },
      ),
    clear() {
      runs = []
      last = undefined
    },
  }
}

const getEventText = (event: StreamedEvent) => (event.type === 'agent:token' ? event.token : event.text)

/** The first sequence number that an event covers. */
export const getFirstNumber = ({ fromSequence, sequenceNumber }: SessionEvent) =>
  fromSequence ?? sequenceNumber

/** Text is streamed, and stored only at the end of its step. */
export const isStreamedEvent = (event: UnstampedEvent): event is StreamedTurnEvent =>
  event.type === 'agent:token' || event.type === 'agent:reasoning'
