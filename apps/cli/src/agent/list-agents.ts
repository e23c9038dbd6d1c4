import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Agent, PlatformError } from '@parley/contracts'
import { identified } from '../trust/identified.ts'
import { isTrusted, readTrust } from '../trust/trust-store.ts'
import { agentNeeds, withoutNeeds } from './agent-needs.ts'
import { OFFLINE_AGENT } from './offline-agent.ts'
import { refuseLinkOut } from './refuse-link-out.ts'

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

export async function readOwnAgent(file: string): Promise<FoundAgent> {
  // Most conversations need no YAML.
  const { readAgentFile } = await import('./read-agent-file.ts')
  return { agent: await readAgentFile(file), source: 'own', file, needsTrust: [] }
}

/** An agent that may have come with a project, without what it asks for beyond what the person trusts it with. */
export async function readForeignAgent(
  file: string,
  home: string,
  ownIds: readonly string[],
): Promise<FoundAgent> {
  await refuseLinkOut(file, home)
  const { readAgentFile } = await import('./read-agent-file.ts')
  const { value: agent, identity } = await identified(file, readAgentFile)
  const needs = agentNeeds(agent, ownIds)
  const isFree = needs.length === 0 || isTrusted(await readTrust(home), identity)
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
