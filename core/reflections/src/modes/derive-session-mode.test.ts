import type { SessionMode } from '@parley/contracts'
import { expect, test } from 'vitest'
import { deriveSessionMode, type SessionHints } from './derive-session-mode.ts'

test.each<[string, SessionHints, SessionMode]>([
  ['nothing said is a reflection', {}, 'reflection'],
  ['an interviewer interviews', { agentType: 'interviewer' }, 'interview'],
  [
    'an interviewer interviews in a shared room too',
    { agentType: 'interviewer', roomPrefix: 'share' },
    'interview',
  ],
  ['a reflection is one while onboarding', { agentType: 'reflection', mode: 'onboarding' }, 'reflection'],
  ['a reflection is one in a shared room', { agentType: 'reflection', roomPrefix: 'share' }, 'reflection'],
  ['onboarding is an interview', { mode: 'onboarding' }, 'interview'],
  ['onboarding goes before the room', { mode: 'onboarding', roomPrefix: 'share' }, 'interview'],
  ['a shared room is a share', { roomPrefix: 'share' }, 'share'],
  ['an unknown mode and room say nothing', { mode: 'evening', roomPrefix: 'sharex' }, 'reflection'],
])('[V1] [V12] %s', (_, hints, mode) => {
  expect(deriveSessionMode(hints)).toBe(mode)
})
