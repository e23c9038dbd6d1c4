import { z } from 'zod'
import { DynamicVariables } from './dynamic-variables.ts'
import { LLM_NAMES } from './llm-names.ts'
import { RequestHeaders, SystemTool, ToolConfig } from './tool-document.ts'

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

const CLIENT_EVENTS = [
  'conversation_initiation_metadata',
  'asr_initiation_metadata',
  'ping',
  'audio',
  'interruption',
  'user_transcript',
  'tentative_user_transcript',
  'agent_response',
  'agent_response_correction',
  'client_tool_call',
  'mcp_tool_call',
  'mcp_connection_status',
  'agent_tool_request',
  'agent_tool_response',
  'agent_tool_response_full_payload',
  'agent_response_metadata',
  'vad_score',
  'agent_chat_response_part',
  'client_error',
  'guardrail_triggered',
  'dtmf_request',
  'agent_response_complete',
  'context_usage',
  'internal_turn_probability',
  'internal_tentative_agent_response',
] as const
const ClientEvent = z.enum(CLIENT_EVENTS)
export type ClientEvent = z.infer<typeof ClientEvent>

/** What an agent's clients are told where it names no events. */
const USUAL_EVENTS: ClientEvent[] = [
  'conversation_initiation_metadata',
  'ping',
  'audio',
  'interruption',
  'user_transcript',
  'agent_response',
  'agent_response_correction',
  'client_tool_call',
  'agent_tool_response',
  'agent_chat_response_part',
]

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
    /** Tools that belong to this agent alone; an older way than `tool_ids`. */
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
  client_events: z.array(ClientEvent).default(USUAL_EVENTS),
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
