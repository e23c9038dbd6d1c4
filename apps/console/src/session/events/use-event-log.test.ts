import { expect, test, vi } from 'vitest'
import type { ApiClient } from '@parley/api-client'
import type { SessionEvent, SessionId, TurnId } from '@parley/contracts'
import { createEventLog, numberTurn } from './use-event-log.ts'

const createToken = (sequenceNumber: number, turnId: string) =>
  ({ type: 'agent:token', sequenceNumber, turnId }) as unknown as SessionEvent

test('[S6] a live log appends without copying or rescanning', async () => {
  let tell = Promise.withResolvers<SessionEvent>()
  const events = async function* () {
    for (;;) {
      const event = await tell.promise
      tell = Promise.withResolvers()
      yield event
    }
  }
  const client = { sessions: { events } } as unknown as ApiClient
  const log = createEventLog('ses_1' as SessionId, 2, client)
  const leave = log.open()
  const receive = async (event: SessionEvent) => {
    tell.resolve(event)
    await vi.waitUntil(() => log.state().events.at(-1) === event)
    return log.state()
  }
  const first = await receive(createToken(1, 'trn_a'))
  const second = await receive(createToken(2, 'trn_b'))
  expect([first.count, first.isUpToDate]).toEqual([1, false])
  expect([second.count, second.isUpToDate]).toEqual([2, true])
  expect(second.events).toBe(first.events)
  expect([...second.turns.values()]).toEqual([1, 2])
  leave()
})

test('turns are numbered in starting order', () => {
  const numbers = new Map<TurnId, number>()
  for (const event of [
    { type: 'session:started' },
    createTurnEvent('trn_b'),
    createTurnEvent('trn_b'),
    createTurnEvent('trn_a'),
    createTurnEvent('trn_b'),
  ]) {
    numberTurn(numbers, event as SessionEvent)
  }
  expect([...numbers]).toEqual([
    ['trn_b', 1],
    ['trn_a', 2],
  ])
})

const createTurnEvent = (turnId: string) => ({ type: 'agent:token', turnId })
