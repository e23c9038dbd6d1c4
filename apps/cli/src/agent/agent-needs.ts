import type { Agent } from '@parley/contracts'
import { describeMcpServer } from '../config/describe-entries.ts'

// What only looks; whether it may look there is the scope's matter.
const READING: readonly string[] = ['read_file', 'list_directory', 'search_files', 'git_status']

const isReading = (tool: string): boolean => READING.includes(tool)

/** What an agent that came with a project asks for that the person has to trust it for. */
export function agentNeeds(
  { id, tools = [], mcp_servers = [] }: Agent,
  ownIds: readonly string[],
): readonly string[] {
  return [
    ...(ownIds.includes(id) ? [`the place of your own agent ${id}`] : []),
    ...tools.filter((tool) => !isReading(tool)).map((tool) => `tool ${tool}`),
    ...mcp_servers.map((server) =>
      typeof server === 'string' ? `MCP server ${server}` : describeMcpServer(server.name, server),
    ),
  ]
}

/** The agent as it is without that trust. */
export function withoutNeeds(given: Agent): Agent {
  const { mcp_servers: _, tools, ...agent } = given
  return { ...agent, ...(tools && { tools: tools.filter(isReading) }) }
}
