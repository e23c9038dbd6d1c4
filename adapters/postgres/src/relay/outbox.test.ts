import type { SessionId, StepId } from '@parley/contracts'
import type { StreamedEvent } from '@parley/engine'
import { expect, test } from 'vitest'
import { fromRuns, type Message } from './messages.ts'
import { createOutbox } from './outbox.ts'
import { SESSION, token } from './testing/token.ts'

const [ONE, TWO] = [SESSION, 'ses_2' as SessionId]

/** Messages in short: what each says. */
const inShort = (messages: readonly Message[]) =>
  messages.map((message) => {
    if (message.kind === 'stored') return `${message.sessionId} up to ${message.upTo}`
    if (message.kind !== 'said') return message.kind
    const events = fromRuns(message.sessionId, message.runs)
    return `${message.sessionId} says ${events.map(({ sequenceNumber }) => sequenceNumber).join()}`
  })

test('what a session tells goes in its order, and what belongs together goes together', () => {
  const outbox = createOutbox()
  outbox.said(ONE, [token(3)])
  outbox.stored(TWO, 7)
  outbox.said(ONE, [token(4), token(5)])
  outbox.stored(ONE, 6)
  outbox.stored(ONE, 7)
  outbox.said(ONE, [token(8)])
  outbox.ask(TWO)
  outbox.ask(TWO)
  outbox.put({ kind: 'hello' })
  expect(inShort(outbox.take())).toEqual([
    'hello',
    'ask',
    'ses_1 says 3,4,5',
    'ses_1 up to 7',
    'ses_1 says 8',
    'ses_2 up to 7',
  ])
  expect(outbox.isEmpty()).toBe(true)
})

test('an event comes out as it went in', () => {
  const outbox = createOutbox()
  const { token: _, ...common } = token(3) as Extract<StreamedEvent, { type: 'agent:token' }>
  const events: StreamedEvent[] = [
    { ...common, type: 'agent:reasoning', text: 'Hm', fromSequence: 2 },
    token(4, 'Yes'),
    {
      ...token(6, ' indeed'),
      fromSequence: 5,
      stepId: 'stp_2' as StepId,
      timestamp: '2026-03-04T05:06:08.000Z',
    },
  ]
  outbox.said(ONE, events)
  const [said] = outbox.take()
  const wired = JSON.parse(JSON.stringify(said)) as Message
  expect(wired.kind === 'said' && fromRuns(wired.sessionId, wired.runs)).toEqual(events)
})

test('[S6] text that nobody takes is let go beyond a limit; what is stored is always told', () => {
  const outbox = createOutbox()
  for (let number = 1; number <= 100; number += 1) outbox.said(ONE, [token(number, 'x'.repeat(100_000))])
  outbox.stored(ONE, 101)
  const taken = outbox.take()
  const [said] = taken
  const length = said?.kind === 'said' ? JSON.stringify(said.runs).length : 0
  expect(length).toBeGreaterThan(3_000_000)
  expect(length).toBeLessThan(4_100_000)
  expect(inShort(taken).at(-1)).toBe('ses_1 up to 101')
  outbox.said(ONE, [token(102)])
  expect(inShort(outbox.take())).toEqual(['ses_1 says 102'])
})

test('much text of many sessions goes bit by bit', () => {
  const outbox = createOutbox()
  for (let index = 0; index < 10; index += 1)
    outbox.said(`ses_${index}` as SessionId, [token(1, 'x'.repeat(100_000))])
  expect(outbox.take()).toHaveLength(3)
  expect(outbox.isEmpty()).toBe(false)
})

test('where more sessions wait than are held, everybody is told to look for themselves', () => {
  const outbox = createOutbox()
  for (let index = 0; index <= 10_000; index += 1) outbox.stored(`ses_${index}` as SessionId, 2)
  expect(inShort(outbox.take())).toEqual(['lost', 'ses_10000 up to 2'])
})
