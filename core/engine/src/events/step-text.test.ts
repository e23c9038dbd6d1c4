import type { SessionId, StepId, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createStepText, type StreamedEvent } from './step-text.ts'

const createToken = (sequenceNumber: number, token: string, given: Partial<StreamedEvent> = {}) =>
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

const createReasoning = (sequenceNumber: number, text: string): StreamedEvent => {
  const { token: _, ...event } = { ...createToken(sequenceNumber, ''), token: '' }
  return { ...event, type: 'agent:reasoning', text }
}

test('[S6] each run of text or reasoning is one event, from its first number to its last', () => {
  const stepText = createStepText()
  for (const event of [
    createReasoning(3, 'H'),
    createReasoning(4, 'm'),
    createToken(5, 'Yes'),
    createToken(6, '.'),
  ])
    stepText.add(event)
  expect(stepText.joinRuns()).toMatchObject([
    { type: 'agent:reasoning', text: 'Hm', fromSequence: 3, sequenceNumber: 4 },
    { type: 'agent:token', token: 'Yes.', fromSequence: 5, sequenceNumber: 6 },
  ])
  expect(stepText.joinRuns()[1]?.timestamp).toBe('2026-03-04T05:06:06.000Z')
})

test('a joined event replaces the text from its first number on', () => {
  const stepText = createStepText()
  for (const event of [createReasoning(2, 'Hm'), createToken(3, 'a'), createToken(4, 'b')])
    stepText.add(event)
  stepText.add(createToken(6, 'abcd', { fromSequence: 3 }))
  stepText.add(createToken(7, 'e'))
  expect(stepText.joinRuns()).toMatchObject([
    { text: 'Hm', fromSequence: 2, sequenceNumber: 2 },
    { token: 'abcde', fromSequence: 3, sequenceNumber: 7 },
  ])
})

test('returned events and given events never change', () => {
  const stepText = createStepText()
  const first = createToken(3, 'a')
  stepText.add(first)
  const [before] = stepText.joinRuns()
  stepText.add(createToken(4, 'b'))
  expect(before).toMatchObject({ token: 'a', sequenceNumber: 3 })
  expect(first).toEqual(createToken(3, 'a'))
})

test('another step or a restart begins a new run', () => {
  const stepText = createStepText()
  stepText.add(createToken(3, 'a'))
  stepText.add(createToken(4, 'b', { stepId: 'stp_2' as StepId }))
  expect(stepText.joinRuns()).toHaveLength(2)
  stepText.clear()
  stepText.add(createToken(5, 'c', { stepId: 'stp_2' as StepId }))
  expect(stepText.joinRuns()).toMatchObject([{ token: 'c', fromSequence: 5 }])
})
