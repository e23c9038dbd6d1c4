import { findDifferences } from '@parley/reflections'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryTemplate, template } from './testing/arbitrary-template.ts'
import { readElevenLabsAgentTemplate, buildElevenLabsAgentTemplate } from './elevenlabs-agent-template.ts'

test('[V14] a template survives a round trip', () => {
  fc.assert(
    fc.property(arbitraryTemplate, (any) => {
      expect(findDifferences(any, readElevenLabsAgentTemplate(buildElevenLabsAgentTemplate(any)))).toEqual([])
    }),
  )
})

const modelFor = (language: string) =>
  buildElevenLabsAgentTemplate({ ...template, language }).conversationConfig.tts?.modelId

test('[V14] the voice’s model can speak the language', () => {
  expect(modelFor('en')).toBe('eleven_flash_v2')
  expect(modelFor('tr')).toBe('eleven_flash_v2_5')
})

test('[V14] an unknown override is rejected with a suggestion', () => {
  expect(() => buildElevenLabsAgentTemplate({ ...template, overrides: ['agent.firstMesage'] })).toThrow(
    /no override "agent.firstMesage". Did you mean agent.firstMessage\?/,
  )
})
