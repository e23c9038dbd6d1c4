import type { StopReason, ToolCall, TurnError } from '@parley/contracts'
import type { Turn, SessionLimits, TurnMessage } from './turn.ts'

export type TurnDecision =
  | { kind: 'ask-model' }
  | { kind: 'call-tools'; calls: readonly ToolCall[] }
  | { kind: 'wait' }
  | { kind: 'stop'; reason: StopReason; error?: TurnError }

export function decideNext(turn: Turn, limits: SessionLimits): TurnDecision {
  if (turn.failure) return stopWithError(turn.failure)
  if (turn.number > limits.maxTurns)
    return stopWithError({
      code: 'turn_limit',
      message: `A session has at most ${limits.maxTurns} turns. Fork it to continue in a new one with the same past.`,
      retryable: false,
    })

  if (turn.waitingCallId !== undefined) return { kind: 'wait' }
  const calls = findUnansweredCalls(turn.transcript)
  if (calls.length > 0) return { kind: 'call-tools', calls }
  if (turn.transcript.at(-1)?.role === 'assistant') {
    return { kind: 'stop', reason: turn.outOfTokens ? 'max_tokens' : 'completed' }
  }

  if (turn.steps >= limits.maxToolTurns)
    return stopWithError({
      code: 'turn_limit',
      message: `A turn has at most ${limits.maxToolTurns} steps. Continue it for up to ${limits.maxToolTurns} more.`,
      retryable: true,
    })
  return { kind: 'ask-model' }
}

function stopWithError(error: TurnError): TurnDecision {
  return error.code === 'cancelled'
    ? { kind: 'stop', reason: 'cancelled' }
    : { kind: 'stop', reason: 'error', error }
}

/** Only of the last step: a model may reuse the id of an earlier call. */
export function findUnansweredCalls(
  transcript: readonly Pick<TurnMessage, 'role' | 'content'>[],
): readonly ToolCall[] {
  const lastStep = transcript.findLastIndex(({ role }) => role === 'assistant')
  const parts = transcript.slice(Math.max(0, lastStep)).flatMap((message) => message.content)
  const answered = new Set(parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : [])))
  return parts.flatMap((part) =>
    part.type === 'tool_call' && !answered.has(part.call.id) ? [part.call] : [],
  )
}
