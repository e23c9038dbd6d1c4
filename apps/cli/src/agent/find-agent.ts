import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { type Agent, PlatformError, kebabIdSchema } from '@parley/contracts'
import type { CommandHost } from '../commands/command.ts'
import { type ConfiguredProvider, isUsable, describeKeyState } from '../config/configured-providers.ts'
import { findParleyFolder } from '../config/load-settings.ts'
import { describeMcpServer } from '../config/merge-config.ts'
import { notify } from '../render/output.ts'
import { formatSuggestion } from '../render/text.ts'
import { readIdentified, isTrustedFile, readTrust } from '../trust/trust-store.ts'

export const OFFLINE_AGENT: Agent = {
  id: 'offline',
  name: 'Offline',
  model: 'offline',
  provider: 'offline',
  system_prompt: '',
}

interface AgentSearch {
  readonly home: string
  readonly workingDir: string
  readonly onNotice: (notice: string) => void
}

/** Finds an agent by id or `.agent.yaml` file, limited to what the user trusts. */
export async function findAgent(agentRef: string, search: AgentSearch): Promise<Agent> {
  const { agent } = await locateAgent(agentRef, search)
  return agent
}

/**
 * Looks up an id among built-in, project and own agents, in this order; anything else is a file. Write ./name
 * for a file that is named like an id.
 */
export async function locateAgent(agentRef: string, search: AgentSearch): Promise<LocatedAgent> {
  if (agentRef === OFFLINE_AGENT.id) return { agent: OFFLINE_AGENT, source: 'built in', needsTrust: [] }
  const byId = kebabIdSchema.safeParse(agentRef).success ? await findById(agentRef, search) : undefined
  const located = byId ?? (await readAgentByPath(agentRef, search))
  const { agent, needsTrust, file } = located
  if (needsTrust.length > 0) {
    search.onNotice(
      `The agent "${agent.id}" asks for more than your config allows, and its file is not trusted. Ignored: ${needsTrust.join(', ')}. Review it: parley trust ${file}`,
    )
  }
  return located
}

/** Search from the current folder; notices go to standard error. */
export const createAgentSearch = ({ io, environment }: CommandHost): AgentSearch => ({
  home: environment.home,
  workingDir: process.cwd(),
  onNotice: (notice) => notify(io, notice),
})

async function findById(id: string, search: AgentSearch): Promise<LocatedAgent | undefined> {
  const { home, workingDir, onNotice } = search
  const { agents, broken } = await listAgents({ home, project: await findParleyFolder(workingDir, home) })
  const [first, ...hidden] = agents.filter(({ agent }) => agent.id === id)
  if (first) {
    for (const { file, needsTrust } of hidden) {
      const hint = needsTrust.length === 0 ? '' : `. Review it: parley trust ${file}`
      onNotice(`There are two agents "${id}". Used: ${first.file}. Not used: ${file}${hint}`)
    }
    return first
  }
  const brokenFile = broken.find(({ file }) => basename(file) === `${id}.agent.yaml`)
  if (brokenFile) throw brokenFile.failure
  if (await stat(id).catch(() => undefined)) return undefined
  const ids = agents.map(({ agent }) => agent.id)
  throw createUnknownAgentError(id, ids, broken.length)
}

/** A file outside the user's own agents may come with a project. */
async function readAgentByPath(file: string, { home }: AgentSearch): Promise<LocatedAgent> {
  const own = join(await realpath(home).catch(() => home), 'agents')
  const folder = await realpath(dirname(resolve(file))).catch(() => undefined)
  return folder === own ? readOwnAgent(file) : readForeignAgent(file, home, [])
}

function createUnknownAgentError(given: string, ids: readonly string[], broken: number): PlatformError {
  const unreadable =
    broken === 0 ? '' : ` ${broken} of the files cannot be read: \`parley agents check\` says why.`
  return new PlatformError('agent_not_found', {
    message: `There is no agent "${given}"${formatSuggestion(given, ids)}`,
    fix: `Known ids: ${[...new Set(ids)].join(', ')}. Name any other agent by its file, such as helper.agent.yaml.${unreadable}`,
    given,
  })
}

interface AgentPlaces {
  readonly home: string
  /** The `.parley` folder of the project. */
  readonly project?: string | undefined
}

export interface LocatedAgent {
  /** Without the permissions it is not trusted with. */
  readonly agent: Agent
  readonly source: 'built in' | 'project' | 'own'
  readonly file?: string
  /** Permissions it gets only once the user trusts its file. */
  readonly needsTrust: readonly string[]
  /** The agent with the same id that takes precedence. */
  readonly hiddenBy?: string
}

interface AgentList {
  readonly agents: readonly LocatedAgent[]
  /** Invalid agent files, with the reason. */
  readonly broken: readonly BrokenAgentFile[]
}

interface BrokenAgentFile {
  readonly file: string
  readonly failure: PlatformError
}

/** The built-in agents; no file can replace them. */
const BUILT_IN: readonly LocatedAgent[] = [{ agent: OFFLINE_AGENT, source: 'built in', needsTrust: [] }]

