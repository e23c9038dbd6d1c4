import type { DurableContentPart, Json, MessageRole, ToolCall, TurnError, Usage } from '@parley/contracts'

/** A message as a model is given it. */
export interface LlmMessage {
  readonly role: MessageRole
  readonly content: readonly DurableContentPart[]
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
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  | { readonly type: 'finish'; readonly reason: 'completed' | 'max_tokens'; readonly usage: Usage }
  | { readonly type: 'failure'; readonly error: TurnError }

/** One model at one provider. Never throws: a failure is its last event. */
export interface ModelPort {
  readonly modelId: string
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}
