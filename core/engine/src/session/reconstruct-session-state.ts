import type { SessionMessage } from '@parley/contracts'

/** A logical turn: the person's messages and everything that answers them. */
export interface LogicalTurn {
  readonly messages: readonly SessionMessage[]
  /** Completed turns have final text; the others are stored and shown, but not sent to models. */
  readonly outcome: 'completed' | 'rolled-back'
}

/**
 * The turns of a transcript. Consecutive questions form one turn, unless each opened its own. Messages before the first
 * question (a tail that starts mid-turn) and markers belong to no turn.
 */
export function reconstructSessionState(messages: readonly SessionMessage[]): readonly LogicalTurn[] {
  const turns: SessionMessage[][] = []
  let previous: SessionMessage | undefined
  for (const message of messages) {
    if (message.marker) continue
    const isSameTurn = previous?.role === 'user' && previous.turnId === message.turnId
    if (message.role === 'user' && !isSameTurn) turns.push([])
    turns.at(-1)?.push(message)
    previous = message
  }
  return turns.map((turn) => ({ messages: turn, outcome: hasFinalText(turn) ? 'completed' : 'rolled-back' }))
}

export function hasFinalText(turn: readonly SessionMessage[]): boolean {
  const last = turn.at(-1)
  if (last?.role !== 'assistant' || last.cutShort === 'failed' || last.cutShort === 'unfinished') return false
  const asksForTools = last.content.some((part) => part.type === 'tool_call')
  return !asksForTools && last.content.some((part) => part.type === 'text' && part.text !== '')
}

/** A turn without its failed and unfinished steps, and without cancelled steps that were followed by others. */
export const removeFailedSteps = (turn: readonly SessionMessage[]): readonly SessionMessage[] =>
  turn.filter(
    ({ cutShort }, index) =>
      cutShort === undefined || (cutShort === 'cancelled' && index === turn.length - 1),
  )
