import { z } from 'zod'

/** Everything of a provider's agent that is ours to decide; what a spoken session runs on. */
export const AgentTemplate = z.strictObject({
  name: z.string().min(1),
  prompt: z.string().min(1),
  /** Empty where the person speaks first. */
  firstMessage: z.string(),
  language: z.string().min(2).default('en'),
  /** As the provider names it. */
  model: z.string().min(1).default('claude-sonnet-4-6'),
  /** None where the model is to use its own. */
  temperature: z.number().min(0).max(2).nullable().default(0.4),
  /** None where the provider sets no limit. */
  maxOutputTokens: z.int().positive().nullable().default(500),
  parallelToolCalls: z.boolean().default(false),
  /** Ids at the provider; their order means nothing. */
  toolIds: z.array(z.string().min(1)).default([]),
  /** When the agent should hang up; none where it cannot. */
  endCall: z.strictObject({ guidance: z.string() }).nullable().default({ guidance: '' }),
  /** A value for every variable that the texts and tools name, for where nobody gives one. */
  placeholders: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  /** Names and places that its recogniser should prefer. */
  keywords: z.array(z.string().min(1)).default([]),
  voiceId: z.string().min(1),
  audio: z
    .strictObject({ input: z.string().min(1), output: z.string().min(1) })
    .default({ input: 'pcm_16000', output: 'pcm_16000' }),
  maxDurationSeconds: z.int().positive().default(600),
  /** Only with a credential that we asked for. */
  authRequired: z.boolean().default(true),
  /** What a client may change of it, by the provider's paths; nothing as a rule, since a client is not ours. */
  overrides: z.array(z.string().min(1)).default([]),
  privacy: z
    .strictObject({
      recordVoice: z.boolean(),
      /** None: for ever. */
      retentionDays: z.int().min(0).nullable(),
      zeroRetention: z.boolean(),
    })
    .default({ recordVoice: false, retentionDays: 30, zeroRetention: false }),
  /** The webhook for its ended conversations. */
  postCallWebhookId: z.string().min(1).nullable().default(null),
})
export type AgentTemplate = Readonly<z.infer<typeof AgentTemplate>>
/** What has to be said of an agent; the rest has its usual value. */
type AgentTemplateInput = z.input<typeof AgentTemplate>
