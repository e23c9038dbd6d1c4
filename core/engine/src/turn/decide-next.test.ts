import type { CallId, ToolCall, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { testLimits } from '../testing/fixtures.ts'
import { decideNext, type TurnDecision } from './decide-next.ts'
import { createTurn, type Turn, type TurnMessage } from './turn.ts'

const question = createTurn({ id: 'trn_1' as TurnId, number: 1, system: '', past: [] })
const call: ToolCall = { id: 'call-1' as CallId, name: 'read_file', input: {} }
const answer: TurnMessage = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }
const toolRequest: TurnMessage = { role: 'assistant', content: [{ type: 'tool_call', call }] }
const toolResult: TurnMessage = {
  role: 'tool',
  content: [{ type: 'tool_result', callId: call.id, outcome: { kind: 'ok', text: '42' } }],
}
const unavailableError = { code: 'provider_unavailable', message: 'down', retryable: true } as const
const cancelledError = { code: 'cancelled', message: 'stop', retryable: true } as const
const createLimitError = (message: string, retryable: boolean) =>
  ({ code: 'turn_limit', message, retryable }) as const

test.each<[string, Partial<Turn>, TurnDecision]>([
  ['a fresh question goes to the model', {}, { kind: 'ask-model' }],
  ['a plain answer ends the turn', { transcript: [answer] }, { kind: 'stop', reason: 'completed' }],
  [
    'an answer that ran out of tokens says so',
    { transcript: [answer], outOfTokens: true },
    { kind: 'stop', reason: 'max_tokens' },
  ],
  ['a call is carried out', { transcript: [toolRequest] }, { kind: 'call-tools', calls: [call] }],
  [
    'a result goes back to the model',
    { transcript: [toolRequest, toolResult], steps: 1 },
    { kind: 'ask-model' },
  ],
  [
    'a failure ends the turn',
    { failure: unavailableError },
    { kind: 'stop', reason: 'error', error: unavailableError },
  ],
  ['a cancelled turn is not an error', { failure: cancelledError }, { kind: 'stop', reason: 'cancelled' }],
  [
    '[S7] the step cap holds, loudly',
    { transcript: [toolRequest, toolResult], steps: 8 },
    {
      kind: 'stop',
      reason: 'error',
      error: createLimitError('A turn has at most 8 steps. Continue it for up to 8 more.', true),
    },
  ],
  [
    '[S7] the turn cap holds before anything leaves the machine',
    { number: 51 },
    {
      kind: 'stop',
      reason: 'error',
      error: createLimitError(
        'A session has at most 50 turns. Fork it to continue in a new one with the same past.',
        false,
      ),
    },
  ],
])('%s', (_, given, expected) => {
  expect(decideNext({ ...question, ...given }, { ...testLimits, maxToolTurns: 8 })).toEqual(expected)
})
