import { z } from 'zod'

/** All fields of a provider's agent that we set. */
export const AgentTemplate = z.strictObject({
  name: z.string().min(1),
  prompt: z.string().min(1),
  /** Empty if the person speaks first. */
  firstMessage: z.string(),
  language: z.string().min(2).default('en'),
  /** The provider's name of the model. */
  model: z.string().min(1).default('claude-sonnet-4-6'),
  /** Null for the model's own default. */
  temperature: z.number().min(0).max(2).nullable().default(0.4),
  /** Null for no limit. */
  maxOutputTokens: z.int().positive().nullable().default(500),
  parallelToolCalls: z.boolean().default(false),
  /** Ids at the provider, in any order. */
  toolIds: z.array(z.string().min(1)).default([]),
  /** When the agent should hang up. Null if it cannot. */
  endCall: z.strictObject({ guidance: z.string() }).nullable().default({ guidance: '' }),
  /** A default value for every variable in the texts and tools. */
  placeholders: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  /** Names and places that speech recognition should prefer. */
  keywords: z.array(z.string().min(1)).default([]),
  voiceId: z.string().min(1),
  audio: z
    .strictObject({ input: z.string().min(1), output: z.string().min(1) })
    .default({ input: 'pcm_16000', output: 'pcm_16000' }),
  maxDurationSeconds: z.int().positive().default(600),
  /** Whether a connection needs a credential that we requested. */
  authRequired: z.boolean().default(true),
  /** The provider's paths of fields that a client may change. Usually none, since clients are not trusted. */
  overrides: z.array(z.string().min(1)).default([]),
  privacy: z
    .strictObject({
      recordVoice: z.boolean(),
      /** Null for ever. */
      retentionDays: z.int().min(0).nullable(),
      zeroRetention: z.boolean(),
    })
    .default({ recordVoice: false, retentionDays: 30, zeroRetention: false }),
  /** The webhook for its ended conversations. */
  postCallWebhookId: z.string().min(1).nullable().default(null),
})
export type AgentTemplate = Readonly<z.infer<typeof AgentTemplate>>
