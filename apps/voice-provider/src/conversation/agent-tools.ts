import type { ToolCall } from '@parley/contracts'
import type { ToolRegistry } from '@parley/engine'
import { type AgentTool, type AgentToolResult, createSystemTool } from '../agent-tools/agent-tool.ts'
import type { ToolConfig } from '../agents/tool-document.ts'
import { type ClientToolHost, createClientTool } from '../agent-tools/client-tool.ts'
import type { VariableValues } from '../agent-tools/variables.ts'
import { type WebhookToolHost, createWebhookTool } from '../agent-tools/webhook-tool.ts'
import type { ToolResultEntry } from './conversation-document.ts'
import type { ServerEvent } from './server-event.ts'

export interface AgentToolsHost extends Omit<ClientToolHost, 'sendCall'>, WebhookToolHost {
  /** Variables set from a client's answer count as sent by the client. */
  readonly assignFromClient: (variables: VariableValues) => void
  readonly now: () => number
  readonly send: (event: ServerEvent) => void
  readonly nextEventId: () => number
  /** Resolves when the client has played everything so far. */
  readonly played: (signal: AbortSignal) => Promise<void>
  readonly onError: (error: unknown) => void
  readonly onResult: (result: ToolResultEntry, next: AgentToolResult['next']) => void
}

export interface AgentTools {
  readonly port: ToolRegistry
  readonly getToolType: (name: string) => AgentTool['type']
}

/** The tools of an agent for its turns. Reports each call to the client and the transcript. */
export function createAgentTools(configs: readonly ToolConfig[], host: AgentToolsHost): AgentTools {
  const tools = new Map(
    configs.flatMap((config) => {
      const tool = createTool(config, host)
      return tool ? [[tool.declaration.name, tool] as const] : []
    }),
  )
  return {
    getToolType: (name) => tools.get(name)?.type ?? 'webhook',
    port: {
      declarations: [...tools.values()].map(({ declaration }) => declaration),
      async decide(call) {
        const tool = tools.get(call.name)
        if (!tool)
          return {
            kind: 'refused',
            decided: { by: 'grant', reason: 'this agent has no such tool' },
            outcome: {
              kind: 'failed',
              code: 'tool_unavailable',
              text: `There is no tool "${call.name}" here.`,
            },
          }
        return {
          kind: 'allowed',
          decided: { by: 'policy' },
          carryOut: async (signal) => ({ outcome: toOutcome(await carryOut(call, tool, host, signal)) }),
        }
      },
    },
  }
}

function createTool(config: ToolConfig, host: AgentToolsHost): AgentTool | undefined {
  switch (config.type) {
    case 'webhook':
      return createWebhookTool(config, host)
    case 'client':
      return createClientTool(config, {
        ...host,
        assign: host.assignFromClient,
        sendCall: ({ id, name, parameters }) =>
          host.send({
            type: 'client_tool_call',
            client_tool_call: { tool_name: name, tool_call_id: id, parameters, event_id: host.nextEventId() },
          }),
      })
    case 'system':
      return createSystemTool(config)
    case 'mcp':
      return undefined
    default:
      return config satisfies never
  }
}

async function carryOut(
  { id, name, input }: ToolCall,
  tool: AgentTool,
  host: AgentToolsHost,
  signal: AbortSignal,
): Promise<AgentToolResult> {
  const startedAt = host.now()
  const eventFields = () => ({
    tool_name: name,
    tool_call_id: id,
    tool_type: tool.type,
    event_id: host.nextEventId(),
  })
  host.send({ type: 'agent_tool_request', agent_tool_request: eventFields() })
  const result = await runTool(tool, { id, input }, host, signal)
  const { kind, text, problem, next } = result
  const is_error = kind === 'failed'
  const result_value = problem ?? text
  host.onResult(
    {
      type: tool.type,
      request_id: id,
      tool_name: name,
      result_value,
      is_error,
      tool_has_been_called: true,
      tool_latency_secs: (host.now() - startedAt) / 1_000,
    },
    next,
  )
  const response = { ...eventFields(), is_error, is_called: true }
  host.send({ type: 'agent_tool_response', agent_tool_response: response })
  host.send({
    type: 'agent_tool_response_full_payload',
    agent_tool_response_full_payload: { ...response, full_tool_result: result_value },
  })
  return result
}

/** Ends the call after the farewell was heard, unless the person interrupts it. */
async function runTool(
  tool: AgentTool,
  call: Parameters<AgentTool['run']>[0],
  { played, onError }: AgentToolsHost,
  signal: AbortSignal,
): Promise<AgentToolResult> {
  const result = await tool.run(call, signal).catch((thrown: unknown): AgentToolResult => {
    onError(thrown)
    return { kind: 'failed', text: 'The tool failed: it could not be called.' }
  })
  if (result.next !== 'end-call') return result
  await played(signal)
  return signal.aborted
    ? { kind: 'failed', text: 'The person kept speaking, so the call continues.' }
    : result
}

const toOutcome = ({ kind, text }: AgentToolResult) =>
  kind === 'ok' ? { kind, text } : { kind, code: 'tool_failed', text }
