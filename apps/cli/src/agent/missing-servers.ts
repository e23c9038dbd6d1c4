import type { Agent } from '@parley/contracts'
import type { MergedConfig } from '../config/merge-config.ts'

/** What is to be known of an agent that names MCP servers which the config does not have. */
export const missingServers = (
  { id, mcp_servers = [] }: Agent,
  config: Pick<MergedConfig, 'mcp_servers'>,
  ownFile: string,
): readonly string[] =>
  mcp_servers.flatMap((server) =>
    typeof server !== 'string' || Object.hasOwn(config.mcp_servers, server)
      ? []
      : [
          `The agent "${id}" names the MCP server "${server}", which the config does not have. Add [mcp_servers.${server}] to ${ownFile}, with a command or a url.`,
        ],
  )
