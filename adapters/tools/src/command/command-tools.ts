import { RunCommandInput, toolInput } from '@parley/contracts'
import { type AnyTool, type Plan, refuse, type Refusal, type Tool, type ToolSession } from '@parley/engine'
import { findProject } from '../fs/find-project.ts'
import { openScope } from '../fs/open-scope.ts'
import type { ToolPolicy } from '../tool-policy.ts'
import { builtEnvironment } from './built-environment.ts'
import { commandResult } from './command-result.ts'
import { MARK } from './end-processes.ts'
import { type Environment, findExecutable, programFolders } from './find-executable.ts'
import { matchCommand, nearMiss } from './match-command.ts'
import { hiddenCharacter, lookAlike } from './odd-characters.ts'
import { type ProcessRequest, runProcess } from './run-process.ts'
import { splitCommand } from './split-command.ts'

export interface CommandToolsHost {
  readonly session: ToolSession
  readonly policy: ToolPolicy
  /** Of which only a few variables are passed on to commands. */
  readonly environment: Environment
}

/** The tool that runs commands; none where the person's config allows no command. */
export function commandTools(host: CommandToolsHost): readonly AnyTool[] {
  const { allowedCommands, allowedCommandGlobs } = host.policy
  return allowedCommands.length + allowedCommandGlobs.length === 0 ? [] : [runCommand(host)]
}

const DEFAULT_TIMEOUT_SECONDS = 120

function runCommand(host: CommandToolsHost): Tool<RunCommandInput> {
  return {
    name: 'run_command',
    description: `Runs one of the allowed commands in the working folder and gives its output. ${allowedOf(host.policy)}`,
    input: toolInput(RunCommandInput),

    async plan({ command, timeout_seconds = DEFAULT_TIMEOUT_SECONDS }) {
      const hidden = hiddenCharacter(command)
      if (hidden !== undefined) return refuse(`The command has ${hidden}. Write it without.`)
      const match = matchCommand(command, host.policy)
      if (match.kind === 'none') return refuse(notAllowed(command, host.policy), 'tool_denied', command)
      const request = await requestOf(command, match.entry, host)
      if ('kind' in request) return request

      const plan: Plan = {
        kind: 'plan',
        target: command,
        origin: `the command ${command}`,
        carryOut: async (signal) => {
          const end = await runProcess({ ...request, timeoutMs: timeout_seconds * 1_000 }, signal)
          return commandResult(end, timeout_seconds)
        },
      }
      if (match.kind === 'exact') return plan
      const alike = lookAlike(command)
      if (alike !== undefined)
        return refuse(
          `"${alike}" mixes letters that look like others. Write it in one script.`,
          'tool_denied',
          command,
        )
      return { ...plan, question: questionOf(command, request) }
    },
  }
}

type Request = Omit<ProcessRequest, 'timeoutMs'>

async function requestOf(command: string, entry: string, host: CommandToolsHost): Promise<Request | Refusal> {
  const no = (text: string, code?: Refusal['code']) => refuse(text, code, command)
  const words = splitCommand(command)
  if (words.kind === 'unclear') return no(`The command cannot be run: ${words.why}.`)
  const { program, rest } = words
  // A path is a program's name only where the person wrote it so: otherwise it may name any file of the project.
  if (program.includes('/') && !namesProgram(entry, program))
    return no(`${program} is a path that no allowed command spells out. ${allowedOf(host.policy)}`)

  const scope = await openScope(host.session.context, host.policy)
  if (scope.kind === 'refused') return scope
  const { workingDir } = scope
  const folders = await programFolders(host.environment, await findProject(workingDir))
  const file = await findExecutable(program, { folders, workingDir })
  if (file === undefined) return no(notFound(program, folders), 'tool_unavailable')
  const environment = builtEnvironment(host.environment, folders)
  return { file, name: program, args: rest, folder: workingDir, environment }
}

function namesProgram(entry: string, program: string): boolean {
  const words = splitCommand(entry)
  return words.kind === 'words' && words.program === program
}

const questionOf = (
  command: string,
  { folder, environment, file }: Request,
): NonNullable<Plan['question']> => ({
  preview: {
    kind: 'text',
    text: [
      command,
      '',
      `Program: ${file}`,
      `Folder: ${folder}`,
      `Variables: ${[...Object.keys(environment), MARK].join(', ')}`,
    ].join('\n'),
  },
  state: JSON.stringify([file, folder]),
  forSession: {},
})

const MOST_NAMED = 20

function allowedOf({ allowedCommands, allowedCommandGlobs }: ToolPolicy): string {
  const lists = [
    allowedCommands.length > 0 && `Allowed are, exactly as written: ${named(allowedCommands)}.`,
    allowedCommandGlobs.length > 0 &&
      `Once a person agrees, also what is like ${named(allowedCommandGlobs)}, where * is any plain text without options.`,
  ]
  return lists.filter(Boolean).join(' ')
}

function named(entries: readonly string[]): string {
  const shown = entries.slice(0, MOST_NAMED).map((entry) => JSON.stringify(entry))
  const more = entries.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function notAllowed(command: string, policy: ToolPolicy): string {
  const why = nearMiss(command, policy) ?? 'It has to be written exactly as it is allowed.'
  return `The command ${JSON.stringify(command)} is not allowed. ${why} ${allowedOf(policy)} A person allows others under allowed_commands in ~/.parley/config.toml.`
}

const notFound = (program: string, folders: readonly string[]): string =>
  program.includes('/')
    ? `${program} is not there, or may not be run. Make it, or make it executable.`
    : `There is no program ${program} in ${folders.join(', ')}. Folders inside of the project are not looked in.`
