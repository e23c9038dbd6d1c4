import type { Json } from '@parley/contracts'

/** A conversation as `GET /v1/convai/conversations/ID` answers it, in the vendor's own words. */
export interface ConversationRecord {
  readonly agent_id: string
  readonly agent_name: string
  readonly conversation_id: string
  readonly version_id: string
  readonly user_id: string | null
  readonly environment: string
  readonly status: 'initiated' | 'in-progress' | 'processing' | 'done' | 'failed'
  readonly transcript: readonly TranscriptEntry[]
  readonly metadata: ConversationMetadata
  readonly conversation_initiation_client_data: InitiationData
  readonly has_audio: boolean
  readonly has_user_audio: boolean
  readonly has_response_audio: boolean
  readonly has_auxiliary_audio: boolean
}

export interface TranscriptEntry {
  readonly role: 'user' | 'agent'
  /** What was said; of an answer that was cut short, only what was heard. */
  readonly message: string | null
  readonly tool_calls: readonly ToolCallEntry[]
  readonly tool_results: readonly ToolResultEntry[]
  readonly time_in_call_secs: number
  readonly interrupted: boolean
  /** The whole answer, where it was cut short. */
  readonly original_message: string | null
  readonly source_medium: 'audio' | 'text' | null
  readonly feedback: { readonly score: 'like' | 'dislike'; readonly time_in_call_secs: number } | null
}

export type AgentToolType = 'system' | 'webhook' | 'client'

export interface ToolCallEntry {
  readonly type: AgentToolType
  readonly request_id: string
  readonly tool_name: string
  readonly params_as_json: string
  readonly tool_has_been_called: boolean
}

export interface ToolResultEntry {
  readonly type: AgentToolType
  readonly request_id: string
  readonly tool_name: string
  readonly result_value: string
  readonly is_error: boolean
  readonly tool_has_been_called: boolean
  readonly tool_latency_secs: number
}

export interface ConversationMetadata {
  readonly start_time_unix_secs: number
  readonly accepted_time_unix_secs: number
  readonly call_duration_secs: number
  readonly termination_reason: string
  readonly error: { readonly code: number; readonly reason: string } | null
  readonly main_language: string
  readonly text_only: boolean
  readonly authorization_method: 'public' | 'signed_url' | 'authorization_header'
  readonly feedback: {
    readonly overall_score: 'like' | 'dislike' | null
    readonly likes: number
    readonly dislikes: number
  }
}

/** What the client opened with, and every variable as it stood last. */
export interface InitiationData {
  readonly conversation_config_override: Readonly<Record<string, Json>>
  readonly custom_llm_extra_body: Readonly<Record<string, Json>>
  readonly dynamic_variables: Readonly<Record<string, Json>>
  readonly user_id: string | null
  readonly source_info: { readonly source: string; readonly version: string | null }
}
