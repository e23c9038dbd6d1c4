import type { SessionMessage } from '@parley/contracts'

/** A logical turn: what the person said and everything that answered it. */
export interface LogicalTurn {
  readonly messages: readonly SessionMessage[]
  /** Completed turns have final text; the others are kept and shown, but no model sees them. */
  readonly outcome: 'completed' | 'rolled-back'
}

/**
 * The turns of a transcript. Questions that follow each other are one, unless they opened turns of their own. What
 * comes before the first question (a tail that starts mid-turn) belongs to none, nor do markers.
 */
export function reconstructSessionState(messages: readonly SessionMessage[]): readonly LogicalTurn[] {
  const turns: SessionMessage[][] = []
  let previous: SessionMessage | undefined
  for (const message of messages) {
    if (message.marker) continue
    const goesOn = previous?.role === 'user' && previous.turnId === message.turnId
    if (message.role === 'user' && !goesOn) turns.push([])
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

/** A turn without the steps that came to nothing: failed and unfinished ones, and cancelled ones that the turn went on after. */
export const standingOf = (turn: readonly SessionMessage[]): readonly SessionMessage[] =>
  turn.filter(
    ({ cutShort }, index) =>
      cutShort === undefined || (cutShort === 'cancelled' && index === turn.length - 1),
  )
