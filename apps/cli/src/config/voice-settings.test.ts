import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openVoiceSettings } from './voice-settings.ts'

async function opened(variables: Readonly<Record<string, string>>) {
  const home = await mkdtemp(join(tmpdir(), 'parley-voice-settings-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const environment = { home, variable: (name: string) => variables[name] }
  return openVoiceSettings(environment, {
    apiUrl: 'http://127.0.0.1:4400',
    localUrl: 'http://127.0.0.1:4401',
    onNotice: () => {},
  })
}

test('[V10] [S13] every secret of the voice provider is masked, including previous ones and a later webhook secret', async () => {
  const { voice, secrets } = await opened({
    ELEVENLABS_BINDING_SECRET: 'made-up-current',
    ELEVENLABS_BINDING_SECRETS_PREVIOUS: ' made-up-before, made-up-long-before ,',
    ELEVENLABS_TOOL_SECRET: 'made-up-tool',
    ELEVENLABS_WEBHOOK_SECRET: 'made-up-by-hand',
  })
  expect(voice?.bindingSecrets).toEqual(['made-up-current', 'made-up-before', 'made-up-long-before'])
  const first = secrets()
  voice?.onSecret?.('made-up-told-later')
  voice?.onSecret?.('made-up-told-later')
  expect(secrets()).not.toBe(first)
  expect(secrets().map(({ value }) => value)).toEqual([
    expect.stringMatching(/^sk_/),
    ...(voice?.bindingSecrets ?? []),
    'made-up-tool',
    'made-up-by-hand',
    'made-up-told-later',
  ])
})

test('[V6] agents named in the environment are used for their purposes', async () => {
  const named = await opened({
    ELEVENLABS_AGENT_ID: 'agent_generic',
    ELEVENLABS_INTERVIEWER_AGENT_ID: 'agent_interviewer',
  })
  expect(named.voice).toMatchObject({ agentId: 'agent_generic', interviewerAgentId: 'agent_interviewer' })
  const { voice } = await opened({})
  expect(voice).not.toHaveProperty('agentId')
  expect(voice).not.toHaveProperty('interviewerAgentId')
})
