import type { Json } from '@parley/contracts'
import type { ToolDeclaration } from '@parley/engine'
import type { ToolConfig } from '../agents/tool-document.ts'
import type { AgentToolType } from '../conversation/conversation-document.ts'

/** One tool of an agent, as its conversation uses it. */
export interface AgentTool {
  readonly type: AgentToolType
  readonly declaration: ToolDeclaration
  /** A failed call is a result; throws only on internal errors. */
  run(call: AgentToolCall, signal: AbortSignal): Promise<AgentToolResult>
}

export interface AgentToolCall {
  readonly id: string
  readonly input: Json
}

export interface AgentToolResult {
  readonly kind: 'ok' | 'failed'
  /** Text for the model. */
  readonly text: string
  /** The full problem, if the model gets a shorter text. */
  readonly problem?: string
  /** Next step, if it is not the model's turn. */
  readonly next?: 'end-call' | 'wait'
}

type ErrorHandlingMode = ToolConfig['tool_error_handling_mode']

/** A failed call. The tool's configuration decides how much of the reason the model sees. */
export const toToolFailure = (problem: string, mode: ErrorHandlingMode): AgentToolResult => ({
  kind: 'failed',
  text: FOR_MODEL[mode](problem),
  problem,
})

const hideProblem = () => 'The tool failed. Say that it did not work, and do not guess its answer.'

const FOR_MODEL: Readonly<Record<ErrorHandlingMode, (problem: string) => string>> = {
  auto: hideProblem,
  hide: hideProblem,
  summarized: (problem) => `The tool failed: ${problem.split(':', 1)[0]}.`,
  passthrough: (problem) => `The tool failed: ${problem}.`,
}

type SystemToolConfig = Extract<ToolConfig, { type: 'system' }>

/** Tools that act on the conversation. Undefined for unsupported ones, such as those that need a telephone. */
export function createSystemTool({ name, description, params }: SystemToolConfig): AgentTool | undefined {
  const known = SYSTEM_TOOL_RULES[params.system_tool_type]
  if (!known) return undefined
  return {
    type: 'system',
    declaration: {
      name,
      description: description || known.description,
      inputSchema: {
        type: 'object',
        properties: { reason: { type: 'string', description: 'Why, in a few words.' } },
        required: [],
        additionalProperties: false,
      } satisfies Readonly<Record<string, Json>>,
    },
    run: async () => known.result,
  }
}

interface SystemToolRule {
  readonly description: string
  readonly result: AgentToolResult
}

const SYSTEM_TOOL_RULES: Readonly<
  Partial<Record<SystemToolConfig['params']['system_tool_type'], SystemToolRule>>
> = {
  end_call: {
    description: 'Ends the call. Use it once the person has said goodbye, after a short farewell.',
    result: { kind: 'ok', text: 'The call ends.', next: 'end-call' },
  },
  skip_turn: {
    description: 'Says nothing and waits for the person. Use it where they ask for a moment.',
    result: { kind: 'ok', text: 'Waiting for the person.', next: 'wait' },
  },
}
