import type { SessionEvent, TurnId } from '@parley/contracts'

/** Gives the turn of an event its number, from 1, in the order in which turns began. */
export function numberTurn(numbers: Map<TurnId, number>, event: SessionEvent): void {
  if ('turnId' in event && !numbers.has(event.turnId)) numbers.set(event.turnId, numbers.size + 1)
}
