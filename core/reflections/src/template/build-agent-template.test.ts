import { createHash } from 'node:crypto'
import { PackKind, AgentAction, isReadOnlyAction, recordByAction } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { buildVoiceArtifacts } from '../artifacts/build-voice-artifacts.ts'
import { buildInterviewerPack, buildGenericPack } from '../packs/shared-packs.ts'
import { hasPolicy, findPlaceholders } from '../packs/build-prompt-pack.ts'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { FIXED_VARIABLES } from '../variables/variable-matrix.ts'
import { buildAgentTemplate } from './build-agent-template.ts'
import { buildInlineTools } from './tool-definitions.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const CANARY = 'canary-of-the-diary'
const { prompt_packs } = buildVoiceArtifacts(
  {
    displayName: 'Ada Winter',
    creatorName: CANARY,
    evidence: [...createEvidence('essays', 12), ...createEvidence('diary', 12, CANARY)],
    namespaces: ['essays', 'diary'],
    publishedNamespaces: ['essays'],
  },
  sha256,
)
const setUp = {
  name: 'An agent',
  voiceId: 'voice_1',
  webhookId: 'webhook_1',
  toolIds: recordByAction((action) => `tool_${action}`),
}
const packs = {
  ...prompt_packs,
  interviewer: buildInterviewerPack(sha256),
  generic: buildGenericPack(sha256),
}

describe.each(Object.entries(packs))('the agent of the pack %s', (_, pack) => {
  const template = buildAgentTemplate(pack, setUp)

  test('[V14] has the contract’s model, temperature, token limit and tool calls', () => {
    expect(template).toMatchObject({
      model: 'claude-sonnet-4-6',
      temperature: 0.4,
      maxOutputTokens: 500,
      parallelToolCalls: false,
      endCall: { guidance: expect.stringContaining('goodbye') },
      voiceId: 'voice_1',
      postCallWebhookId: 'webhook_1',
    })
  })

  test('[V14] has a placeholder for every variable in its texts and tools', () => {
    const named = findPlaceholders(template.prompt + template.firstMessage)
    expect(Object.keys(template.placeholders)).toEqual(expect.arrayContaining([...named, ...FIXED_VARIABLES]))
  })

  test('[V3] opens with the policy', () => {
    expect(hasPolicy(template.prompt, sha256)).toBe(true)
  })
})

test.each(PackKind.options.filter((kind) => kind.startsWith('public_')))(
  '[P5] the agent of %s only reads, and contains nothing private',
  (kind) => {
    const template = buildAgentTemplate(prompt_packs[kind], setUp)
    const reading = AgentAction.options.filter(isReadOnlyAction)
    expect(template.toolIds).toEqual(reading.map((action) => `tool_${action}`))
    expect(JSON.stringify(template)).not.toContain(CANARY)
  },
)

test('[P5] the same search finds the private words in a private agent', () => {
  const template = buildAgentTemplate(prompt_packs.private_standard, setUp)
  expect(JSON.stringify(template)).toContain(CANARY)
})

test('[X2] names in a dossier are hints for speech recognition; the public agent only has public names', () => {
  const evidence = ['essays', 'diary'].flatMap((namespace) =>
    createEvidence(namespace, 1).map((item) => ({ ...item, statement: PLACES[namespace] ?? '' })),
  )
  const built = buildVoiceArtifacts(
    {
      displayName: 'Ada Winter',
      evidence,
      namespaces: ['essays', 'diary'],
      publishedNamespaces: ['essays'],
    },
    sha256,
  )
  const keywords = (kind: PackKind) => buildAgentTemplate(built.prompt_packs[kind], setUp).keywords
  expect(keywords('public_standard')).toEqual(['Ada', 'Winter', 'Vadso'])
  expect(keywords('private_standard').toSorted()).toEqual(['Ada', 'Hvidsten', 'Vadso', 'Winter'])
})

const PLACES: Readonly<Record<string, string>> = {
  essays: 'Ada Winter lives in Vadso. She likes it.',
  diary: 'Ada Winter misses Hvidsten.',
}

describe.each(AgentAction.options)('the tool %s', (action) => {
  const tool = buildInlineTools({ publicUrl: 'https://parley.example.org/', secretId: 'secret_1' })[action]

  test('[V15] is called at its own route, with the secret stored at the provider', () => {
    expect(tool).toMatchObject({
      name: action,
      url: `https://parley.example.org/v1/tools/${action}`,
      headers: { 'x-tool-secret': { secretId: 'secret_1' } },
    })
  })

  test('[V4] sends the conversation’s id and signature, which the model cannot set', () => {
    expect(tool.parameters).toMatchObject({
      conversation_id: { value: { kind: 'variable', variable: 'conversation_id' } },
      conversation_bind_sig: { value: { kind: 'variable', variable: 'conversation_bind_sig' } },
      provider_conversation_id: { value: { kind: 'variable', variable: 'system__conversation_id' } },
    })
  })
})
