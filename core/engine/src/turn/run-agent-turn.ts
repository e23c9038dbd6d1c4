import { askModel } from './ask-model.ts'
import { callTools } from './call-tools.ts'
import { decideNext } from './decide-next.ts'
import type { Turn, TurnHost, TurnOutput } from './turn.ts'

/**
 * One turn, from the question to its end, or until it waits for a person. It says text as it comes, yields what has
 * to be kept, and returns what is now true; whoever iterates it does the keeping, and since it waits at each `yield`,
 * a call is on record before its tool runs.
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
      case 'wait':
        return turn
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
