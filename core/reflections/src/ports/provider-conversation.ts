import type { Json } from '@parley/contracts'

/** A conversation as the provider tells it afterwards. */
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

/** `processing`: it is over, and its transcript is still being written. */
export type ConversationStatus = 'initiated' | 'in-progress' | 'processing' | 'done' | 'failed'

export interface TranscriptEntry {
  readonly role: 'person' | 'agent'
  /** What was heard: an answer that was interrupted ends where it was cut. */
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
  /** Absent where the tool did not answer. */
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
