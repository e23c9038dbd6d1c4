import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Agent, PlatformError, kebabIdSchema, nearest } from '@parley/contracts'
import type { Config } from '../config.ts'
import { type ConfiguredProvider, isUsable, providerState } from '../config/configured-providers.ts'
import { findProject } from '../config/load-settings.ts'
import { describeMcpServer } from '../config/merge-config.ts'
import type { Io } from '../io.ts'
import { tell } from '../render/output.ts'
import { identified, isTrustedFile, readTrust } from '../trust/trust-store.ts'
import { refuseLinkOut } from './read-agent-file.ts'

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

/** The agent that an id or an `.agent.yaml` file stands for, as it may be used. */
export async function findAgent(agentRef: string, search: Search): Promise<Agent> {
  const { agent } = await locateAgent(agentRef, search)
  return agent
}

/**
 * An id is looked up in the program, the project and the data folder, in this order. What is none of them is a file; one
 * that has such an id for a name is written ./so.
 */
export async function locateAgent(agentRef: string, search: Search): Promise<FoundAgent> {
  if (agentRef === OFFLINE_AGENT.id) return { agent: OFFLINE_AGENT, source: 'built in', needsTrust: [] }
  const byId = kebabIdSchema.safeParse(agentRef).success ? await findById(agentRef, search) : undefined
  const found = byId ?? (await readFile(agentRef, search))
  if (found.needsTrust.length > 0) {
    search.onNotice(
      `The agent "${found.agent.id}" asks for more than it gets until you trust its file. Ignored: ${found.needsTrust.join(', ')}. See it and decide: parley trust ${found.file}`,
    )
  }
  return found
}

/** From where a command is called, with notices beside its answer. */
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

/** A file that the person does not keep among their own agents may have come with a project. */
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
    mend: `Known by name: ${[...new Set(ids)].join(', ')}. Any other is named by its file, such as helper.agent.yaml.${unread}`,
    given,
  })
}

/** Where agents are looked for. */
interface AgentPlaces {
  readonly home: string
  /** The `.parley` folder of the project. */
  readonly project?: string | undefined
}

export interface FoundAgent {
  /** As it may be used: without what nobody trusts it for. */
  readonly agent: Agent
  readonly source: 'built in' | 'project' | 'own'
  readonly file?: string
  /** What it asks for and does not get until the person trusts its file. */
  readonly needsTrust: readonly string[]
  /** What has the same id and goes before this one. */
  readonly hiddenBy?: string
}

interface AgentList {
  readonly agents: readonly FoundAgent[]
  /** Files that hold no agent, and why. */
  readonly broken: readonly BrokenFile[]
}

interface BrokenFile {
  readonly file: string
  readonly failure: PlatformError
}

/** The agents that the program brings along; no file can take their place. */
const BUILT_IN: readonly FoundAgent[] = [{ agent: OFFLINE_AGENT, source: 'built in', needsTrust: [] }]

/** Every agent that can be named by its id. Of one id the first counts: the program's, the project's, the person's own. */
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
  // A project's agent takes the place of the person's own only where they trust it.
  const yields = ({ agent, needsTrust }: FoundAgent) => needsTrust.length > 0 && ownIds.includes(agent.id)
  const ordered = [...BUILT_IN, ...theirs.filter((one) => !yields(one)), ...own, ...theirs.filter(yields)]
  return { agents: ordered.map(withHider), broken }
}

function withHider(found: FoundAgent, index: number, all: readonly FoundAgent[]): FoundAgent {
  const before = all.slice(0, index).find(({ agent }) => agent.id === found.agent.id)
  return before ? { ...found, hiddenBy: before.file ?? before.source } : found
}

async function readOwnAgent(file: string): Promise<FoundAgent> {
  // Most conversations need no YAML.
  const { readAgentFile } = await import('./read-agent-file.ts')
  return { agent: await readAgentFile(file), source: 'own', file, needsTrust: [] }
}

/** An agent that may have come with a project, without what it asks for beyond what the person trusts it with. */
async function readForeignAgent(file: string, home: string, ownIds: readonly string[]): Promise<FoundAgent> {
  await refuseLinkOut(file, home)
  const { readAgentFile } = await import('./read-agent-file.ts')
  const { value: agent, identity } = await identified(file, readAgentFile)
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
    mend: 'Mend its rights, or remove it.',
    folder,
  })
}

/** Whether the provider that an agent names is to be had, in words. */
export function providerOfAgent({ provider }: Agent, providers: readonly ConfiguredProvider[]) {
  const found = providers.find(({ name }) => name === provider)
  if (!found) return { isReady: false, state: `no provider "${provider}"` }
  return isUsable(found) ? { isReady: true, state: 'ready' } : { isReady: false, state: providerState(found) }
}

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
function withoutNeeds(given: Agent): Agent {
  const { mcp_servers: _, tools, ...agent } = given
  return { ...agent, ...(tools && { tools: tools.filter(isReading) }) }
}
