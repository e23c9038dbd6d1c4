import type { Json } from '@parley/contracts'
import type { ToolDeclaration } from '@parley/engine'
import type { ToolConfig } from '../agents/tool-document.ts'
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

type Mode = ToolConfig['tool_error_handling_mode']

/** A failed call, with as much of the reason for the model as its configuration allows. */
export const toolFailure = (problem: string, mode: Mode): AgentToolResult => ({
  kind: 'failed',
  text: FOR_MODEL[mode](problem),
  problem,
})

const hidden = () => 'The tool failed. Say that it did not work, without guessing what it would have said.'

const FOR_MODEL: Readonly<Record<Mode, (problem: string) => string>> = {
  auto: hidden,
  hide: hidden,
  summarized: (problem) => `The tool failed: ${problem.split(':', 1)[0]}.`,
  passthrough: (problem) => `The tool failed: ${problem}.`,
}

type SystemToolConfig = Extract<ToolConfig, { type: 'system' }>

/** The tools that act on the conversation itself; undefined for those that need what is not here, such as a telephone. */
export function systemTool({ name, description, params }: SystemToolConfig): AgentTool | undefined {
  const known = KNOWN[params.system_tool_type]
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

interface Known {
  readonly description: string
  readonly result: AgentToolResult
}

const KNOWN: Readonly<Partial<Record<SystemToolConfig['params']['system_tool_type'], Known>>> = {
  end_call: {
    description: 'Ends the call. Use it once the person has said goodbye, after a short farewell.',
    result: { kind: 'ok', text: 'The call ends.', next: 'end-call' },
  },
  skip_turn: {
    description: 'Says nothing and waits for the person. Use it where they ask for a moment.',
    result: { kind: 'ok', text: 'Waiting for the person.', next: 'wait' },
  },
}
