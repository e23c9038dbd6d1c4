import type { ToolCall, ToolOutcome, TurnEvent } from '@parley/contracts'
import type { ToolPort } from '../ports/tools.ts'
import { CANCELLED, type Turn, type TurnHost, type TurnMessage, type TurnOutput } from './turn.ts'

/** Carries out calls one after another, until all have their results or one waits for a person. */
export async function* callTools(
  turn: Turn,
  calls: readonly ToolCall[],
  { tools, signal }: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  const { id: turnId, takenUp } = turn
  const transcript = [...turn.transcript]
  for (const call of calls) {
    if (signal.aborted) return { ...turn, transcript, failure: CANCELLED }
    const { id: callId, name: tool } = call
    const standing = standingOf(call, takenUp, tools)
    if (standing === 'new' || standing === 'lost')
      yield { type: 'agent:tool_call', turnId, callId, call } satisfies TurnEvent
    const outcome =
      standing === 'lost'
        ? OUTCOME_UNKNOWN
        : await tools.run(call, standing === 'new' ? { signal } : { signal, decision: standing.decision })
    if (outcome.kind === 'needs-person') {
      if (signal.aborted) return { ...turn, transcript, failure: CANCELLED }
      const { target } = outcome
      yield { type: 'agent:approval_requested', turnId, callId, tool, target } satisfies TurnEvent
      return { ...turn, transcript, waitsFor: callId }
    }
    const message: TurnMessage = { role: 'tool', content: [{ type: 'tool_result', callId, outcome }] }
    transcript.push(message)
    yield { type: 'turn:message', message }
    yield { type: 'agent:tool_result', turnId, callId, outcome } satisfies TurnEvent
  }
  return signal.aborted ? { ...turn, transcript, failure: CANCELLED } : { ...turn, transcript }
}

type Decided = Extract<Turn['takenUp'], { kind: 'decided' }>

/** Where a call stands when its turn comes to it: a lost one may have run, and is not to run twice. */
function standingOf(
  { id, name }: ToolCall,
  takenUp: Turn['takenUp'],
  tools: ToolPort,
): 'new' | 'lost' | Decided {
  if (takenUp?.kind === 'decided' && takenUp.callId === id) return takenUp
  const isInDoubt = takenUp?.kind === 'interrupted' && takenUp.callIds.has(id)
  return isInDoubt && !tools.declarations.find((tool) => tool.name === name)?.mayRepeat ? 'lost' : 'new'
}

const OUTCOME_UNKNOWN: ToolOutcome = {
  kind: 'failed',
  code: 'tool_failed',
  text: 'interrupted, outcome unknown',
}
