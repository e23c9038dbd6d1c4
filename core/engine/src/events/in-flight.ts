import type { SessionEvent, UnstampedEvent } from '@parley/contracts'
import type { SpokenEvent, Step } from '../turn/turn.ts'

export type StreamedEvent = Extract<SessionEvent, { type: 'agent:token' | 'agent:reasoning' }>

export type InFlight = ReturnType<typeof createInFlight>

/** What a step has said so far, each run of text or reasoning joined into one event. */
export function createInFlight() {
  let runs: StreamedEvent[] = []
  let last: StreamedEvent | undefined

  const begin = (event: StreamedEvent) => {
    const fromSequence = event.fromSequence ?? event.sequenceNumber
    // What comes joined stands in place of all that was said from its first number on.
    if (event.fromSequence !== undefined) runs = runs.filter((run) => firstNumberOf(run) < fromSequence)
    last = { ...event, fromSequence }
    runs.push(last)
  }

  return {
    add(event: StreamedEvent) {
      const isSameRun = last?.stepId === event.stepId && event.fromSequence === undefined
      if (isSameRun && last?.type === 'agent:token' && event.type === 'agent:token') last.token += event.token
      else if (isSameRun && last?.type === 'agent:reasoning' && event.type === 'agent:reasoning')
        last.text += event.text
      else {
        begin(event)
        return
      }
      last.sequenceNumber = event.sequenceNumber
      last.timestamp = event.timestamp
    },
    /** Goes on with the last run without an event of its own; false where it would begin another. */
    goOn({ stepId }: Step, type: SpokenEvent['type'], text: string, sequenceNumber: number): boolean {
      if (last?.stepId !== stepId || last.type !== type) return false
      if (last.type === 'agent:token') last.token += text
      else last.text += text
      last.sequenceNumber = sequenceNumber
      return true
    },
    joined: (): readonly StreamedEvent[] => runs.map((run) => ({ ...run })),
    clear() {
      runs = []
      last = undefined
    },
  }
}

/** The first number that an event stands for. */
export const firstNumberOf = ({ fromSequence, sequenceNumber }: SessionEvent) =>
  fromSequence ?? sequenceNumber

/** Text is told as it comes, and stored only at the end of its step. */
export const isText = (event: UnstampedEvent): event is SpokenEvent =>
  event.type === 'agent:token' || event.type === 'agent:reasoning'
