import type { Json } from '@parley/contracts'
import type { ToolDeclaration } from '@parley/engine'
import type { AgentToolType } from '../conversation/conversation-record.ts'

/** One tool of an agent, as its conversation uses it. */
export interface AgentTool {
  readonly type: AgentToolType
  readonly declaration: ToolDeclaration
  /** What goes wrong with a call is its result; throws only where our own side fails. */
  run(call: AgentToolCall, signal: AbortSignal): Promise<AgentToolResult>
}

export interface AgentToolCall {
  readonly id: string
  readonly input: Json
}

export interface AgentToolResult {
  readonly kind: 'ok' | 'failed'
  /** What the model is told. */
  readonly text: string
  /** What went wrong, where the model is told less. */
  readonly problem?: string
  /** What the conversation does next, where it is not the model's turn again. */
  readonly next?: 'end-call' | 'wait'
}
