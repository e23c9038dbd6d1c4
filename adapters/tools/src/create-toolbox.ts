import { createHash } from 'node:crypto'
import { GitStatusInput, McpCallInput, type MediaHandle, toolInput } from '@parley/contracts'
import {
  type AnyTool,
  type Plan,
  type Refusal,
  type Secret,
  type Tool,
  type ToolRegistry,
  type ToolSession,
  createToolRegistry,
  noTools,
  refuse,
} from '@parley/engine'
import { commandTools } from './command/command-tools.ts'
import { fileTools } from './fs/file-tools.ts'
import { openScope } from './fs/open-scope.ts'
import { printablePath } from './fs/printable-path.ts'
import { gitCommit } from './git/git-commit.ts'
import { byNul, gitPath } from './git/git-path.ts'
import { type GitToolsHost, openGit } from './git/open-git.ts'
import { showChanges } from './git/show-changes.ts'
import { showStatus } from './git/show-status.ts'
import { type StandIn, withStandIn } from './git/with-stand-in.ts'
import { type Endpoint, type McpClients, createMcpClients } from './mcp/create-mcp-clients.ts'
import { findServer, serverNames } from './mcp/find-server.ts'
import { type ListedTool, type ListedTools, listTools } from './mcp/list-tools.ts'
import { planCall } from './mcp/plan-call.ts'
import { told } from './mcp/told.ts'
import type { SecretOf, ToolPolicy } from './tool-policy.ts'

export interface ToolboxHost {
  readonly policyOf: (session: ToolSession) => ToolPolicy | Promise<ToolPolicy>
  /** The folder of Parley's own data, which tools leave alone. */
  readonly home: string
  /** Ours; programs are given a few variables of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** All that must not be shown. */
  readonly secrets: () => readonly Secret[]
  /** What config may name. */
  readonly secretOf: SecretOf
  readonly handleOf: (bytes: Uint8Array) => MediaHandle
  /** No MCP server that an agent brings along: for a server. */
  readonly ownServersOnly?: boolean
}

/** The tools of all sessions of a process. */
export interface Toolbox {
  toolsOf(session: ToolSession): Promise<ToolRegistry>
  /** Ends what it has started. */
  close(): Promise<void>
}

export function createToolbox(host: ToolboxHost): Toolbox {
  let clients: McpClients | undefined

  const mcp = (session: ToolSession, policy: ToolPolicy): readonly AnyTool[] => {
    if (!session.agentSnapshot.mcp_servers?.length) return []
    clients ??= createMcpClients(host)
    return mcpTools({ session, policy, clients, ownOnly: host.ownServersOnly })
  }

  return {
    async toolsOf(session) {
      const granted = session.agentSnapshot.tools ?? []
      if (granted.length === 0) return noTools
      const policy = await host.policyOf(session)
      const { home, environment, secrets } = host
      const checkPath = checkPathIn(session, policy, home)
      const tools = [
        ...fileTools({ session, policy, home, secrets }),
        ...commandTools({ session, policy, environment }),
        ...(await webTools(policy, host)),
        ...gitTools({ session, policy, environment, checkPath }),
        ...(granted.includes('mcp_call') ? mcp(session, policy) : []),
      ]
      return createToolRegistry(tools, {
        granted,
        secrets: host.secrets,
        handleOf: host.handleOf,
        hash,
        bytesOf,
      })
    },

    async close() {
      await clients?.close()
    },
  }
}

/** What speaks HTTP is large, and few sessions need it. */
async function webTools(policy: ToolPolicy, { secretOf }: ToolboxHost): Promise<readonly AnyTool[]> {
  if (policy.allowedDomains.length === 0 && !policy.webSearch) return []
  const { httpTools } = await import('./http/http-tools.ts')
  return httpTools({ policy, secretOf })
}

const checkPathIn =
  (session: ToolSession, policy: ToolPolicy, home: string) => async (path: string, use: 'read' | 'write') => {
    const scope = await openScope(session.context, policy, home)
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(path, use)
    return place.kind === 'place' ? place.path : place
  }

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const bytesOf = (text: string): Uint8Array => Buffer.from(text)

/** The tools for the git repository of a session's working folder. */
export const gitTools = (host: GitToolsHost): readonly AnyTool[] => [gitStatus(host), gitCommit(host)]

const DEFAULT_COUNT = 20
const LONGEST_MS = 20_000

