import type { ToolCall, TurnEvent } from '@parley/contracts'
import { askModel } from './ask-model.ts'
import { decideNext } from './decide-next.ts'
import { CANCELLED, type Turn, type TurnHost, type TurnMessage, type TurnOutput } from './turn.ts'

/**
 * One turn, from the question to its end. It says text as it comes, yields what has to be kept, and returns what is
 * now true; whoever iterates it does the keeping, and since it waits at each `yield`, a call is on record before its
 * tool runs.
 */
export async function* runAgentTurn(opening: Turn, host: TurnHost): AsyncGenerator<TurnOutput, Turn> {
  let turn = opening
  for (;;) {
    const next = decideNext(turn, host.limits)
    switch (next.kind) {
      case 'ask-model':
        turn = yield* askModel(turn, host)
        break
      case 'call-tools':
        turn = yield* callTools(turn, next.calls, host)
        break
      case 'stop': {
        const { reason, error } = next
        if (reason === 'cancelled') yield { type: 'session:cancelled', turnId: turn.id }
        const { id: turnId, usage } = turn
        yield { type: 'session:turn_completed', turnId, stopReason: reason, usage, ...(error && { error }) }
        return turn
      }
      default:
        next satisfies never
    }
  }
}

async function* callTools(
  turn: Turn,
  calls: readonly ToolCall[],
  { tools, signal }: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  const transcript = [...turn.transcript]
  for (const call of calls) {
    if (signal.aborted) return { ...turn, transcript, failure: CANCELLED }
    yield { type: 'agent:tool_call', turnId: turn.id, callId: call.id, call } satisfies TurnEvent
    const outcome = await tools.run(call, signal)
    const message: TurnMessage = {
      role: 'tool',
      content: [{ type: 'tool_result', callId: call.id, outcome }],
    }
    transcript.push(message)
    yield { type: 'turn:message', message }
    yield { type: 'agent:tool_result', turnId: turn.id, callId: call.id, outcome } satisfies TurnEvent
  }
  return signal.aborted ? { ...turn, transcript, failure: CANCELLED } : { ...turn, transcript }
}
