import type { Json } from '@parley/contracts'
import type { ToolConfig } from '../agents/tool-document.ts'
import type { AgentTool, AgentToolResult } from './agent-tool.ts'

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
