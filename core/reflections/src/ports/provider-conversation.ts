import type { Json } from '@parley/contracts'

/** A finished conversation as the provider returns it. */
export interface ProviderConversation {
  readonly conversationId: string
  readonly agentId: string
  readonly status: ConversationStatus
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationSeconds: number
  readonly entries: readonly TranscriptEntry[]
  readonly variables: Readonly<Record<string, Json>>
  readonly hasAudio: boolean
  readonly endReason?: string
}

/** `processing`: the call is over, its transcript is not ready. */
export type ConversationStatus = 'initiated' | 'in-progress' | 'processing' | 'done' | 'failed'

export interface TranscriptEntry {
  readonly role: 'person' | 'agent'
  /** The words that were heard: an interrupted answer ends at the interruption. */
  readonly text: string
  readonly isInterrupted: boolean
  readonly atSeconds: number
  readonly toolCalls: readonly TranscriptToolCall[]
}

export interface TranscriptToolCall {
  readonly callId: string
  readonly name: string
  /** JSON, as the model gave it. */
  readonly input: string
  /** Absent if the tool did not answer. */
  readonly result?: { readonly text: string; readonly isError: boolean; readonly tookSeconds: number }
}

export interface ConversationSummary {
  readonly conversationId: string
  readonly agentId: string
  readonly status: ConversationStatus
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationSeconds: number
}
