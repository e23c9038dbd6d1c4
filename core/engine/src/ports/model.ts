import type {
  DurableContentPart,
  Json,
  MediaHandle,
  MessageRole,
  ToolCall,
  TurnError,
  Usage,
} from '@parley/contracts'
import type { Media } from './session-store.ts'

/** A message as sent to a model. */
export interface LlmMessage {
  readonly role: MessageRole
  readonly content: readonly ContentPart[]
  /** Written by us, not by the person: the record of an unanswered turn. */
  readonly isNote?: true
}

/** A part in memory: it may hold a provider's signature, which is never stored. */
export type ContentPart = DurableContentPart & { readonly signature?: Signature }

/** A provider's signature on its model's output, for that provider only. */
interface Signature {
  readonly provider: string
  readonly data: Json
}

export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, Json>>
  /** A call with unknown outcome may be repeated: it only reads, or it is idempotent. */
  readonly mayRepeat?: true
}

export interface ModelRequest {
  readonly system: string
  readonly messages: readonly LlmMessage[]
  readonly tools: readonly ToolDeclaration[]
  readonly maxTokens: number
  readonly temperature?: number
  readonly reasoningEffort?: 'low' | 'medium' | 'high'
  /** A JSON Schema for the answer, for providers that support it. */
  readonly outputSchema?: Readonly<Record<string, Json>>
  /** How a voice provider's agent talks with its visitor; absent in other sessions. */
  readonly conversation?: 'spoken' | 'typed'
  /** The bytes of a handle in a message. */
  readonly readMedia?: (handle: MediaHandle) => Promise<Media | undefined>
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Signs the previous text or reasoning. */
  | { readonly type: 'signature'; readonly signature: Signature }
  | { readonly type: 'tool_call'; readonly call: ToolCall; readonly signature?: Signature }
  /** `usage` is absent if the provider did not report it. */
  | { readonly type: 'finish'; readonly reason: 'completed' | 'max_tokens'; readonly usage?: Usage }
  /** The request failed before any output; it is retried after the wait. */
  | { readonly type: 'retry'; readonly error: TurnError; readonly waitMs: number }
  | { readonly type: 'failure'; readonly error: TurnError }

/** Micro-cents per million tokens, so usual prices are whole numbers. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Cache reads and cache writes; absent means the price of `input`. */
  readonly cachedInput?: number
  readonly cacheWrite?: number
}

/** One model at one provider. Never throws: a failure is its last event. */
export interface ModelPort {
  /** The provider's name in the person's config. */
  readonly provider: string
  readonly modelId: string
  /** The most tokens of a request and its answer together; undefined if unknown. */
  readonly contextWindow?: number
  /** Undefined if unknown. */
  readonly price?: Price
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}
