import { createToolCallRefusal, type ToolCallRefusal, type ToolSession } from '@parley/engine'
import type { McpServerPolicy, ToolPolicy } from '../tool-policy.ts'

export interface NamedServer extends McpServerPolicy {
  readonly name: string
}

export interface ServerSource {
  readonly session: Pick<ToolSession, 'agentSnapshot'>
  readonly policy: Pick<ToolPolicy, 'mcpServers'>
  /** Only servers of the own config: a process that serves others starts no program of an agent. */
  readonly ownOnly?: boolean | undefined
}

/** Finds the server of that name, if the agent may use it. */
export function findServer(
  name: string,
  { session, policy, ownOnly }: ServerSource,
): NamedServer | ToolCallRefusal {
  const named = getNamedServers(session).find((server) => getServerName(server) === name)
  if (named === undefined) return createToolCallRefusal(describeNotNamed(name, session), 'tool_unavailable')
  const server = typeof named === 'string' ? findConfigured(name, policy) : { ...named, isOwn: false }
  if (!server) return createToolCallRefusal(describeNotConfigured(name), 'tool_unavailable')
  if (ownOnly && !server.isOwn) return createToolCallRefusal(describeNotOwn(name))
  return { ...server, name }
}

export const listServerNames = (session: ServerSource['session']): readonly string[] => [
  ...new Set(getNamedServers(session).map(getServerName)),
]

type NamedReference = NonNullable<ToolSession['agentSnapshot']['mcp_servers']>[number]

const getNamedServers = ({ agentSnapshot }: ServerSource['session']): readonly NamedReference[] =>
  agentSnapshot.mcp_servers ?? []

const getServerName = (server: NamedReference): string => (typeof server === 'string' ? server : server.name)

const findConfigured = (name: string, { mcpServers }: ServerSource['policy']): McpServerPolicy | undefined =>
  Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined

const describeNotNamed = (name: string, session: ServerSource['session']): string =>
  `This agent has no MCP server "${name}". It has: ${listServerNames(session).join(', ')}.`

const describeNotConfigured = (name: string): string =>
  `The agent names the MCP server "${name}", but the config has none of that name. ` +
  `Add [mcp_servers.${name}] to ~/.parley/config.toml, with a command or a url.`

const describeNotOwn = (name: string): string =>
  `The MCP server "${name}" is not in this server's own config, so it is not used. ` +
  `An admin can add [mcp_servers.${name}] there.`
