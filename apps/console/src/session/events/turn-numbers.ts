import type { SessionEvent, TurnId } from '@parley/contracts'

/** The number of an event's turn; undefined for what happens between turns. */
export function numberOfTurn(numbers: ReadonlyMap<TurnId, number>, event: SessionEvent): number | undefined {
  return 'turnId' in event && event.turnId !== undefined ? numbers.get(event.turnId) : undefined
}

/** Gives the turn of an event its number, from 1, in the order in which turns began. */
export function numberTurn(numbers: Map<TurnId, number>, event: SessionEvent): void {
  if (!('turnId' in event) || event.turnId === undefined || numbers.has(event.turnId)) return
  numbers.set(event.turnId, numbers.size + 1)
}
