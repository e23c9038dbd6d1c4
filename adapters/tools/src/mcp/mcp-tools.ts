import { McpCallInput, createToolInput } from '@parley/contracts'
import {
  type AnyTool,
  type ToolCallPlan,
  type Tool,
  type ToolSession,
  createToolCallRefusal,
} from '@parley/engine'
import type { ToolPolicy } from '../tool-policy.ts'
import type { McpEndpoint, McpClients } from './create-mcp-clients.ts'
import { findServer, listServerNames } from './find-server.ts'
import { type ListedTool, type ListedTools, listTools } from './server-tools.ts'
import { planCall } from './plan-call.ts'
import { catchFailures } from './mcp-error.ts'

interface McpToolsOptions {
  readonly session: ToolSession
  readonly policy: Pick<ToolPolicy, 'mcpServers'>
  readonly clients: McpClients
  /** Ignores servers that an agent or a project brings. */
  readonly ownOnly?: boolean | undefined
}

/** The mcp_call tool, if the agent has MCP servers. */
export function createMcpTools({ session, policy, clients, ownOnly }: McpToolsOptions): readonly AnyTool[] {
  const names = listServerNames(session)
  if (names.length === 0) return []
  const mcpCall: Tool<McpCallInput> = {
    name: 'mcp_call',
    description:
      `Calls a tool of an MCP server. Servers: ${names.join(', ')}. ` +
      'First call it with only the server: that lists its tools and their arguments.',
    input: createToolInput(McpCallInput),

    async plan({ server: name, tool, arguments: given }, signal) {
      const server = findServer(name, { session, policy, ownOnly })
      if ('kind' in server) return server
      if (tool !== undefined)
        return planCall({ at: { session, server }, tool, given: given ?? {} }, clients, signal)
      if (given) return createToolCallRefusal('There are arguments but no tool.', 'validation', name)
      return planListing({ session, server }, clients)
    },
  }
  return [mcpCall]
}

/** Needs no approval: configured servers are trusted, and listing only reads. */
function planListing(at: McpEndpoint, clients: McpClients): ToolCallPlan {
  const { name } = at.server
  return {
    kind: 'plan',
    target: name,
    origin: `the MCP server ${name}`,
    carryOut: (signal) =>
      catchFailures(signal, () =>
        clients.use(at, signal, async (connection) => ({
          kind: 'ok',
          text: formatToolListing(await listTools(connection, at.server, signal, clients.limits.listMs)),
        })),
      ),
  }
}

/** Describes a server's tools for the model. */
function formatToolListing({ tools, leftOut }: ListedTools): string {
  const lines: string[] = []
  let room = MAX_TEXT
  const unshown: string[] = []
  for (const tool of tools) {
    const text = describeTool(tool)
    if (text.length > room) {
      unshown.push(tool.name)
      continue
    }
    room -= text.length
    lines.push(text)
  }
  if (tools.length === 0) lines.push('It has no callable tools.')
  if (unshown.length > 0)
    lines.push(
      `[${unshown.length} more are not shown, to save space: ${unshown.slice(0, MAX_NAMES).join(', ')}]`,
    )
  if (leftOut > 0) lines.push('[Some tools are left out: too many, too large, or with an invalid name.]')
  return lines.join('\n\n')
}

const MAX_TEXT = 40_000
const MAX_NAMES = 50
const MAX_DESCRIPTION_LENGTH = 2_000

function describeTool({ name, description = '', inputSchema }: ListedTool): string {
  const short =
    description.length > MAX_DESCRIPTION_LENGTH
      ? `${description.slice(0, MAX_DESCRIPTION_LENGTH)} …`
      : description
  return [`## ${name}`, short, `arguments: ${JSON.stringify(inputSchema)}`].filter(Boolean).join('\n')
}
