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

/** A message as a model is given it. */
export interface LlmMessage {
  readonly role: MessageRole
  readonly content: readonly ContentPart[]
  /** Ours, not the person's: the record of a turn without an answer. */
  readonly isNote?: true
}

/** A part in flight: it may hold what its provider wants to see again, which is never stored. */
export type ContentPart = DurableContentPart & { readonly proof?: Proof }

/** A provider's own signature on what its model said, for that provider alone. */
interface Proof {
  readonly provider: string
  readonly data: Json
}

export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, Json>>
  /** A call whose outcome is not known may be made again: it only reads, or makes the same thing the same way. */
  readonly mayRepeat?: true
}

export interface ModelRequest {
  readonly system: string
  readonly messages: readonly LlmMessage[]
  readonly tools: readonly ToolDeclaration[]
  readonly maxTokens: number
  readonly temperature?: number
  readonly reasoningEffort?: 'low' | 'medium' | 'high'
  /** A JSON Schema that the answer should fit, for a provider that can be told so. */
  readonly outputSchema?: Readonly<Record<string, Json>>
  /** How a voice provider's agent talks with its visitor; absent in other sessions. */
  readonly conversation?: 'spoken' | 'typed'
  /** The bytes behind a handle that a message names. */
  readonly readMedia?: (handle: MediaHandle) => Promise<Media | undefined>
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Signs the text or reasoning that came last. */
  | { readonly type: 'proof'; readonly proof: Proof }
  | { readonly type: 'tool_call'; readonly call: ToolCall; readonly proof?: Proof }
  /** Without `usage` where the provider did not say it. */
  | { readonly type: 'finish'; readonly reason: 'completed' | 'max_tokens'; readonly usage?: Usage }
  /** The request failed before anything was said; it is made again after the wait. */
  | { readonly type: 'retry'; readonly error: TurnError; readonly waitMs: number }
  | { readonly type: 'failure'; readonly error: TurnError }

/** Micro-cents for a million tokens, which makes every usual price a whole number. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Input that the provider had kept, and input that it now keeps; as `input` where absent. */
  readonly cachedInput?: number
  readonly cacheWrite?: number
}

/** One model at one provider. Never throws: a failure is its last event. */
export interface ModelPort {
  /** The name under which the person's config knows the provider. */
  readonly provider: string
  readonly modelId: string
  /** How many tokens a request and its answer may have together; undefined where that is not known. */
  readonly contextWindow?: number
  /** Undefined where it is not known. */
  readonly price?: Price
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}
