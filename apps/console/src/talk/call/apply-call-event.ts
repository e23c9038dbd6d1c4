import type { CallEvent, CallLine, CallState } from './call-state.ts'

/** The call after something happened. What comes late from a socket that is gone changes nothing. */
export function applyCallEvent(state: CallState, event: CallEvent): CallState {
  switch (event.type) {
    case 'microphone-asked':
      return { ...state, phase: { kind: 'asking-microphone' } }
    case 'start-asked':
      return { ...state, phase: { kind: 'starting' } }
    case 'reconnect-asked':
      return { ...state, phase: { kind: 'connecting' }, drops: 0 }
    case 'connect-asked':
      return { ...state, phase: { kind: 'connecting' } }
    case 'started':
      return { ...state, sessionId: event.sessionId, phase: { kind: 'connecting' } }
    case 'connected':
      return { ...state, phase: { kind: 'live' }, since: state.since ?? event.at, speaks: 'nobody' }
    case 'said':
      return { ...state, lines: [...state.lines, lineOf(state, event)] }
    case 'corrected':
      return { ...state, lines: corrected(state.lines, event) }
    case 'interrupted':
      return { ...state, speaks: 'nobody', interruptions: state.interruptions + 1 }
    case 'turned':
      return { ...state, speaks: event.speaks }
    case 'muted':
      return { ...state, isMuted: event.isMuted }
    case 'cited':
      return { ...state, lines: cited(state.lines, event) }
    case 'dropped':
      return dropped(state)
    case 'over':
      return { ...state, phase: { kind: 'over', by: event.by }, speaks: 'nobody', until: event.at }
    case 'failed':
      return { ...state, phase: { kind: 'failed', trouble: event.trouble }, speaks: 'nobody' }
    default:
      return event satisfies never
  }
}

type Of<Type extends CallEvent['type']> = Extract<CallEvent, { type: Type }>

const lineOf = ({ lines }: CallState, { who, text }: Of<'said'>): CallLine => ({
  id: lines.length + 1,
  who,
  text,
})

/** The last answer that was told so; one of which nothing was heard stays, empty: lines are told by their number. */
function corrected(lines: readonly CallLine[], { original, heard }: Of<'corrected'>): readonly CallLine[] {
  const index = lines.findLastIndex(({ who, text }) => who === 'agent' && text === original)
  const last = index < 0 ? lines.findLastIndex(({ who }) => who === 'agent') : index
  const line = lines[last]
  return line
    ? lines.with(last, { ...line, text: heard.trim(), isCut: true, whole: line.whole ?? line.text })
    : lines
}

const cited = (lines: readonly CallLine[], { line: id, citations }: Of<'cited'>): readonly CallLine[] =>
  lines.map((line) =>
    line.id === id ? { ...line, citations: [...(line.citations ?? []), ...citations] } : line,
  )

/** Once it is connected anew by itself; then a person is asked, so that nothing goes round for ever. */
function dropped(state: CallState): CallState {
  if (state.phase.kind === 'over') return state
  const next = state.drops === 0 ? 'reconnects' : 'asks'
  return { ...state, phase: { kind: 'dropped', next }, speaks: 'nobody', drops: state.drops + 1 }
}
