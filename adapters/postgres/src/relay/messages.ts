import type { SessionId } from '@parley/contracts'
import type { StreamedEvent } from '@parley/engine'

/** What our processes tell each other. They are all of one version, or let go of what they do not know. */
export type Message =
  /** A process has come, or has come back: who hears it says so. */
  | { readonly kind: 'hello' }
  /** We hear each other from here on; `answer` says whether the other is to say so as well. */
  | { readonly kind: 'here'; readonly to: string; readonly answer: boolean }
  | { readonly kind: 'bye' }
  /** Something was told that could not be sent. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'ask'; readonly sessionId: SessionId }
  | { readonly kind: 'stored'; readonly sessionId: SessionId; readonly upTo: number }
  | { readonly kind: 'said'; readonly sessionId: SessionId; readonly runs: readonly Run[] }

/** Text of one step, event by event, with what they have in common said once. */
export interface Run {
  readonly common: Pick<StreamedEvent, 'type' | 'turnId' | 'stepId' | 'model'>
  readonly events: [number, string, string, number?][]
}

export function toRuns(events: readonly StreamedEvent[]): readonly Run[] {
  const runs: Run[] = []
  for (const event of events) {
    const { type, turnId, stepId, model, sequenceNumber, timestamp, fromSequence } = event
    let run = runs.at(-1)
    if (run?.common.stepId !== stepId || run.common.type !== type) {
      run = { common: { type, turnId, stepId, model }, events: [] }
      runs.push(run)
    }
    const text = type === 'agent:token' ? event.token : event.text
    if (fromSequence === undefined) run.events.push([sequenceNumber, timestamp, text])
    else run.events.push([sequenceNumber, timestamp, text, fromSequence])
  }
  return runs
}

export const fromRuns = (sessionId: SessionId, runs: readonly Run[]): readonly StreamedEvent[] =>
  runs.flatMap(({ common, events }) =>
    events.map(([sequenceNumber, timestamp, text, fromSequence]): StreamedEvent => {
      const from = fromSequence === undefined ? {} : { fromSequence }
      const envelope = { sessionId, sequenceNumber, timestamp, ...from }
      const { type, ...of } = common
      return type === 'agent:token'
        ? { ...of, ...envelope, type, token: text }
        : { ...of, ...envelope, type, text }
    }),
  )
