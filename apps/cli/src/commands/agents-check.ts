import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Agent, kebabIdSchema, nearest, PlatformError } from '@parley/contracts'
import { agentFiles } from '../agent/list-agents.ts'
import { refuseLinkOut } from '../agent/refuse-link-out.ts'
import { knownNames, type NameFlaw, unknownReferences } from '../agent/unknown-references.ts'
import { findProject } from '../config/find-project.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

interface Checked {
  readonly file: string
  readonly id?: string
  readonly problems: readonly string[]
  /** What is not wrong, and will not do what it is meant to. */
  readonly notices?: readonly string[]
}

/** Tells all that is wrong with the agents or agent files that are named, or with all that are found. */
export async function checkAgents({ io, json, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { home } = config
  // What is wrong with the config is told by those who need it.
  const known = await knownNames(config).catch(() => undefined)
  const flawsOf = (agent: Agent) => (known ? unknownReferences(agent, known) : [])
  const found = await foundFiles(home)
  const files =
    positionals.length === 0
      ? found
      : [...new Set((await Promise.all(positionals.map((given) => filesOf(given, found, home)))).flat())]
  const checked: Checked[] = []
  for (const file of files) checked.push(withDouble(await check(file, home, flawsOf), checked))
  const problems = checked.flatMap((one) => one.problems)
  if (json) io.stdout.write(jsonLine({ files: checked, problems: problems.length }))
  else {
    for (const notice of checked.flatMap((one) => one.notices ?? [])) tell(io.stderr, `parley: ${notice}`)
    for (const problem of problems) tell(io.stdout, problem)
    if (problems.length === 0) tell(io.stdout, files.length === 0 ? NONE : allWell(files.length))
  }
  return problems.length === 0 ? EXIT.done : EXIT.badInput
}

const NONE = 'There are no agent files.'
const allWell = (count: number): string => `${count} checked, all is well.`

async function foundFiles(home: string): Promise<readonly string[]> {
  const project = await findProject(process.cwd(), home)
  const folders = [...(project === undefined ? [] : [project]), home].map((folder) => join(folder, 'agents'))
  const found = await Promise.all(folders.map(agentFiles))
  return found.flat()
}

/** An id stands for every file that holds it, or has it for a name; what is no known id is a file. */
async function filesOf(given: string, found: readonly string[], home: string): Promise<readonly string[]> {
  if (!kebabIdSchema.safeParse(given).success) return [given]
  const ids = await Promise.all(
    found.map(async (file) => (await check(file, home)).id ?? basename(file, '.agent.yaml')),
  )
  const named = found.filter((_, index) => ids[index] === given)
  if (named.length > 0 || (await stat(given).catch(() => undefined)))
    return named.length > 0 ? named : [given]
  const meant = nearest(given, ids)
  throw new PlatformError('agent_not_found', {
    message: `No agent file holds "${given}"${meant === undefined ? '.' : `; did you mean "${meant}"?`}`,
    mend:
      ids.length === 0 ? '`parley agents new ID` writes one.' : `There are: ${[...new Set(ids)].join(', ')}.`,
    given,
  })
}

async function check(
  file: string,
  home: string,
  flawsOf: (agent: Agent) => readonly NameFlaw[] = () => [],
): Promise<Checked> {
  const { readAgentFile } = await import('../agent/read-agent-file.ts')
  try {
    await refuseLinkOut(file, home)
    const agent = await readAgentFile(file, (read) => flawsOf(read).filter(({ kind }) => kind === 'unknown'))
    const notices = flawsOf(agent).map(({ message }) => `The agent "${agent.id}": ${message}.`)
    return { file, id: agent.id, problems: [], ...(notices.length > 0 && { notices }) }
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    return { file, problems: failure.message.split('\n').map((line) => line.trim()) }
  }
}

/** Two agents of one id in one folder: which of them is meant, nobody can tell. */
function withDouble(checked: Checked, before: readonly Checked[]): Checked {
  const same = before.find(
    ({ id, file }) => id !== undefined && id === checked.id && dirname(file) === dirname(checked.file),
  )
  if (!same) return checked
  return { ...checked, problems: [`${checked.file}:1:1: its id "${checked.id}" is that of ${same.file} too`] }
}
