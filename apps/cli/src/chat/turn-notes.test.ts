import type { SessionEvent, StepId, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { type RequestedModel, createTurnNotes } from './turn-notes.ts'

const turnId = 'trn_1' as TurnId
const step = (number: number) => ({ turnId, stepId: `stp_${number}` as StepId })
const mentionNotices = (
  events: readonly object[],
  asked: RequestedModel = { provider: 'first', model: 'large' },
) => {
  const note = createTurnNotes(asked)
  return events.map((event) => note(event as SessionEvent))
}
const token = (number: number, model = 'large') => ({
  type: 'agent:token',
  ...step(number),
  token: 'x',
  model,
})

const paid = (model: string) => ({ type: 'cost:updated', turnId, model, totalMicrocents: 1 })
const discarded = (number: number) => ({ type: 'agent:step_discarded', ...step(number) })

test('a plain answer has no notes', () => {
  expect(mentionNotices([token(1), token(1), { type: 'session:turn_completed', turnId }])).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('[S11] a fallback model is named once, and so is the return to the first', () => {
  expect(mentionNotices([token(1, 'small'), token(1, 'small'), token(2)])).toEqual([
    'Using small; large unavailable',
    undefined,
    'Using large again',
  ])
})

test('[S11] a model of the same name at another provider is named with its cost', () => {
  expect(mentionNotices([token(1), paid('first/large')])).toEqual([undefined, undefined])
  expect(mentionNotices([token(1), paid('second/large'), token(2), paid('second/large')])).toEqual([
    undefined,
    'answered by second/large; first/large unavailable',
    undefined,
    undefined,
  ])
})

test('[S6] a discarded step is reported only if it was shown', () => {
  expect(mentionNotices([discarded(1), token(2), discarded(2)])).toEqual([
    undefined,
    undefined,
    'the partial answer above was discarded',
  ])
})

test.each([
  [
    { type: 'budget:warning', turnId, totalMicrocents: 1_230_000, maxMicrocents: 1_000_000 },
    'the next step may exceed the budget: $0.0123 of $0.0100 spent',
  ],
  [
    { type: 'budget:paused', turnId, totalMicrocents: 0, maxMicrocents: 1_000_000 },
    'the next step may exceed the budget: $0 of $0.0100 spent',
  ],
  [{ type: 'session:compacting' }, 'summarising earlier messages'],
  [
    { type: 'session:compacted', uptoSequence: 4 },
    expect.stringContaining('reads a summary of earlier messages'),
  ],
  [{ type: 'session:trimmed', uptoSequence: 4 }, expect.stringContaining('no longer sent to the model')],
])('[S8] [S17] %o is reported', (event, expected) => {
  expect(mentionNotices([{ type: 'session:turn_started', turnId }, event])).toEqual([undefined, expected])
})

test('changes before the turn are not reported again', () => {
  expect(mentionNotices([{ type: 'session:trimmed', uptoSequence: 4 }, token(1)])).toEqual([
    undefined,
    undefined,
  ])
})
