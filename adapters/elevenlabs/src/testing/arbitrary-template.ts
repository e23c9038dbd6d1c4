import { AgentTemplate } from '@parley/reflections'
import fc from 'fast-check'
import { OVERRIDES } from '../elevenlabs-agent-template.ts'

const text = fc.string({ minLength: 1, unit: 'grapheme' })
const id = fc.stringMatching(/^[a-z0-9_]{1,20}$/)
const format = fc.constantFrom('pcm_8000', 'pcm_16000', 'pcm_24000', 'ulaw_8000')

/** Generates arbitrary templates. */
export const arbitraryTemplate: fc.Arbitrary<AgentTemplate> = fc.record({
  name: text,
  prompt: text,
  firstMessage: fc.string({ unit: 'grapheme' }),
  language: fc.constantFrom('en', 'de', 'tr', 'ja'),
  model: fc.constantFrom('claude-sonnet-4-6', 'gemini-2.5-flash'),
  temperature: fc
    .option(fc.double({ min: 0, max: 2, noNaN: true }))
    .map((value) => (value === 0 ? 0 : value)),
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 100_000 })),
  parallelToolCalls: fc.boolean(),
  toolIds: fc.uniqueArray(id),
  endCall: fc.option(fc.record({ guidance: fc.string() })),
  placeholders: fc.dictionary(
    fc.stringMatching(/^[a-zA-Z_]\w{0,20}$/),
    fc.oneof(fc.string(), fc.integer(), fc.boolean()),
  ),
  keywords: fc.uniqueArray(text),
  voiceId: id,
  audio: fc.record({ input: format, output: format }),
  maxDurationSeconds: fc.integer({ min: 1, max: 7_200 }),
  authRequired: fc.boolean(),
  overrides: fc.subarray([...OVERRIDES]),
  privacy: fc.record({
    recordVoice: fc.boolean(),
    retentionDays: fc.option(fc.nat(3_650)),
    zeroRetention: fc.boolean(),
  }),
  postCallWebhookId: fc.option(id),
})

export const template = AgentTemplate.parse({
  name: 'A reflection',
  prompt: 'You speak for {{creator_name}}.',
  firstMessage: 'Hello, {{user_name}}.',
  voiceId: 'voice_1',
  placeholders: { creator_name: 'nobody', user_name: 'you' },
  toolIds: ['tool_1'],
})
