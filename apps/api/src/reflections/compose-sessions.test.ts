import { expect, test } from 'vitest'
import { composeSpoken } from './compose-sessions.ts'
import type { VoiceSettings } from './voice-settings.ts'

const voice = { bindingSecrets: ['made-up-binding-secret'] } as unknown as VoiceSettings
type Parts = Parameters<typeof composeSpoken>[0]

const configuredWith = (settings: Partial<VoiceSettings>) => {
  const parts = { voice: { ...voice, ...settings }, agents: {} } as unknown as Parts
  return composeSpoken(parts).spoken?.configured
}

test.each<[string, Partial<VoiceSettings>, Readonly<Record<string, string>>]>([
  ['no agent', {}, {}],
  ['a generic agent', { agentId: 'agent_generic' }, { generic: 'agent_generic' }],
  ['an interviewer', { interviewerAgentId: 'agent_interviewer' }, { interviewer: 'agent_interviewer' }],
])('[V6] sessions are started with the configured agents: %s', (_, settings, expected) => {
  expect(configuredWith(settings)).toEqual(expected)
})

test('[V6] no spoken sessions without a voice provider or agents', () => {
  expect(composeSpoken({ voice: undefined, agents: {} as Parts['agents'] })).toEqual({})
  expect(composeSpoken({ voice, agents: undefined })).toEqual({})
})
