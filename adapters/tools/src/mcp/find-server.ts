import { refuse, type Refusal, type ToolSession } from '@parley/engine'
import type { McpServer, ToolPolicy } from '../tool-policy.ts'

export interface NamedServer extends McpServer {
  readonly name: string
}

export interface ServerSource {
  readonly session: Pick<ToolSession, 'agentSnapshot'>
  readonly policy: Pick<ToolPolicy, 'mcpServers'>
  /** Only servers of the own config: a process that serves others starts no program of an agent. */
  readonly ownOnly?: boolean | undefined
}

/** Finds the server of that name, if the agent may use it. */
export function findServer(name: string, { session, policy, ownOnly }: ServerSource): NamedServer | Refusal {
  const named = namedBy(session).find((server) => nameOf(server) === name)
  if (named === undefined) return refuse(notNamed(name, session), 'tool_unavailable')
  const server = typeof named === 'string' ? configured(name, policy) : { ...named, isOwn: false }
  if (!server) return refuse(notConfigured(name), 'tool_unavailable')
  if (ownOnly && !server.isOwn) return refuse(notOwn(name))
  return { ...server, name }
}

export const serverNames = (session: ServerSource['session']): readonly string[] => [
  ...new Set(namedBy(session).map(nameOf)),
]

type Named = NonNullable<ToolSession['agentSnapshot']['mcp_servers']>[number]

const namedBy = ({ agentSnapshot }: ServerSource['session']): readonly Named[] =>
  agentSnapshot.mcp_servers ?? []

const nameOf = (server: Named): string => (typeof server === 'string' ? server : server.name)

const configured = (name: string, { mcpServers }: ServerSource['policy']): McpServer | undefined =>
  Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined

const notNamed = (name: string, session: ServerSource['session']): string =>
  `This agent has no MCP server "${name}". It has: ${serverNames(session).join(', ')}.`

const notConfigured = (name: string): string =>
  `The agent names the MCP server "${name}", but the config has none of that name. ` +
  `Add [mcp_servers.${name}] to ~/.parley/config.toml, with a command or a url.`

const notOwn = (name: string): string =>
  `The MCP server "${name}" is not in this server's own config, so it is not used. ` +
  `An admin can add [mcp_servers.${name}] there.`
