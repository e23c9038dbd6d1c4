import type { SessionMessage } from '@parley/contracts'

/** A logical turn: what the person said and everything that answered it. */
export interface LogicalTurn {
  readonly messages: readonly SessionMessage[]
  /** Completed turns have final text; the others are kept and shown, but no model sees them. */
  readonly outcome: 'completed' | 'rolled-back'
}

/** The turns of a transcript. What comes before the first question (a tail that starts mid-turn) belongs to none. */
export function reconstructSessionState(messages: readonly SessionMessage[]): readonly LogicalTurn[] {
  const turns: SessionMessage[][] = []
  let previous: SessionMessage['role'] | undefined
  for (const message of messages) {
    if (message.role === 'user' && previous !== 'user') turns.push([])
    turns.at(-1)?.push(message)
    previous = message.role
  }
  return turns.map((turn) => ({ messages: turn, outcome: hasFinalText(turn) ? 'completed' : 'rolled-back' }))
}

function hasFinalText(turn: readonly SessionMessage[]): boolean {
  const last = turn.at(-1)
  if (last?.role !== 'assistant' || last.cutShort === 'failed') return false
  const asksForTools = last.content.some((part) => part.type === 'tool_call')
  return !asksForTools && last.content.some((part) => part.type === 'text' && part.text !== '')
}
