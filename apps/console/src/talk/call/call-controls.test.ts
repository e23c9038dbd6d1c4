import { expect, test } from 'vitest'
import { type CallState, NO_CALL } from './call-state.ts'
import { describeCallState } from './call-controls.tsx'

test.each<[Partial<CallState>, string]>([
  [{ phase: { kind: 'live' } }, 'Listening'],
  [{ phase: { kind: 'live' }, speaker: 'agent' }, 'Speaking'],
  [{ phase: { kind: 'live' }, isMuted: true }, 'Muted'],
  [{ phase: { kind: 'dropped', next: 'reconnects' } }, 'Connection lost. Reconnecting…'],
  [{ phase: { kind: 'dropped', next: 'asks' } }, 'Disconnected. The conversation is still open.'],
])('%j is shown as %s', (given, words) => {
  expect(describeCallState({ ...NO_CALL, ...given })).toBe(words)
})
