import type { SessionEvent, TurnId } from '@parley/contracts'

/** Gives the turn of an event its number, from 1, in the order in which turns began. */
export function numberTurn(numbers: Map<TurnId, number>, event: SessionEvent): void {
  const turnId = 'turnId' in event ? event.turnId : undefined
  if (turnId && !numbers.has(turnId)) numbers.set(turnId, numbers.size + 1)
}
