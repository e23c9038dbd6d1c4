import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Agent, kebabIdSchema, nearest, PlatformError } from '@parley/contracts'
import { findProject } from '../config/find-project.ts'
import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import { tell } from '../render/tell.ts'
import { type FoundAgent, listAgents, readForeignAgent, readOwnAgent } from './list-agents.ts'
import { OFFLINE_AGENT } from './offline-agent.ts'

export { OFFLINE_AGENT } from './offline-agent.ts'

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
