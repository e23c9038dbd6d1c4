import { expect, test } from 'vitest'
import type { CallId, SessionMessage, TurnId } from '@parley/contracts'
import { hasFinalText, reconstructSessionState, removeFailedSteps } from './reconstruct-session-state.ts'

type NewMessage = Omit<Partial<SessionMessage>, 'turnId'> & { readonly turn?: string }

const message = ({ turn = 'trn_1', ...given }: NewMessage) =>
  ({ role: 'assistant', content: [], turnId: turn as TurnId, ...given }) as SessionMessage
const createText = (said: string) => [{ type: 'text' as const, text: said }]
const call = { type: 'tool_call' as const, call: { id: 'c' as CallId, name: 'look', input: {} } }
const question = message({ role: 'user', content: createText('?') })
const answer = message({ content: createText('!') })

test.each<[string, readonly SessionMessage[], boolean]>([
  ['nothing', [], false],
  ['a question alone', [question], false],
  ['an answer', [question, answer], true],
  ['an answer without a word', [question, message({ content: createText('') })], false],
  [
    'an answer whose last part is empty',
    [question, message({ content: [...createText('!'), ...createText('')] })],
    true,
  ],
  ['reasoning alone', [question, message({ content: [{ type: 'reasoning', text: 'Hm.' }] })], false],
  ['words before a call', [question, message({ content: [...createText('!'), call] })], false],
  ['an answer that failed', [question, message({ content: createText('!'), cutShort: 'failed' })], false],
  [
    'an answer that is not finished',
    [question, message({ content: createText('!'), cutShort: 'unfinished' })],
    false,
  ],
  [
    'an answer that was cancelled',
    [question, message({ content: createText('!'), cutShort: 'cancelled' })],
    true,
  ],
  ['an answer before another question', [answer, question], false],
])('[S4] whether a turn has an answer: %s', (_, turn, expected) => {
  expect(hasFinalText(turn)).toBe(expected)
})

const failed = message({ content: createText('x'), cutShort: 'failed' })
const unfinished = message({ content: createText('x'), cutShort: 'unfinished' })
const cancelled = message({ content: createText('x'), cutShort: 'cancelled' })

test.each<[string, readonly SessionMessage[], readonly SessionMessage[]]>([
  ['all of an answered turn', [question, answer], [question, answer]],
  ['no step that failed', [question, failed, answer], [question, answer]],
  ['no step that is not finished', [question, unfinished, answer], [question, answer]],
  ['no step that was cancelled and gone on after', [question, cancelled, answer], [question, answer]],
  ['a step that was cancelled last', [question, answer, cancelled], [question, answer, cancelled]],
  ['no step that failed last', [question, failed], [question]],
])('[S4] the valid steps of a turn: %s', (_, turn, expected) => {
  expect(removeFailedSteps(turn)).toEqual(expected)
})

const marker = message({ role: 'system', marker: { kind: 'trimmed', uptoSequence: 1 } })
const secondQuestion = message({ role: 'user', content: createText('And?') })
const nextQuestion = message({ role: 'user', content: createText('Next'), turn: 'trn_2' })

test.each<[string, readonly SessionMessage[], readonly (readonly SessionMessage[])[]]>([
  ['what comes before the first question belongs to none', [answer, question], [[question]]],
  [
    'questions that follow each other are one',
    [question, secondQuestion, answer],
    [[question, secondQuestion, answer]],
  ],
  ['questions of two turns are two', [question, nextQuestion], [[question], [nextQuestion]]],
  [
    'a question after an answer is another',
    [question, answer, secondQuestion],
    [[question, answer], [secondQuestion]],
  ],
  [
    'markers belong to none',
    [question, marker, secondQuestion, answer],
    [[question, secondQuestion, answer]],
  ],
])('[S4] the turns of a transcript: %s', (_, messages, expected) => {
  expect(reconstructSessionState(messages).map((turn) => turn.messages)).toEqual(expected)
})