/** Looks at the repository around the working folder. */
function gitStatus(host: GitToolsHost): Tool<GitStatusInput> {
  return {
    name: 'git_status',
    description:
      'Shows the git repository of the working folder: its status, what is changed (diff), what is staged (staged_diff), or its last commits (log).',
    input: toolInput(GitStatusInput),
    mayRepeat: true,

    async plan({ show = 'status', path, count = DEFAULT_COUNT }) {
      const opened = await openGit(host)
      if (opened.kind === 'refused') return opened
      const within = path === undefined ? '' : await gitPath(path, opened, host.checkPath)
      if (typeof within !== 'string') return within
      const paths = within === '' ? [] : [within]

      const shown: Record<typeof show, (standIn: StandIn) => Promise<string>> = {
        status: (standIn) => showStatus(standIn, paths),
        diff: (standIn) => showChanges(standIn, 'diff', paths, host.checkPath),
        staged_diff: (standIn) => showChanges(standIn, 'staged_diff', paths, host.checkPath),
        log: (standIn) => showLog(standIn, count, paths),
      }
      return {
        kind: 'plan',
        target: printablePath(within === '' ? opened.repository.root : `${opened.repository.root}/${within}`),
        origin: `git ${show}`,
        async carryOut(signal) {
          const text = await withStandIn<string>(opened, signal, shown[show], LONGEST_MS)
          return typeof text === 'string' ? { kind: 'ok', text } : failed(text)
        },
      }
    },
  }
}

const failed = ({ code, text }: Refusal) => ({ kind: 'failed', code, text }) as const

const MOST_BODY_LINES = 10

/** The last commits, newest first: of each its id, date, author, subject and the beginning of its text. */
async function showLog(standIn: StandIn, count: number, paths: readonly string[]): Promise<string> {
  if (standIn.commit === undefined) return 'There are no commits yet.'
  const listed = await standIn.git([
    'log',
    `--max-count=${count}`,
    '--format=tformat:%h %aI %an <%ae>%n%B',
    '-z',
    '--no-patch',
    '--no-show-signature',
    '--no-color',
    '--no-mailmap',
    standIn.commit,
    '--',
    ...paths,
  ])
  const commits = byNul(listed).map(block)
  return commits.length > 0 ? commits.join('\n\n') : 'No commit concerns this path.'
}

function block(commit: string): string {
  const [head = '', ...message] = commit.trimEnd().split('\n')
  const shown = message.slice(0, MOST_BODY_LINES + 1).map((line) => `    ${line}`.trimEnd())
  return [head, ...shown, ...(message.length > shown.length ? ['    …'] : [])].join('\n')
}

interface McpToolsOptions {
  readonly session: ToolSession
  readonly policy: Pick<ToolPolicy, 'mcpServers'>
  readonly clients: McpClients
  /** No server that an agent or a project brings along. */
  readonly ownOnly?: boolean | undefined
}

/** mcp_call, where the agent names an MCP server. */
export function mcpTools({ session, policy, clients, ownOnly }: McpToolsOptions): readonly AnyTool[] {
  const names = serverNames(session)
  if (names.length === 0) return []
  const mcpCall: Tool<McpCallInput> = {
    name: 'mcp_call',
    description:
      `Calls a tool of an MCP server. Servers: ${names.join(', ')}. ` +
      'First call it with the server alone: that lists its tools and what each is given.',
    input: toolInput(McpCallInput),

    async plan({ server: name, tool, arguments: given }, signal) {
      const server = findServer(name, { session, policy, ownOnly })
      if ('kind' in server) return server
      if (tool !== undefined)
        return planCall({ at: { session, server }, tool, given: given ?? {} }, clients, signal)
      if (given) return refuse('There are arguments, but no tool that they are for.', 'validation', name)
      return planListing({ session, server }, clients)
    },
  }
  return [mcpCall]
}

/** Asks nobody: a server that is named here has been trusted, and its tools are only read. */
function planListing(at: Endpoint, clients: McpClients): Plan {
  const { name } = at.server
  return {
    kind: 'plan',
    target: name,
    origin: `the MCP server ${name}`,
    carryOut: (signal) =>
      told(signal, () =>
        clients.use(at, signal, async (connection) => ({
          kind: 'ok',
          text: toolListing(await listTools(connection, at.server, signal, clients.limits.listMs)),
        })),
      ),
  }
}

/** What the model is told of a server's tools. */
function toolListing({ tools, leftOut }: ListedTools): string {
  const lines: string[] = []
  let room = MOST_TEXT
  const unshown: string[] = []
  for (const tool of tools) {
    const text = described(tool)
    if (text.length > room) {
      unshown.push(tool.name)
      continue
    }
    room -= text.length
    lines.push(text)
  }
  if (tools.length === 0) lines.push('It has no tools that may be called.')
  if (unshown.length > 0)
    lines.push(
      `[${unshown.length} more are not shown, for want of room: ${unshown.slice(0, MOST_NAMES).join(', ')}]`,
    )
  if (leftOut > 0)
    lines.push('[Some tools are left out: too many, too large, or with a name that cannot be used.]')
  return lines.join('\n\n')
}

const MOST_TEXT = 40_000
const MOST_NAMES = 50
const LONGEST_DESCRIPTION = 2_000

function described({ name, description = '', inputSchema }: ListedTool): string {
  const short =
    description.length > LONGEST_DESCRIPTION ? `${description.slice(0, LONGEST_DESCRIPTION)} …` : description
  return [`## ${name}`, short, `arguments: ${JSON.stringify(inputSchema)}`].filter(Boolean).join('\n')
}
