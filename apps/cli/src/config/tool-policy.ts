import type { FsScopeTier } from '@parley/contracts'
import type { ToolPolicy } from '@parley/tools'
import type { MergedConfig } from './merge-config.ts'

/** What these settings allow to tools. `ownFile` is the person's own config, in contrast to a project's. */
export function toolPolicy(
  { chat, mcp_servers, http_headers, web_search, sources }: MergedConfig,
  { tier, root, ownFile }: { tier: FsScopeTier; root?: string; ownFile: string },
): ToolPolicy {
  const servers = Object.entries(mcp_servers).map(
    ([name, server]) => [name, { ...server, isOwn: sources[`mcp_servers.${name}`] === ownFile }] as const,
  )
  return {
    tier,
    ...(root !== undefined && { root }),
    allowedCommands: chat.allowed_commands,
    allowedCommandGlobs: chat.allowed_command_globs,
    allowedDomains: chat.allowed_domains,
    httpHeaders: http_headers,
    ...(web_search && { webSearch: { ...web_search, isOwn: sources['web_search'] === ownFile } }),
    mcpServers: Object.fromEntries(servers),
  }
}
