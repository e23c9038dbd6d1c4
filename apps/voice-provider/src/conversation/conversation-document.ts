import type { Json } from '@parley/contracts'
import type { LlmMessage, ModelPort } from '@parley/engine'
import type { Speech } from '@parley/speech'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { ToolDocument } from '../agents/tool-document.ts'
import type { Faults } from '../faults.ts'
import type { SecretMask } from '../agent-tools/variables.ts'

/** The transcript of a conversation. */
export interface CallTranscript {
  /** With all known secrets masked. */
  entries(): readonly CallTranscriptEntry[]
  user(text: string, medium: 'audio' | 'text'): void
  /** Returns its index, used to complete and correct it. */
  agent(message: string | null, calls: readonly ToolCallEntry[], eventId: number): number
  result(index: number, result: ToolResultEntry): void
  /** The answer was interrupted: only `heard` was heard. */
  correct(index: number, heard: string): void
  /** Rates the answer that contains the event; null removes the rating. */
  readonly feedback: (eventId: number, score: 'like' | 'dislike' | null) => void
}

export function createCallTranscript(secondsInCall: () => number, secrets: SecretMask): CallTranscript {
  const entries: CallTranscriptEntry[] = []
  const masked = new Map<
    number,
    { readonly entry: CallTranscriptEntry; readonly size: number; readonly as: CallTranscriptEntry }
  >()
  const eventIds = new Map<number, number>()
  const changeEntry = (
    index: number,
    changed: (entry: CallTranscriptEntry) => Partial<CallTranscriptEntry>,
  ) => {
    const entry = entries[index]
    if (entry) entries[index] = { ...entry, ...changed(entry) }
  }
  const addEntry = (
    entry: Pick<CallTranscriptEntry, 'role' | 'message'> & Partial<CallTranscriptEntry>,
  ): number =>
    entries.push({
      tool_calls: [],
      tool_results: [],
      time_in_call_secs: secondsInCall(),
      interrupted: false,
      original_message: null,
      source_medium: null,
      feedback: null,
      ...entry,
    }) - 1

  /** Cached until the entry changes or a new secret is known. */
  const getMaskedEntry = (entry: CallTranscriptEntry, index: number): CallTranscriptEntry => {
    const before = masked.get(index)
    const size = secrets.size()
    if (before?.entry === entry && before.size === size) return before.as
    const as = maskEntry(entry, secrets)
    masked.set(index, { entry, size, as })
    return as
  }

  return {
    entries: () => entries.map(getMaskedEntry),
    user: (message, source_medium) => void addEntry({ role: 'user', message, source_medium }),
    agent(message, tool_calls, eventId) {
      const index = addEntry({ role: 'agent', message, tool_calls })
      eventIds.set(index, eventId)
      return index
    },
    result: (index, result) =>
      changeEntry(index, (entry) => ({ tool_results: [...entry.tool_results, result] })),
    correct: (index, heard) =>
      changeEntry(index, ({ message }) => ({ message: heard, interrupted: true, original_message: message })),
    feedback(eventId, score) {
      const index = [...eventIds].findLast(([, first]) => first <= eventId)?.[0]
      if (index === undefined) return
      const feedback = score && { score, time_in_call_secs: secondsInCall() }
      changeEntry(index, () => ({ feedback }))
    },
  }
}

const maskEntry = (entry: CallTranscriptEntry, { mask }: SecretMask): CallTranscriptEntry => ({
  ...entry,
  message: mask(entry.message),
  original_message: mask(entry.original_message),
  tool_calls: entry.tool_calls.map((call) => ({ ...call, params_as_json: mask(call.params_as_json) })),
  tool_results: entry.tool_results.map((result) => ({ ...result, result_value: mask(result.result_value) })),
})

/** A conversation as returned by `GET /v1/convai/conversations/ID`, with the vendor's names. */
export interface ConversationDocument {
  readonly agent_id: string
  readonly agent_name: string
  readonly conversation_id: string
  readonly version_id: string
  readonly user_id: string | null
  readonly environment: string
  readonly status: 'initiated' | 'in-progress' | 'processing' | 'done' | 'failed'
  readonly transcript: readonly CallTranscriptEntry[]
  readonly metadata: ConversationMetadata
  readonly conversation_initiation_client_data: InitiationData
  readonly has_audio: boolean
  readonly has_user_audio: boolean
  readonly has_response_audio: boolean
  readonly has_auxiliary_audio: boolean
}

export interface CallTranscriptEntry {
  readonly role: 'user' | 'agent'
  /** The spoken text. An interrupted answer contains only the part that was heard. */
  readonly message: string | null
  readonly tool_calls: readonly ToolCallEntry[]
  readonly tool_results: readonly ToolResultEntry[]
  readonly time_in_call_secs: number
  readonly interrupted: boolean
  /** The whole answer, if it was interrupted. */
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

/** The client's opening data, and the last value of every variable. */
interface InitiationData {
  readonly conversation_config_override: Readonly<Record<string, Json>>
  readonly custom_llm_extra_body: Readonly<Record<string, Json>>
  readonly dynamic_variables: Readonly<Record<string, Json>>
  readonly user_id: string | null
  readonly source_info: { readonly source: string; readonly version: string | null }
}

/** The tool calls of a step as transcript entries. */
export const toToolCallEntries = (
  { content }: LlmMessage,
  typeOf: (name: string) => AgentToolType,
): readonly ToolCallEntry[] =>
  content.flatMap((part) =>
    part.type === 'tool_call'
      ? [
          {
            type: typeOf(part.call.name),
            request_id: part.call.id,
            tool_name: part.call.name,
            params_as_json: JSON.stringify(part.call.input),
            tool_has_been_called: true,
          },
        ]
      : [],
  )

/** Services that a conversation uses. */
export interface ConversationHost {
  readonly findTools: (ids: readonly string[]) => Promise<readonly ToolDocument[]>
  readonly readSecret: (secretId: string) => Promise<string | undefined>
  /** Value of a workspace environment variable in one environment. */
  readonly readEnvironmentValue: (label: string, environment: string) => Promise<string | undefined>
  /** The agent's model, or the offline model if its provider is not configured. */
  readonly selectModel: (agent: AgentDocument) => Promise<ModelPort>
  readonly speech: Speech
  readonly faults: Faults
  /** Saves the current state, in case the process dies. */
  readonly save: (record: ConversationDocument) => Promise<void>
  /** Stores the final record and audio, and schedules the webhooks. */
  readonly finish: (record: ConversationDocument, audio: Uint8Array | undefined) => Promise<void>
  readonly now: () => number
  /** Reports internal errors. */
  readonly onError: (error: unknown) => void
}
