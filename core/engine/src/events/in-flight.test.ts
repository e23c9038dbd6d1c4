import type { SessionId, StepId, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createStepText, type StreamedEvent } from './in-flight.ts'

const said = (sequenceNumber: number, token: string, given: Partial<StreamedEvent> = {}) =>
  ({
    type: 'agent:token',
    sessionId: 'ses_1' as SessionId,
    turnId: 'trn_1' as TurnId,
    stepId: 'stp_1' as StepId,
    sequenceNumber,
    timestamp: `2026-03-04T05:06:0${sequenceNumber}.000Z`,
    model: 'm',
    token,
    ...given,
  }) as StreamedEvent

const thought = (sequenceNumber: number, text: string): StreamedEvent => {
  const { token: _, ...event } = { ...said(sequenceNumber, ''), token: '' }
  return { ...event, type: 'agent:reasoning', text }
}

test('[S6] each run of text or reasoning is one event, from its first number to its last', () => {
  const inFlight = createStepText()
  for (const event of [thought(3, 'H'), thought(4, 'm'), said(5, 'Yes'), said(6, '.')]) inFlight.add(event)
  expect(inFlight.joinRuns()).toMatchObject([
    { type: 'agent:reasoning', text: 'Hm', fromSequence: 3, sequenceNumber: 4 },
    { type: 'agent:token', token: 'Yes.', fromSequence: 5, sequenceNumber: 6 },
  ])
  expect(inFlight.joinRuns()[1]?.timestamp).toBe('2026-03-04T05:06:06.000Z')
})

test('a joined event replaces the text from its first number on', () => {
  const inFlight = createStepText()
  for (const event of [thought(2, 'Hm'), said(3, 'a'), said(4, 'b')]) inFlight.add(event)
  inFlight.add(said(6, 'abcd', { fromSequence: 3 }))
  inFlight.add(said(7, 'e'))
  expect(inFlight.joinRuns()).toMatchObject([
    { text: 'Hm', fromSequence: 2, sequenceNumber: 2 },
    { token: 'abcde', fromSequence: 3, sequenceNumber: 7 },
  ])
})

test('returned events and given events never change', () => {
  const inFlight = createStepText()
  const first = said(3, 'a')
  inFlight.add(first)
  const [before] = inFlight.joinRuns()
  inFlight.add(said(4, 'b'))
  expect(before).toMatchObject({ token: 'a', sequenceNumber: 3 })
  expect(first).toEqual(said(3, 'a'))
})

test('another step or a restart begins a new run', () => {
  const inFlight = createStepText()
  inFlight.add(said(3, 'a'))
  inFlight.add(said(4, 'b', { stepId: 'stp_2' as StepId }))
  expect(inFlight.joinRuns()).toHaveLength(2)
  inFlight.clear()
  inFlight.add(said(5, 'c', { stepId: 'stp_2' as StepId }))
  expect(inFlight.joinRuns()).toMatchObject([{ token: 'c', fromSequence: 5 }])
})
