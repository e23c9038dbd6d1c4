import { z } from 'zod'
import { RequestHeaders } from './tool-document.ts'

const flag = () => z.boolean().default(false)

/** Fields that a client may override. Default: none. */
const OVERRIDABLE = {
  prompt: {
    prompt: flag(),
    llm: flag(),
    tool_ids: flag(),
    native_mcp_server_ids: flag(),
    knowledge_base: flag(),
  },
  tts: { model_id: flag(), voice_id: flag(), stability: flag(), speed: flag(), similarity_boost: flag() },
  conversation: { text_only: flag(), max_duration_seconds: flag() },
  asr: { keywords: flag() },
}

const Overrides = z.looseObject({
  conversation_config_override: z
    .looseObject({
      agent: z
        .looseObject({
          first_message: flag(),
          language: flag(),
          prompt: z.looseObject(OVERRIDABLE.prompt).prefault({}),
        })
        .prefault({}),
      tts: z.looseObject(OVERRIDABLE.tts).prefault({}),
      conversation: z.looseObject(OVERRIDABLE.conversation).prefault({}),
      asr: z.looseObject(OVERRIDABLE.asr).prefault({}),
    })
    .prefault({}),
  custom_llm_extra_body: z.boolean().default(false),
  enable_conversation_initiation_client_data_from_webhook: z.boolean().default(false),
})

export const Webhooks = z.looseObject({
  post_call_webhook_id: z.string().nullish(),
  events: z
    .array(
      z.enum([
        'transcript',
        'audio',
        'call_initiation_failure',
        'answering_machine_detection',
        'unredacted_transcript',
        'unredacted_audio',
      ]),
    )
    .optional(),
  transcript_format: z.enum(['json', 'opentelemetry']).default('json'),
})

export const InitiationWebhook = z.looseObject({ url: z.string(), request_headers: RequestHeaders })

export const PlatformSettings = z.looseObject({
  auth: z
    .looseObject({
      enable_auth: z.boolean().default(false),
      allowlist: z
        .array(z.looseObject({ hostname: z.string() }))
        .max(10)
        .default([]),
      require_origin_header: z.boolean().default(false),
      shareable_token: z.string().nullish(),
    })
    .prefault({}),
  overrides: Overrides.prefault({}),
  workspace_overrides: z
    .looseObject({
      conversation_initiation_client_data_webhook: InitiationWebhook.nullish(),
      webhooks: Webhooks.prefault({}),
    })
    .prefault({}),
  testing: z
    .looseObject({
      attached_tests: z
        .array(z.looseObject({ test_id: z.string(), workflow_node_id: z.string().nullish() }))
        .max(5_000)
        .default([]),
    })
    .prefault({}),
  evaluation: z
    .looseObject({
      criteria: z
        .array(
          z.looseObject({
            id: z.string(),
            name: z.string(),
            conversation_goal_prompt: z.string().max(2_000),
          }),
        )
        .default([]),
    })
    .prefault({}),
  data_collection: z
    .record(z.string(), z.looseObject({ type: z.enum(['boolean', 'string', 'integer', 'number']) }))
    .default({}),
  call_limits: z
    .looseObject({
      agent_concurrency_limit: z.int().default(-1),
      daily_limit: z.int().default(100_000),
      bursting_enabled: z.boolean().default(true),
    })
    .prefault({}),
  privacy: z
    .looseObject({
      record_voice: z.boolean().default(true),
      retention_days: z.int().default(-1),
      zero_retention_mode: z.boolean().default(false),
    })
    .prefault({}),
  archived: z.boolean().default(false),
})
export type PlatformSettings = z.infer<typeof PlatformSettings>
