import { hash } from 'node:crypto'
import type { MediaHandle } from '@parley/contracts'
import {
  type AnyTool,
  type Secret,
  type ToolRegistry,
  type ToolSession,
  createToolRegistry,
  noTools,
} from '@parley/engine'
import { createCommandTools } from './command/command-tools.ts'
import { createFileTools } from './fs/file-tools.ts'
import { openScope } from './fs/open-scope.ts'
import { createGitTools } from './git/git-commit.ts'
import { type McpClients, createMcpClients } from './mcp/create-mcp-clients.ts'
import { createMcpTools } from './mcp/mcp-tools.ts'
import type { FindSecret, ToolPolicy } from './tool-policy.ts'

export interface ToolboxHost {
  readonly loadPolicy: (session: ToolSession) => ToolPolicy | Promise<ToolPolicy>
  /** Parley's own data folder, which tools never touch. */
  readonly home: string
  /** Our environment; child processes get a subset. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The values that must not be shown. */
  readonly secrets: () => readonly Secret[]
  /** The secrets that config may refer to. */
  readonly findSecret: FindSecret
  readonly createHandle: (bytes: Uint8Array) => MediaHandle
  /** Ignores MCP servers that an agent brings. Set on servers. */
  readonly ownServersOnly?: boolean
}

/** The tools of all sessions of a process. */
export interface Toolbox {
  openTools(session: ToolSession): Promise<ToolRegistry>
  /** Stops all started programs and connections. */
  close(): Promise<void>
}

export function createToolbox(host: ToolboxHost): Toolbox {
  let clients: McpClients | undefined

  const openMcpTools = (session: ToolSession, policy: ToolPolicy): readonly AnyTool[] => {
    if (!session.agentSnapshot.mcp_servers?.length) return []
    clients ??= createMcpClients(host)
    return createMcpTools({ session, policy, clients, ownOnly: host.ownServersOnly })
  }

  return {
    async openTools(session) {
      const granted = session.agentSnapshot.tools ?? []
      if (granted.length === 0) return noTools
      const policy = await host.loadPolicy(session)
      const { home, environment, secrets } = host
      const resolvePath = createPathResolver(session, policy, home)
      const tools = [
        ...createFileTools({ session, policy, home, secrets }),
        ...createCommandTools({ session, policy, environment }),
        ...(await loadWebTools(policy, host)),
        ...createGitTools({ session, policy, environment, resolvePath }),
        ...(granted.includes('mcp_call') ? openMcpTools(session, policy) : []),
      ]
      return createToolRegistry(tools, {
        granted,
        secrets: host.secrets,
        toMediaHandle: host.createHandle,
        hash: (text) => hash('sha256', text),
        encodeUtf8: (text) => Buffer.from(text),
      })
    },

    async close() {
      await clients?.close()
    },
  }
}

/** Loaded late: the HTTP client is large, and few sessions need it. */
async function loadWebTools(policy: ToolPolicy, { findSecret }: ToolboxHost): Promise<readonly AnyTool[]> {
  if (policy.allowedDomains.length === 0 && !policy.webSearch) return []
  const { createHttpTools } = await import('./http/http-tools.ts')
  return createHttpTools({ policy, findSecret })
}

const createPathResolver =
  (session: ToolSession, policy: ToolPolicy, home: string) => async (path: string, use: 'read' | 'write') => {
    const scope = await openScope(session.context, policy, home)
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(path, use)
    return place.kind === 'place' ? place.path : place
  }
