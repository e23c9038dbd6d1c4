import type { CallState } from './call-state.ts'

/** How a call stands, in a few words. */
export function standingInWords({ phase, speaks, isMuted }: CallState, name: string): string {
  switch (phase.kind) {
    case 'asking-microphone':
      return 'Your browser asks for the microphone…'
    case 'starting':
      return 'Starting…'
    case 'connecting':
      return 'Connecting…'
    case 'live':
      if (speaks === 'agent') return `${name} speaks`
      return isMuted ? 'You are muted' : 'Listening to you'
    case 'dropped':
      return phase.next === 'reconnects'
        ? 'The connection was lost. Connecting again…'
        : 'You are not connected. The conversation is still open.'
    case 'over':
      return 'The call is over'
    case 'failed':
      return ''
    default:
      return phase satisfies never
  }
}
