import { readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { Agent, PlatformError, WrittenAgent } from '@parley/contracts'
import { agentInputFlaws, parseStrictYaml } from '@parley/engine'
import { secretsIn } from '../config/config-findings.ts'
import { decodeText } from '../io.ts'

const LONGEST = 1_000_000

/** The agent that an `.agent.yaml` file holds; what is wrong with it is told by line and column. */
export async function readAgentFile(file: string, check: Check = () => []): Promise<Agent> {
  return parseStrictYaml(await readText(file), {
    file,
    schema: Agent,
    longest: LONGEST,
    check: (agent) => [
      ...secretsIn(agent),
      ...(WrittenAgent.safeParse(agent).error?.issues ?? []),
      ...agentInputFlaws(agent),
      ...check(agent),
    ],
  })
}

/** What else is asked of an agent. */
type Check = NonNullable<Parameters<typeof parseStrictYaml<Agent>>[1]['check']>

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'ENOENT' ? 'There is no agent file' : `Cannot read (${cause.code}) the agent file`
    throw new PlatformError('agent_not_found', { message: `${why} ${file}.`, file }, { cause })
  })
  const text = decodeText(bytes)
  if (text !== undefined) return text
  const message = `${file}:1:1: it is not UTF-8 text`
  throw new PlatformError('config_invalid', { line: 1, column: 1, path: '', file, message })
}

/**
 * A project's agent file must be the project's own. One that leads elsewhere could have any file of the person read,
 * and told of. What the person keeps among their own agents may lead anywhere.
 */
export async function refuseLinkOut(file: string, home: string): Promise<void> {
  const folder = dirname(resolve(file))
  const inParley = basename(folder) === 'agents' && basename(dirname(folder)) === '.parley'
  if (!inParley) return
  const [project, real, ...folders] = await Promise.all(
    [dirname(dirname(folder)), file, folder, join(home, 'agents')].map(realOf),
  )
  const isOwn = folders[0] !== undefined && folders[0] === folders[1]
  // What is not there is told of by those who read it.
  if (isOwn || project === undefined || real === undefined) return
  if (real.startsWith(project.endsWith(sep) ? project : `${project}${sep}`)) return
  throw new PlatformError('config_invalid', {
    message: `${file}:1:1: it is a link that leads out of its project, and was not read`,
    mend: 'Put the file itself there, or name the one that it leads to.',
    file,
  })
}

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)