/** All agents by id. Built-in ones win over the project's, and those over the user's own. */
export async function listAgents({ home, project }: AgentPlaces): Promise<AgentList> {
  const broken: BrokenAgentFile[] = []
  const readAll = async (folder: string, read: (file: string) => Promise<LocatedAgent>) => {
    const located: LocatedAgent[] = []
    for (const file of await listAgentFiles(folder)) {
      try {
        located.push(await read(file))
      } catch (failure) {
        if (!(failure instanceof PlatformError)) throw failure
        broken.push({ file, failure })
      }
    }
    return located
  }
  const own = await readAll(join(home, 'agents'), readOwnAgent)
  const ownIds = own.map(({ agent }) => agent.id)
  const foreign =
    project === undefined
      ? []
      : await readAll(join(project, 'agents'), (file) => readForeignAgent(file, home, ownIds))
  // A project's agent replaces the user's own only if trusted.
  const isOverridden = ({ agent, needsTrust }: LocatedAgent) =>
    needsTrust.length > 0 && ownIds.includes(agent.id)
  const ordered = [
    ...BUILT_IN,
    ...foreign.filter((one) => !isOverridden(one)),
    ...own,
    ...foreign.filter(isOverridden),
  ]
  return { agents: ordered.map(markHidden), broken }
}

function markHidden(located: LocatedAgent, index: number, all: readonly LocatedAgent[]): LocatedAgent {
  const earlier = all.slice(0, index).find(({ agent }) => agent.id === located.agent.id)
  return earlier ? { ...located, hiddenBy: earlier.file ?? earlier.source } : located
}

async function readOwnAgent(file: string): Promise<LocatedAgent> {
  // Loaded on demand: most sessions need no YAML.
  const { readAgentFile } = await import('./read-agent-file.ts')
  return { agent: await readAgentFile(file), source: 'own', file, needsTrust: [] }
}

/** An agent that may come with a project, without untrusted permissions. */
async function readForeignAgent(
  file: string,
  home: string,
  ownIds: readonly string[],
): Promise<LocatedAgent> {
  await refuseOutsideLink(file, home)
  const { readAgentFile } = await import('./read-agent-file.ts')
  const { value: agent, identity } = await readIdentified(file, readAgentFile)
  const needs = listAgentNeeds(agent, ownIds)
  const isAllowed = needs.length === 0 || isTrustedFile(await readTrust(home), identity)
  return {
    agent: isAllowed ? agent : removeNeeds(agent),
    source: 'project',
    file,
    needsTrust: isAllowed ? [] : needs,
  }
}

export async function listAgentFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((failure: NodeJS.ErrnoException) =>
    treatMissingAsEmpty(folder, failure),
  )
  const paths = names
    .filter((name) => name.endsWith('.agent.yaml'))
    .toSorted()
    .map((name) => join(folder, name))
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
  return paths.filter((_, index) => stats[index]?.isFile())
}

function treatMissingAsEmpty(folder: string, failure: NodeJS.ErrnoException): readonly string[] {
  if (failure.code === 'ENOENT' || failure.code === 'ENOTDIR') return []
  throw new PlatformError('config_invalid', {
    message: `The agents folder ${folder} cannot be read (${failure.code}).`,
    fix: 'Fix its permissions, or remove it.',
    folder,
  })
}

export function describeAgentProvider({ provider }: Agent, providers: readonly ConfiguredProvider[]) {
  const configured = providers.find(({ name }) => name === provider)
  if (!configured) return { isReady: false, state: `no provider "${provider}"` }
  const isReady = isUsable(configured)
  return { isReady, state: isReady ? 'ready' : describeKeyState(configured) }
}

// Read-only tools; the file scope limits what they read.
const READ_ONLY: readonly string[] = ['read_file', 'list_directory', 'search_files', 'git_status']

const isReadOnly = (tool: string): boolean => READ_ONLY.includes(tool)

/** What a project's agent asks for that needs trust. */
export function listAgentNeeds(
  { id, tools = [], mcp_servers = [] }: Agent,
  ownIds: readonly string[],
): readonly string[] {
  return [
    ...(ownIds.includes(id) ? [`to replace your own agent ${id}`] : []),
    ...tools.filter((tool) => !isReadOnly(tool)).map((tool) => `tool ${tool}`),
    ...mcp_servers.map((server) =>
      typeof server === 'string' ? `MCP server ${server}` : describeMcpServer(server.name, server),
    ),
  ]
}

function removeNeeds(given: Agent): Agent {
  const { mcp_servers: _, tools, ...agent } = given
  return { ...agent, ...(tools && { tools: tools.filter(isReadOnly) }) }
}

/**
 * Refuses a project's agent file that links outside the project: errors would quote any file of the user. The
 * user's own agents may link anywhere.
 */
export async function refuseOutsideLink(file: string, home: string): Promise<void> {
  const folder = dirname(resolve(file))
  const inParley = basename(folder) === 'agents' && basename(dirname(folder)) === '.parley'
  if (!inParley) return
  const [project, real, ...folders] = await Promise.all(
    [dirname(dirname(folder)), file, folder, join(home, 'agents')].map(resolveLinks),
  )
  const isOwn = folders[0] !== undefined && folders[0] === folders[1]
  // Reading reports a missing file.
  if (isOwn || project === undefined || real === undefined) return
  if (real.startsWith(project.endsWith(sep) ? project : `${project}${sep}`)) return
  throw new PlatformError('config_invalid', {
    message: `${file}:1:1: it is a link to a file outside its project, and was not read`,
    fix: 'Put the file itself there, or name the file it links to.',
    file,
  })
}

const resolveLinks = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)
