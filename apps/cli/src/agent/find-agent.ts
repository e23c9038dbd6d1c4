import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { type Agent, PlatformError, kebabIdSchema, nearest } from '@parley/contracts'
import type { Config } from '../config.ts'
import { type ConfiguredProvider, isUsable, providerState } from '../config/configured-providers.ts'
import { findProject } from '../config/load-settings.ts'
import { describeMcpServer } from '../config/merge-config.ts'
import type { Io } from '../io.ts'
import { tell } from '../render/output.ts'
import { readIdentified, isTrustedFile, readTrust } from '../trust/trust-store.ts'

export const OFFLINE_AGENT: Agent = {
  id: 'offline',
  name: 'Offline',
  model: 'offline',
  provider: 'offline',
  system_prompt: '',
}

interface Search {
  readonly home: string
  readonly workingDir: string
  readonly onNotice: (notice: string) => void
}

/** Finds an agent by id or `.agent.yaml` file, limited to what the user trusts. */
export async function findAgent(agentRef: string, search: Search): Promise<Agent> {
  const { agent } = await locateAgent(agentRef, search)
  return agent
}

/**
 * Looks up an id among built-in, project and own agents, in this order; anything else is a file. Write ./name
 * for a file that is named like an id.
 */
export async function locateAgent(agentRef: string, search: Search): Promise<FoundAgent> {
  if (agentRef === OFFLINE_AGENT.id) return { agent: OFFLINE_AGENT, source: 'built in', needsTrust: [] }
  const byId = kebabIdSchema.safeParse(agentRef).success ? await findById(agentRef, search) : undefined
  const found = byId ?? (await readFile(agentRef, search))
  if (found.needsTrust.length > 0) {
    search.onNotice(
      `The agent "${found.agent.id}" asks for more than it may have until you trust its file. Ignored: ${found.needsTrust.join(', ')}. Review it: parley trust ${found.file}`,
    )
  }
  return found
}

/** Search from the current folder; notices go to standard error. */
export const searchFrom = ({ home }: Config, { stderr }: Io): Search => ({
  home,
  workingDir: process.cwd(),
  onNotice: (notice) => tell(stderr, `parley: ${notice}`),
})

async function findById(id: string, search: Search): Promise<FoundAgent | undefined> {
  const { home, workingDir, onNotice } = search
  const { agents, broken } = await listAgents({ home, project: await findProject(workingDir, home) })
  const [found, ...hidden] = agents.filter(({ agent }) => agent.id === id)
  if (found) {
    for (const { file, needsTrust } of hidden) {
      const mend = needsTrust.length === 0 ? '' : `. See what it asks for: parley trust ${file}`
      onNotice(`There are two agents "${id}". Used: ${found.file}. Not used: ${file}${mend}`)
    }
    return found
  }
  const meantToBe = broken.find(({ file }) => basename(file) === `${id}.agent.yaml`)
  if (meantToBe) throw meantToBe.failure
  if (await stat(id).catch(() => undefined)) return undefined
  throw unknown(
    id,
    agents.map(({ agent }) => agent.id),
    broken.length,
  )
}

/** A file outside the user's own agents may come with a project. */
async function readFile(file: string, { home }: Search): Promise<FoundAgent> {
  const own = join(await realpath(home).catch(() => home), 'agents')
  const folder = await realpath(dirname(resolve(file))).catch(() => undefined)
  return folder === own ? readOwnAgent(file) : readForeignAgent(file, home, [])
}

function unknown(given: string, ids: readonly string[], broken: number): PlatformError {
  const meant = nearest(given, ids)
  const unread =
    broken === 0 ? '' : ` ${broken} of the files cannot be read: \`parley agents check\` says why.`
  return new PlatformError('agent_not_found', {
    message: `There is no agent "${given}"${meant === undefined ? '.' : `; did you mean "${meant}"?`}`,
    mend: `Known ids: ${[...new Set(ids)].join(', ')}. Name any other agent by its file, such as helper.agent.yaml.${unread}`,
    given,
  })
}

/** The folders to search for agents. */
interface AgentPlaces {
  readonly home: string
  /** The `.parley` folder of the project. */
  readonly project?: string | undefined
}

export interface FoundAgent {
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
  readonly agents: readonly FoundAgent[]
  /** Invalid agent files, with the reason. */
  readonly broken: readonly BrokenFile[]
}

interface BrokenFile {
  readonly file: string
  readonly failure: PlatformError
}

/** The built-in agents; no file can replace them. */
const BUILT_IN: readonly FoundAgent[] = [{ agent: OFFLINE_AGENT, source: 'built in', needsTrust: [] }]

