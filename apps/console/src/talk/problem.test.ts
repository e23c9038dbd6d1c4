import { type ErrorCode, PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { isTemporaryProblem, type TalkProblem, toTalkProblem } from './problem.ts'

test.each<[ErrorCode, Record<string, unknown>, TalkProblem]>([
  [
    'public_runtime_stale',
    { differs: ['the dossier', 1] },
    { kind: 'public-stale', differs: ['the dossier'] },
  ],
  ['public_runtime_not_ready', {}, { kind: 'public-not-ready', missing: [] }],
  ['reflection_not_ready', { missing: ['no pack'] }, { kind: 'not-ready', missing: ['no pack'] }],
  [
    'voice_clone_required',
    { missing: ['no voice is chosen'] },
    { kind: 'voice-missing', missing: ['no voice is chosen'] },
  ],
  ['share_link_invalid', {}, { kind: 'link-invalid' }],
  ['session_ended', { message: 'It is over.' }, { kind: 'ended', message: 'It is over.' }],
  ['session_not_found', {}, { kind: 'gone' }],
  ['unauthenticated', {}, { kind: 'gone' }],
  [
    'rate_limited',
    { message: 'Wait.', retryAfterSeconds: 90 },
    { kind: 'rate-limited', message: 'Wait.', seconds: 90 },
  ],
  ['rate_limited', { message: 'Wait.' }, { kind: 'rate-limited', message: 'Wait.', seconds: 1 }],
  ['provider_unavailable', {}, { kind: 'provider-unavailable' }],
  ['run_timeout', {}, { kind: 'provider-unavailable' }],
  ['server_unreachable', {}, { kind: 'unreachable' }],
  ['validation', { message: 'No.' }, { kind: 'other', message: 'No.' }],
])('%s with %j', (code, detail, problem) => {
  expect(toTalkProblem(new PlatformError(code, detail))).toEqual(problem)
})

test('an error that is not a PlatformError shows its own message', () => {
  expect(toTalkProblem(new Error('The line is dead.'))).toEqual({
    kind: 'other',
    message: 'The line is dead.',
  })
})

test.each<[ErrorCode, boolean]>([
  ['server_unreachable', true],
  ['rate_limited', true],
  ['session_not_found', false],
  ['session_ended', false],
  ['unauthenticated', false],
  ['forbidden', false],
])('%s is temporary: %s', (code, expected) => {
  expect(isTemporaryProblem(toTalkProblem(new PlatformError(code)))).toBe(expected)
})
