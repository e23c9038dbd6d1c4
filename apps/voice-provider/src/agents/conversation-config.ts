import { z } from 'zod'
import { DynamicVariables, RequestHeaders, SystemTool, ToolConfig } from './tool-document.ts'

const splitNames = (text: string): string[] => text.trim().split(/\s+/)

/** Accepted model names. Others are rejected, as at the vendor. */
const LLM_NAMES = splitNames(`
  gpt-4o-mini gpt-4o gpt-4 gpt-4-turbo gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-5 gpt-5.1 gpt-5.2
  gpt-5.2-chat-latest gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.5 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna
  gpt-6-astra gpt-6-sol gpt-6-luna gpt-6.1-sol gpt-5-mini gpt-5-nano gpt-3.5-turbo gemini-1.5-pro
  gemini-1.5-flash gemini-2.0-flash gemini-2.0-flash-lite gemini-2.5-flash-lite gemini-2.5-flash
  gemini-3-pro-preview gemini-3-flash-preview gemini-3.1-pro-preview gemini-3.1-flash-lite-preview
  gemini-3.1-flash-lite gemini-3.5-flash gemini-3.5-flash-lite gemini-3.6-flash gemini-3.7-flash
  gemini-3.8-flash gemini-4-argon claude-sonnet-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8
  claude-opus-5 claude-opus-5-5 claude-sonnet-4-6 claude-sonnet-5 claude-sonnet-5-5 claude-sonnet-4
  claude-haiku-4-5 claude-haiku-5-5 claude-3-7-sonnet claude-3-5-sonnet claude-3-5-sonnet-v1
  claude-3-haiku grok-beta custom-llm qwen3-4b qwen3-30b-a3b qwen36-35b-a3b qwen35-397b-a17b gpt-oss-20b
  gpt-oss-120b glm-45-air-fp8 glm-52 deepseek-v41-flash gemini-2.5-flash-preview-09-2025
  gemini-2.5-flash-lite-preview-09-2025 gemini-2.5-flash-preview-05-20 gemini-2.5-flash-preview-04-17
  gemini-2.5-flash-lite-preview-06-17 gemini-2.0-flash-lite-001 gemini-2.0-flash-001 gemini-1.5-flash-002
  gemini-1.5-flash-001 gemini-1.5-pro-002 gemini-1.5-pro-001 claude-sonnet-4@20250514
  claude-sonnet-4-5@20250929 claude-haiku-4-5@20251001 claude-3-7-sonnet@20250219
  claude-3-5-sonnet@20240620 claude-3-5-sonnet-v2@20241022 claude-3-haiku@20240307 gpt-5-2025-08-07
  gpt-5.1-2025-11-13 gpt-5.2-2025-12-11 gpt-5.4-2026-03-05 gpt-5.4-mini-2026-03-17 gpt-5.4-nano-2026-03-17
  gpt-5.5-2026-04-23 gpt-5-mini-2025-08-07 gpt-5-nano-2025-08-07 gpt-4.1-2025-04-14
  gpt-4.1-mini-2025-04-14 gpt-4.1-nano-2025-04-14 gpt-4o-mini-2024-07-18 gpt-4o-2024-11-20
  gpt-4o-2024-08-06 gpt-4o-2024-05-13 gpt-4-0613 gpt-4-0314 gpt-4-turbo-2024-04-09 gpt-3.5-turbo-0125
  gpt-3.5-turbo-1106 watt-tool-8b watt-tool-70b`)

const AudioFormat = z.enum([
  'pcm_8000',
  'pcm_16000',
  'pcm_22050',
  'pcm_24000',
  'pcm_44100',
  'pcm_48000',
  'ulaw_8000',
])
export type AudioFormat = z.infer<typeof AudioFormat>

const CLIENT_EVENTS = splitNames(`
  conversation_initiation_metadata asr_initiation_metadata ping audio interruption user_transcript
  tentative_user_transcript agent_response agent_response_correction client_tool_call mcp_tool_call
  mcp_connection_status agent_tool_request agent_tool_response agent_tool_response_full_payload
  agent_response_metadata vad_score agent_chat_response_part client_error guardrail_triggered dtmf_request
  agent_response_complete context_usage internal_turn_probability internal_tentative_agent_response`)

/** Default events for clients. */
const DEFAULT_EVENTS = splitNames(`
  conversation_initiation_metadata ping audio interruption user_transcript agent_response
  agent_response_correction client_tool_call agent_tool_response agent_chat_response_part`)

