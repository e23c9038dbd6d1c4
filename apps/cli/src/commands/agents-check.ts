import { dirname, join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { agentFiles } from '../agent/list-agents.ts'
import { refuseLinkOut } from '../agent/refuse-link-out.ts'
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
}

/** Tells all that is wrong with the named agent files, or with all that are found. */
export async function checkAgents({ io, json, positionals }: CommandCall): Promise<ExitCode> {
  const { home } = readConfig(io.environment)
  const files = positionals.length > 0 ? positionals : await foundFiles(home)
  const checked: Checked[] = []
  for (const file of files) checked.push(withDouble(await check(file, home), checked))
  const problems = checked.flatMap((one) => one.problems)
  if (json) io.stdout.write(jsonLine({ files: checked, problems: problems.length }))
  else if (problems.length > 0) for (const problem of problems) tell(io.stdout, problem)
  else
    tell(
      io.stdout,
      files.length === 0 ? 'There are no agent files.' : `${files.length} checked, all is well.`,
    )
  return problems.length === 0 ? EXIT.done : EXIT.badInput
}

async function foundFiles(home: string): Promise<readonly string[]> {
  const project = await findProject(process.cwd(), home)
  const folders = [...(project === undefined ? [] : [project]), home].map((folder) => join(folder, 'agents'))
  const found = await Promise.all(folders.map(agentFiles))
  return found.flat()
}

async function check(file: string, home: string): Promise<Checked> {
  const { readAgentFile } = await import('../agent/read-agent-file.ts')
  try {
    await refuseLinkOut(file, home)
    const { id } = await readAgentFile(file)
    return { file, id, problems: [] }
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
