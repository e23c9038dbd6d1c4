import type { Citation, SessionId } from '@parley/contracts'
import type { TalkProblem } from '../problem.ts'

export interface CallLine {
  readonly id: number
  readonly who: 'you' | 'agent'
  readonly text: string
  /** Interrupted: the text ends where it was last heard. */
  readonly isCut?: true
  readonly whole?: string
  readonly citations?: readonly Citation[]
}

export type CallPhase =
  | { readonly kind: 'asking-microphone' | 'starting' | 'connecting' }
  | { readonly kind: 'live' }
  /** The connection was lost; the session is still open. */
  | { readonly kind: 'dropped'; readonly next: 'reconnects' | 'asks' }
  | { readonly kind: 'over'; readonly by: 'you' | 'agent' }
  | { readonly kind: 'failed'; readonly problem: TalkProblem }

export interface CallState {
  readonly phase: CallPhase
  readonly sessionId?: SessionId
  readonly lines: readonly CallLine[]
  readonly speaker: 'agent' | 'nobody'
  /** How often the agent was interrupted. */
  readonly interruptions: number
  readonly isMuted: boolean
  /** The first connection, in milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
  /** Lost connections since the person last connected. */
  readonly drops: number
}

export type CallEvent =
  | {
      readonly type: 'microphone-requested' | 'start-requested' | 'connect-requested' | 'reconnect-requested'
    }
  | { readonly type: 'started'; readonly sessionId: SessionId }
  | { readonly type: 'connected'; readonly at: number }
  | { readonly type: 'message'; readonly who: CallLine['who']; readonly text: string }
  | { readonly type: 'corrected'; readonly original: string; readonly heard: string }
  | { readonly type: 'interrupted' }
  | { readonly type: 'speaker-changed'; readonly speaker: CallState['speaker'] }
  | { readonly type: 'muted'; readonly isMuted: boolean }
  | { readonly type: 'cited'; readonly line: number; readonly citations: readonly Citation[] }
  | { readonly type: 'dropped' }
  | { readonly type: 'over'; readonly by: 'you' | 'agent'; readonly at: number }
  | { readonly type: 'failed'; readonly problem: TalkProblem }

export const NO_CALL: CallState = {
  phase: { kind: 'starting' },
  lines: [],
  speaker: 'nobody',
  interruptions: 0,
  isMuted: false,
  drops: 0,
}

/** Whether a call is connected or connecting, so leaving ends it. */
export const isCallActive = (phase: CallPhase): boolean =>
  !isCallFinal(phase) && !(phase.kind === 'dropped' && phase.next === 'asks')

/** Whether the call is over or failed: only the person can start again. */
export const isCallFinal = ({ kind }: CallPhase): boolean => kind === 'over' || kind === 'failed'

/** Lines that were heard; an answer interrupted before its first word is left out. */
export const listHeardLines = (lines: readonly CallLine[]): readonly CallLine[] =>
  lines.filter(({ text }) => text !== '')

/** The number of answers, without greetings and reminders. */
export const countAnswers = (lines: readonly CallLine[]): number =>
  listHeardLines(lines).filter(({ who }, index, all) => who === 'agent' && all[index - 1]?.who === 'you')
    .length

/** The call state after an event. Late events of a closed connection are ignored. */
export function applyCallEvent(state: CallState, event: CallEvent): CallState {
  switch (event.type) {
    case 'microphone-requested':
      return { ...state, phase: { kind: 'asking-microphone' } }
    case 'start-requested':
      return { ...state, phase: { kind: 'starting' } }
    case 'reconnect-requested':
      return { ...state, phase: { kind: 'connecting' }, drops: 0 }
    case 'connect-requested':
      return { ...state, phase: { kind: 'connecting' } }
    case 'started':
      return { ...state, sessionId: event.sessionId, phase: { kind: 'connecting' } }
    case 'connected':
      return { ...state, phase: { kind: 'live' }, since: state.since ?? event.at, speaker: 'nobody' }
    case 'message':
      return { ...state, lines: [...state.lines, createLine(state, event)] }
    case 'corrected':
      return { ...state, lines: correctLines(state.lines, event) }
    case 'interrupted':
      return { ...state, speaker: 'nobody', interruptions: state.interruptions + 1 }
    case 'speaker-changed':
      return { ...state, speaker: event.speaker }
    case 'muted':
      return { ...state, isMuted: event.isMuted }
    case 'cited':
      return { ...state, lines: addCitations(state.lines, event) }
    case 'dropped':
      return dropConnection(state)
    case 'over':
      return { ...state, phase: { kind: 'over', by: event.by }, speaker: 'nobody', until: event.at }
    case 'failed':
      return { ...state, phase: { kind: 'failed', problem: event.problem }, speaker: 'nobody' }
    default:
      return event satisfies never
  }
}

type EventOf<Type extends CallEvent['type']> = Extract<CallEvent, { type: Type }>

const createLine = ({ lines }: CallState, { who, text }: EventOf<'message'>): CallLine => ({
  id: lines.length + 1,
  who,
  text,
})

/** Cuts the last matching answer. An unheard one stays as an empty line, since ids count lines. */
function correctLines(
  lines: readonly CallLine[],
  { original, heard }: EventOf<'corrected'>,
): readonly CallLine[] {
  const index = lines.findLastIndex(({ who, text }) => who === 'agent' && text === original)
  const last = index < 0 ? lines.findLastIndex(({ who }) => who === 'agent') : index
  const line = lines[last]
  return line
    ? lines.with(last, { ...line, text: heard.trim(), isCut: true, whole: line.whole ?? line.text })
    : lines
}

const addCitations = (
  lines: readonly CallLine[],
  { line: id, citations }: EventOf<'cited'>,
): readonly CallLine[] =>
  lines.map((line) =>
    line.id === id ? { ...line, citations: [...(line.citations ?? []), ...citations] } : line,
  )

/** Reconnects automatically once; then asks the person, to avoid an endless loop. */
function dropConnection(state: CallState): CallState {
  if (state.phase.kind === 'over') return state
  const next = state.drops === 0 ? 'reconnects' : 'asks'
  return { ...state, phase: { kind: 'dropped', next }, speaker: 'nobody', drops: state.drops + 1 }
}
