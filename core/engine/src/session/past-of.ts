import type { SessionMessage } from '@parley/contracts'
import type { LlmMessage } from '../ports/model.ts'
import { reconstructSessionState, standingOf } from './reconstruct-session-state.ts'

/** How much of the past a model is given, in messages. */
export const TAIL = 200

/**
 * What a model is given of a session's last messages, the last of which is the question: completed turns, without
 * the steps that came to nothing, and the question.
 */
export function pastOf(tail: readonly SessionMessage[]): readonly LlmMessage[] {
  const turns = reconstructSessionState(tail)
  const past: LlmMessage[] = []
  for (const turn of turns) {
    if (turn.outcome === 'completed' || turn === turns.at(-1)) past.push(...standingOf(turn.messages))
  }
  return past
}
