import type { Citation, SessionId } from '@parley/contracts'
import type { Trouble } from '../trouble.ts'

/** Something that was said in a call. */
export interface CallLine {
  readonly id: number
  readonly who: 'you' | 'agent'
  readonly text: string
  /** Spoken over: it ends where it was heard last. */
  readonly isCut?: true
  /** All that would have been said, of what was spoken over. */
  readonly whole?: string
  readonly citations?: readonly Citation[]
}

export type CallPhase =
  | { readonly kind: 'asking-microphone' | 'starting' | 'connecting' }
  | { readonly kind: 'live' }
  /** The socket was lost; the session is still there. */
  | { readonly kind: 'dropped'; readonly next: 'reconnects' | 'asks' }
  | { readonly kind: 'over'; readonly by: 'you' | 'agent' }
  | { readonly kind: 'failed'; readonly trouble: Trouble }

export interface CallState {
  readonly phase: CallPhase
  readonly sessionId?: SessionId
  readonly lines: readonly CallLine[]
  /** Whose voice is heard. */
  readonly speaks: 'agent' | 'nobody'
  /** How often the agent was spoken over. */
  readonly interruptions: number
  readonly isMuted: boolean
  /** Of the first connection; milliseconds. */
  readonly since?: number
  readonly until?: number
  /** How often the socket was lost since somebody last asked for it. */
  readonly drops: number
}

export type CallEvent =
  | { readonly type: 'microphone-asked' | 'start-asked' | 'connect-asked' | 'reconnect-asked' }
  | { readonly type: 'started'; readonly sessionId: SessionId }
  | { readonly type: 'connected'; readonly at: number }
  | { readonly type: 'said'; readonly who: CallLine['who']; readonly text: string }
  | { readonly type: 'corrected'; readonly original: string; readonly heard: string }
  | { readonly type: 'interrupted' }
  | { readonly type: 'turned'; readonly speaks: CallState['speaks'] }
  | { readonly type: 'muted'; readonly isMuted: boolean }
  | { readonly type: 'cited'; readonly line: number; readonly citations: readonly Citation[] }
  | { readonly type: 'dropped' }
  | { readonly type: 'over'; readonly by: 'you' | 'agent'; readonly at: number }
  | { readonly type: 'failed'; readonly trouble: Trouble }

export const NO_CALL: CallState = {
  phase: { kind: 'starting' },
  lines: [],
  speaks: 'nobody',
  interruptions: 0,
  isMuted: false,
  drops: 0,
}

/** Whether somebody is connected, or about to be: who leaves now cuts it off. */
export const isOn = (phase: CallPhase): boolean =>
  !isStill(phase) && !(phase.kind === 'dropped' && phase.next === 'asks')

/** Whether the phase is one that nothing but a new wish leads out of. */
export const isStill = ({ kind }: CallPhase): boolean => kind === 'over' || kind === 'failed'

/** What somebody heard: of an answer that was spoken over before its first word there is nothing to show. */
export const heardLines = (lines: readonly CallLine[]): readonly CallLine[] =>
  lines.filter(({ text }) => text !== '')

/** How often somebody was answered; a greeting, and what is said into a silence, answer nobody. */
export const answersIn = (lines: readonly CallLine[]): number =>
  heardLines(lines).filter(({ who }, index, all) => who === 'agent' && all[index - 1]?.who === 'you').length