const CustomLlm = z.looseObject({
  url: z.string(),
  model_id: z.string().nullish(),
  api_key: z
    .union([z.looseObject({ secret_id: z.string() }), z.looseObject({ env_var_label: z.string() })])
    .nullish(),
  request_headers: RequestHeaders.default({}),
  api_type: z.enum(['chat_completions', 'responses', 'websocket']).default('chat_completions'),
})

const BuiltInTools = z.looseObject({
  end_call: SystemTool.nullish(),
  skip_turn: SystemTool.nullish(),
  language_detection: SystemTool.nullish(),
  transfer_to_agent: SystemTool.nullish(),
  transfer_to_number: SystemTool.nullish(),
  play_keypad_touch_tone: SystemTool.nullish(),
  voicemail_detection: SystemTool.nullish(),
})

const Prompt = z
  .looseObject({
    prompt: z.string().default(''),
    llm: z.enum(LLM_NAMES).default('gemini-2.5-flash'),
    reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
    temperature: z.number().min(0).max(2).nullable().default(0),
    max_tokens: z.int().default(-1),
    tool_ids: z.array(z.string()).default([]),
    built_in_tools: BuiltInTools.prefault({}),
    mcp_server_ids: z.array(z.string()).max(10).default([]),
    native_mcp_server_ids: z.array(z.string()).max(10).default([]),
    knowledge_base: z.array(z.looseObject({})).default([]),
    custom_llm: CustomLlm.nullish(),
    ignore_default_personality: z.boolean().nullable().default(true),
    timezone: z.string().nullish(),
    cascade_timeout_seconds: z.number().min(2).max(15).default(4),
    /** Tools defined inside the agent; replaced by `tool_ids`. */
    tools: z.array(ToolConfig).optional(),
  })
  .refine(({ tools, tool_ids }) => !tools?.length || tool_ids.length === 0, {
    message: 'Cannot specify both tools and tool_ids; use tool_ids',
    path: ['tools'],
  })

const Agent = z.looseObject({
  first_message: z.string().default(''),
  language: z.string().default('en'),
  dynamic_variables: DynamicVariables.prefault({}),
  disable_first_message_interruptions: z.boolean().default(false),
  max_conversation_duration_message: z.string().default(''),
  prompt: Prompt.prefault({}),
})

const Tts = z.looseObject({
  model_id: z
    .enum([
      'eleven_turbo_v2',
      'eleven_turbo_v2_5',
      'eleven_flash_v2',
      'eleven_flash_v2_5',
      'eleven_multilingual_v2',
      'eleven_v3_conversational',
    ])
    .default('eleven_flash_v2'),
  voice_id: z.string().default('cjVigY5qzO86Huf0OWal'),
  agent_output_audio_format: AudioFormat.default('pcm_16000'),
  stability: z.number().min(0).max(1).default(0.5),
  speed: z.number().min(0.7).max(1.2).default(1),
  similarity_boost: z.number().min(0).max(1).default(0.8),
})

const Asr = z.looseObject({
  quality: z.literal('high').default('high'),
  provider: z.enum(['elevenlabs', 'scribe_realtime']).default('scribe_realtime'),
  user_input_audio_format: AudioFormat.default('pcm_16000'),
  keywords: z.array(z.string().max(100)).default([]),
})

const Turn = z.looseObject({
  turn_timeout: z.number().default(7),
  initial_wait_time: z.number().nullish(),
  silence_end_call_timeout: z.number().default(-1),
  mode: z.enum(['silence', 'turn']).default('turn'),
  turn_eagerness: z.enum(['patient', 'normal', 'eager']).default('normal'),
})

const Conversation = z.looseObject({
  text_only: z.boolean().default(false),
  max_duration_seconds: z.int().default(600),
  client_events: z.array(z.enum(CLIENT_EVENTS)).default(DEFAULT_EVENTS),
  monitoring_enabled: z.boolean().default(false),
  file_input: z.looseObject({ enabled: z.boolean().default(false) }).nullish(),
})

export const ConversationConfig = z.looseObject({
  agent: Agent.prefault({}),
  tts: Tts.prefault({}),
  asr: Asr.prefault({}),
  turn: Turn.prefault({}),
  conversation: Conversation.prefault({}),
  language_presets: z.record(z.string(), z.looseObject({})).default({}),
})
export type ConversationConfig = z.infer<typeof ConversationConfig>
