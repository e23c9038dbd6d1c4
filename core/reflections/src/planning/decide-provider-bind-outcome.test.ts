import { expect, test } from 'vitest'
import {
  type BindOutcome,
  type BindQuestion,
  decideProviderBindOutcome,
} from './decide-provider-bind-outcome.ts'

const usual: BindQuestion = { status: 'starting', providerConversationId: 'conv_1', isAfterDeadline: false }

test.each<[string, Partial<BindQuestion>, BindOutcome]>([
  ['an answer in time starts the session', {}, 'activate'],
  ['an answer after the deadline does not', { isAfterDeadline: true }, 'too-late'],
  ['a failed session is not woken', { status: 'failed' }, 'too-late'],
  [
    'a failed session stays failed, even for its own conversation',
    { status: 'failed', boundTo: 'conv_1' },
    'too-late',
  ],
  ['an ended session is not woken', { status: 'ended' }, 'too-late'],
  ['the same answer twice changes nothing', { status: 'active', boundTo: 'conv_1' }, 'already-bound'],
  ['a reconnect binds again', { status: 'active', boundTo: 'conv_0' }, 'rebind'],
  [
    'a reconnect that comes late does not',
    { status: 'active', boundTo: 'conv_0', isAfterDeadline: true },
    'too-late',
  ],
])('[V9] [V12] %s', (_, given, outcome) => {
  expect(decideProviderBindOutcome({ ...usual, ...given })).toBe(outcome)
})
