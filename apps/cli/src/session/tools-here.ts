import type { Agent } from '@parley/contracts'
import type { MergedConfig } from '../config/merge-config.ts'

type Allowing = Pick<MergedConfig, 'chat' | 'web_search'>

/** The tools that an agent can use by these settings: some are there only where something is allowed to them. */
export const toolsHere = (
  agent: Pick<Agent, 'tools' | 'mcp_servers'>,
  settings: Allowing,
): readonly string[] => (agent.tools ?? []).filter((tool) => NEEDS.get(tool)?.isMet(settings, agent) ?? true)

/** What a tool needs of the config to be there at all. */
export const needOf = (tool: string): string | undefined => NEEDS.get(tool)?.what

interface Need {
  readonly what: string
  readonly isMet: (settings: Allowing, agent: Pick<Agent, 'mcp_servers'>) => boolean
}

const NEEDS: ReadonlyMap<string, Need> = new Map<string, Need>([
  [
    'run_command',
    {
      what: 'allowed_commands under [chat]',
      isMet: ({ chat }) => chat.allowed_commands.length + chat.allowed_command_globs.length > 0,
    },
  ],
  [
    'http_request',
    { what: 'allowed_domains under [chat]', isMet: ({ chat }) => chat.allowed_domains.length > 0 },
  ],
  ['web_search', { what: '[web_search]', isMet: ({ web_search }) => web_search !== undefined }],
  ['mcp_call', { what: '[mcp_servers.NAME]', isMet: (_, { mcp_servers = [] }) => mcp_servers.length > 0 }],
])
