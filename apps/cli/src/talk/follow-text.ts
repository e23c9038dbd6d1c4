import type { SessionEvent } from '@parley/contracts'

/** Gives what each event adds to the answer: a reader that fell behind is told a run of text again from its start. */
export function createTextFollower(): (event: SessionEvent) => string {
  let run: Run | undefined
  return (event) => {
    if (event.type === 'agent:reasoning') run = undefined
    if (event.type !== 'agent:token') return ''
    const { stepId, token } = event
    const known = run?.stepId === stepId ? run : undefined
    if (event.fromSequence === undefined) {
      run = known
        ? { ...known, length: known.length + token.length }
        : { stepId, start: event.sequenceNumber, length: token.length }
      return token
    }
    const seen = known?.start === event.fromSequence ? known.length : 0
    run = { stepId, start: event.fromSequence, length: token.length }
    return token.slice(seen)
  }
}

interface Run {
  readonly stepId: string
  /** The number of its first event. */
  readonly start: number
  readonly length: number
}
