import type { SessionEvent } from '@parley/contracts'

export type StreamedEvent = Extract<SessionEvent, { type: 'agent:token' | 'agent:reasoning' }>

/** What a step has said so far, each run of text or reasoning joined into one event. */
export function createInFlight() {
  let runs: StreamedEvent[] = []
  return {
    add(event: StreamedEvent) {
      const last = runs.at(-1)
      if (last?.type !== event.type || last.stepId !== event.stepId) {
        runs.push({ ...event, fromSequence: event.fromSequence ?? event.sequenceNumber })
        return
      }
      last.sequenceNumber = event.sequenceNumber
      last.timestamp = event.timestamp
      if (last.type === 'agent:token' && event.type === 'agent:token') last.token += event.token
      if (last.type === 'agent:reasoning' && event.type === 'agent:reasoning') last.text += event.text
    },
    joined: (): readonly StreamedEvent[] => runs.map((run) => ({ ...run })),
    clear() {
      runs = []
    },
  }
}
