import type { Json } from '@parley/contracts'
import type { AudioFormat } from '../agents/conversation-config.ts'
import type { AgentToolType } from './conversation-document.ts'

/** Events for the client, in the wire format. */
export type ServerEvent =
  | {
      readonly type: 'conversation_initiation_metadata'
      readonly conversation_initiation_metadata_event: {
        readonly conversation_id: string
        readonly agent_output_audio_format: AudioFormat
        readonly user_input_audio_format: AudioFormat
      }
    }
  | {
      readonly type: 'audio'
      readonly audio_event: { readonly audio_base_64: string; readonly event_id: number }
    }
  | { readonly type: 'user_transcript'; readonly user_transcription_event: Transcription }
  | {
      readonly type: 'agent_response'
      readonly agent_response_event: { readonly agent_response: string; readonly event_id: number }
    }
  | {
      readonly type: 'agent_chat_response_part'
      readonly text_response_part: {
        readonly text: string
        readonly type: 'start' | 'delta' | 'stop'
        readonly event_id: number
      }
    }
  | {
      readonly type: 'agent_response_correction'
      readonly agent_response_correction_event: {
        readonly original_agent_response: string
        readonly corrected_agent_response: string
        readonly event_id: number
      }
    }
  | { readonly type: 'interruption'; readonly interruption_event: { readonly event_id: number } }
  | {
      readonly type: 'ping'
      readonly ping_event: { readonly event_id: number; readonly ping_ms: number | null }
    }
  | {
      readonly type: 'client_tool_call'
      readonly client_tool_call: {
        readonly tool_name: string
        readonly tool_call_id: string
        readonly parameters: Readonly<Record<string, Json>>
        readonly event_id: number
      }
    }
  | { readonly type: 'agent_tool_request'; readonly agent_tool_request: ToolEvent }
  | { readonly type: 'agent_tool_response'; readonly agent_tool_response: ToolResponse }
  | {
      readonly type: 'agent_tool_response_full_payload'
      readonly agent_tool_response_full_payload: ToolResponse & { readonly full_tool_result: string }
    }
  | { readonly type: 'vad_score'; readonly vad_score_event: { readonly vad_score: number } }
  | {
      readonly type: 'error'
      readonly error_event: {
        readonly code: 1000 | 1002 | 1008 | 1011
        readonly message: string
        readonly error_type: ErrorType
      }
    }

export type ErrorType =
  | 'invalid_message'
  | 'value_error'
  | 'override_error'
  | 'missing_dynamic_variable'
  | 'llm_error'
  | 'custom_llm_error'
  | 'asr_transcription_error'
  | 'tts_cascade_error'
  | 'max_duration_exceeded'

interface Transcription {
  readonly user_transcript: string
  readonly event_id: number
}

interface ToolEvent {
  readonly tool_name: string
  readonly tool_call_id: string
  readonly tool_type: AgentToolType
  readonly event_id: number
}

interface ToolResponse extends ToolEvent {
  readonly is_error: boolean
  readonly is_called: boolean
}

/** Clients need these even if the agent does not list them. */
const ALWAYS: ReadonlySet<string> = new Set(['conversation_initiation_metadata', 'error'])

export const isSubscribed = ({ type }: ServerEvent, subscribed: readonly string[]): boolean =>
  ALWAYS.has(type) || subscribed.includes(type)
