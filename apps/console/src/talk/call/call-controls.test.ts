import { expect, test } from 'vitest'
import { type CallState, NO_CALL } from './call-state.ts'
import { standingInWords } from './call-controls.tsx'

test.each<[Partial<CallState>, string]>([
  [{ phase: { kind: 'live' } }, 'Listening to you'],
  [{ phase: { kind: 'live' }, speaks: 'agent' }, 'Ada speaks'],
  [{ phase: { kind: 'live' }, isMuted: true }, 'You are muted'],
  [{ phase: { kind: 'dropped', next: 'reconnects' } }, 'The connection was lost. Connecting again…'],
  [{ phase: { kind: 'dropped', next: 'asks' } }, 'You are not connected. The conversation is still open.'],
])('%j is told as %s', (given, words) => {
  expect(standingInWords({ ...NO_CALL, ...given }, 'Ada')).toBe(words)
})