/** All agents by id. Built-in ones win over the project's, and those over the user's own. */
export async function listAgents({ home, project }: AgentPlaces): Promise<AgentList> {
  const broken: BrokenFile[] = []
  const readAll = async (folder: string, read: (file: string) => Promise<FoundAgent>) => {
    const found: FoundAgent[] = []
    for (const file of await agentFiles(folder)) {
      try {
        found.push(await read(file))
      } catch (failure) {
        if (!(failure instanceof PlatformError)) throw failure
        broken.push({ file, failure })
      }
    }
    return found
  }
  const own = await readAll(join(home, 'agents'), readOwnAgent)
  const ownIds = own.map(({ agent }) => agent.id)
  const theirs =
    project === undefined
      ? []
      : await readAll(join(project, 'agents'), (file) => readForeignAgent(file, home, ownIds))
  // A project's agent replaces the user's own only if trusted.
  const yields = ({ agent, needsTrust }: FoundAgent) => needsTrust.length > 0 && ownIds.includes(agent.id)
  const ordered = [...BUILT_IN, ...theirs.filter((one) => !yields(one)), ...own, ...theirs.filter(yields)]
  return { agents: ordered.map(withHider), broken }
}

function withHider(found: FoundAgent, index: number, all: readonly FoundAgent[]): FoundAgent {
  const before = all.slice(0, index).find(({ agent }) => agent.id === found.agent.id)
  return before ? { ...found, hiddenBy: before.file ?? before.source } : found
}

async function readOwnAgent(file: string): Promise<FoundAgent> {
  // Loaded on demand: most sessions need no YAML.
  const { readAgentFile } = await import('./read-agent-file.ts')
  return { agent: await readAgentFile(file), source: 'own', file, needsTrust: [] }
}

/** An agent that may come with a project, without untrusted permissions. */
async function readForeignAgent(file: string, home: string, ownIds: readonly string[]): Promise<FoundAgent> {
  await refuseLinkOut(file, home)
  const { readAgentFile } = await import('./read-agent-file.ts')
  const { value: agent, identity } = await readIdentified(file, readAgentFile)
  const needs = agentNeeds(agent, ownIds)
  const isFree = needs.length === 0 || isTrustedFile(await readTrust(home), identity)
  return {
    agent: isFree ? agent : withoutNeeds(agent),
    source: 'project',
    file,
    needsTrust: isFree ? [] : needs,
  }
}

export async function agentFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((failure: NodeJS.ErrnoException) => noneIn(folder, failure))
  const paths = names
    .filter((name) => name.endsWith('.agent.yaml'))
    .toSorted()
    .map((name) => join(folder, name))
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
  return paths.filter((_, index) => found[index]?.isFile())
}

function noneIn(folder: string, failure: NodeJS.ErrnoException): readonly string[] {
  if (failure.code === 'ENOENT' || failure.code === 'ENOTDIR') return []
  throw new PlatformError('config_invalid', {
    message: `The folder of agents ${folder} cannot be read (${failure.code}).`,
    mend: 'Fix its permissions, or remove it.',
    folder,
  })
}

/** The state of an agent's provider, for display. */
export function providerOfAgent({ provider }: Agent, providers: readonly ConfiguredProvider[]) {
  const found = providers.find(({ name }) => name === provider)
  if (!found) return { isReady: false, state: `no provider "${provider}"` }
  return isUsable(found) ? { isReady: true, state: 'ready' } : { isReady: false, state: providerState(found) }
}

// Read-only tools; the file scope limits what they read.
const READING: readonly string[] = ['read_file', 'list_directory', 'search_files', 'git_status']

const isReading = (tool: string): boolean => READING.includes(tool)

/** What a project's agent asks for that needs trust. */
export function agentNeeds(
  { id, tools = [], mcp_servers = [] }: Agent,
  ownIds: readonly string[],
): readonly string[] {
  return [
    ...(ownIds.includes(id) ? [`to replace your own agent ${id}`] : []),
    ...tools.filter((tool) => !isReading(tool)).map((tool) => `tool ${tool}`),
    ...mcp_servers.map((server) =>
      typeof server === 'string' ? `MCP server ${server}` : describeMcpServer(server.name, server),
    ),
  ]
}

/** The agent without these permissions. */
function withoutNeeds(given: Agent): Agent {
  const { mcp_servers: _, tools, ...agent } = given
  return { ...agent, ...(tools && { tools: tools.filter(isReading) }) }
}

/**
 * Refuses a project's agent file that links outside the project: errors would quote any file of the user. The
 * user's own agents may link anywhere.
 */
export async function refuseLinkOut(file: string, home: string): Promise<void> {
  const folder = dirname(resolve(file))
  const inParley = basename(folder) === 'agents' && basename(dirname(folder)) === '.parley'
  if (!inParley) return
  const [project, real, ...folders] = await Promise.all(
    [dirname(dirname(folder)), file, folder, join(home, 'agents')].map(realOf),
  )
  const isOwn = folders[0] !== undefined && folders[0] === folders[1]
  // Reading reports a missing file.
  if (isOwn || project === undefined || real === undefined) return
  if (real.startsWith(project.endsWith(sep) ? project : `${project}${sep}`)) return
  throw new PlatformError('config_invalid', {
    message: `${file}:1:1: it is a link to a file outside its project, and was not read`,
    mend: 'Put the file itself there, or name the file it links to.',
    file,
  })
}

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)
