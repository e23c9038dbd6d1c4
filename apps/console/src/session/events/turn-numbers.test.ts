import type { SessionEvent, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { numberTurn } from './turn-numbers.ts'

test('turns are numbered in the order in which they began', () => {
  const numbers = new Map<TurnId, number>()
  for (const event of [{ type: 'session:started' }, of('trn_b'), of('trn_b'), of('trn_a'), of('trn_b')]) {
    numberTurn(numbers, event as SessionEvent)
  }
  expect([...numbers]).toEqual([
    ['trn_b', 1],
    ['trn_a', 2],
  ])
})

const of = (turnId: string) => ({ type: 'agent:token', turnId })
