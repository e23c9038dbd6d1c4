import { RunCommandInput, createToolInput } from '@parley/contracts'
import {
  type AnyTool,
  type ToolCallPlan,
  type ToolCallRefusal,
  type Tool,
  type ToolSession,
  type RawToolResult,
  createToolCallRefusal,
} from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { formatShortList } from '../format-text.ts'
import { openScope } from '../fs/open-scope.ts'
import { findProject } from '../fs/paths.ts'
import type { ToolPolicy } from '../tool-policy.ts'
import { MARK_VARIABLE } from './process-tree.ts'
import { explainNearMiss, matchCommand } from './match-command.ts'
import {
  type EnvironmentVariables,
  buildEnvironment,
  findExecutable,
  listProgramFolders,
} from './program-environment.ts'
import { type ProcessEnd, type ProcessRequest, runProcess } from './run-process.ts'

export interface CommandToolsHost {
  readonly session: ToolSession
  readonly policy: ToolPolicy
  /** Commands get a subset of it. */
  readonly environment: EnvironmentVariables
}

/** The run_command tool, if the person's config allows any command. */
export function createCommandTools(host: CommandToolsHost): readonly AnyTool[] {
  const { allowedCommands, allowedCommandGlobs } = host.policy
  return allowedCommands.length + allowedCommandGlobs.length === 0 ? [] : [createRunCommandTool(host)]
}

const DEFAULT_TIMEOUT_SECONDS = 120

function createRunCommandTool(host: CommandToolsHost): Tool<RunCommandInput> {
  return {
    name: 'run_command',
    description: `Runs one of the allowed commands in the working folder and returns its output. ${describeAllowed(host.policy)}`,
    input: createToolInput(RunCommandInput),

    async plan({ command, timeout_seconds = DEFAULT_TIMEOUT_SECONDS }) {
      const hidden = findHiddenCharacter(command)
      if (hidden !== undefined) return createToolCallRefusal(`The command has ${hidden}. Write it without.`)
      const match = matchCommand(command, host.policy)
      if (match.kind === 'none')
        return createToolCallRefusal(describeNotAllowed(command, host.policy), 'tool_denied', command)
      const request = await prepareRequest(command, match.entry, host)
      if ('kind' in request) return request

      const plan: ToolCallPlan = {
        kind: 'plan',
        target: command,
        origin: `the command ${command}`,
        carryOut: async (signal) => {
          const end = await runProcess({ ...request, timeoutMs: timeout_seconds * 1_000 }, signal)
          return toCommandResult(end, timeout_seconds)
        },
      }
      if (match.kind === 'exact') return plan
      const imitation = findLookAlike(command)
      if (imitation !== undefined)
        return createToolCallRefusal(
          `"${imitation}" mixes letters that look like others. Write it in one script.`,
          'tool_denied',
          command,
        )
      return { ...plan, approval: toApproval(command, request) }
    },
  }
}

type CommandRequest = Omit<ProcessRequest, 'timeoutMs'>

async function prepareRequest(
  command: string,
  entry: string,
  host: CommandToolsHost,
): Promise<CommandRequest | ToolCallRefusal> {
  const refuseCommand = (text: string, code?: ToolCallRefusal['code']) =>
    createToolCallRefusal(text, code, command)
  const words = splitCommand(command)
  if (words.kind === 'unclear') return refuseCommand(`The command cannot be run: ${words.reason}.`)
  const { program, rest } = words
  // A path may only be run if the person's config spells it out: otherwise it could be any file of the project.
  if (program.includes('/') && !namesProgram(entry, program))
    return refuseCommand(
      `${program} is a path that no allowed command spells out. ${describeAllowed(host.policy)}`,
    )

  const scope = await openScope(host.session.context, host.policy)
  if (scope.kind === 'refused') return scope
  const { workingDir } = scope
  const folders = await listProgramFolders(host.environment, await findProject(workingDir))
  const file = await findExecutable(program, { folders, workingDir })
  if (file === undefined) return refuseCommand(describeNotFound(program, folders), 'tool_unavailable')
  const environment = buildEnvironment(host.environment, folders)
  return { file, name: program, args: rest, folder: workingDir, environment }
}

function namesProgram(entry: string, program: string): boolean {
  const words = splitCommand(entry)
  return words.kind === 'words' && words.program === program
}

const toApproval = (
  command: string,
  { folder, environment, file }: CommandRequest,
): NonNullable<ToolCallPlan['approval']> => ({
  preview: {
    kind: 'text',
    text: [
      command,
      '',
      `Program: ${file}`,
      `Folder: ${folder}`,
      `Variables: ${[...Object.keys(environment), MARK_VARIABLE].join(', ')}`,
    ].join('\n'),
  },
  state: JSON.stringify([file, folder]),
  forSession: {},
})

const MAX_NAMED = 20

function describeAllowed({ allowedCommands, allowedCommandGlobs }: ToolPolicy): string {
  const lists = [
    allowedCommands.length > 0 && `Allowed commands, exactly as written: ${formatEntries(allowedCommands)}.`,
    allowedCommandGlobs.length > 0 &&
      `Commands that match ${formatEntries(allowedCommandGlobs)} need approval; * is any plain text without options.`,
  ]
  return lists.filter(Boolean).join(' ')
}

const formatEntries = (entries: readonly string[]): string =>
  formatShortList(
    entries.map((entry) => JSON.stringify(entry)),
    MAX_NAMED,
  )

function describeNotAllowed(command: string, policy: ToolPolicy): string {
  const reason = explainNearMiss(command, policy) ?? 'It must match an allowed command exactly.'
  return `The command ${JSON.stringify(command)} is not allowed. ${reason} ${describeAllowed(policy)} A person allows others under allowed_commands in ~/.parley/config.toml.`
}

const describeNotFound = (program: string, folders: readonly string[]): string =>
  program.includes('/')
    ? `${program} does not exist or is not executable. Create it, or make it executable.`
    : `There is no program ${program} in ${folders.join(', ')}. Folders inside the project are not searched.`

/** The result of a command for the model. */
function toCommandResult(end: ProcessEnd, timeoutSeconds: number): RawToolResult {
  const text = [formatHeadline(end, timeoutSeconds), end.output.trimEnd()].filter(Boolean).join('\n')
  if (end.kind === 'cancelled') return createFailedResult(text, 'cancelled')
  const isSuccess = end.kind === 'by-itself' && end.exitCode === 0
  return isSuccess ? { kind: 'ok', text } : createFailedResult(text)
}

function formatHeadline({ kind, exitCode, signal, output }: ProcessEnd, timeoutSeconds: number): string {
  const until = output.trimEnd() === '' ? 'No output.' : 'Output so far:'
  switch (kind) {
    case 'timed-out':
      return `The command took longer than ${timeoutSeconds} seconds; it and all its child processes were stopped. ${until}`
    case 'cancelled':
      return `The call was cancelled; the command and all its child processes were stopped. ${until}`
    case 'by-itself':
      return exitCode === null ? `ended by the signal ${signal}` : `exit code ${exitCode}`
    default:
      return kind satisfies never
  }
}

/** The first invisible character of a command line: a person must see what they allow. */
export function findHiddenCharacter(command: string): string | undefined {
  const [character] = HIDDEN_CHARACTER.exec(command) ?? []
  return character === undefined
    ? undefined
    : `the character ${formatCodePoint(character)}, which is invisible or looks like a space`
}

/** A word that imitates another one, if any. Commands from the person's config are not checked. */
export function findLookAlike(command: string): string | undefined {
  return command.split(' ').find((word) => mixesScripts(word) || hasCompatibilityCharacter(word))
}

// Control and format characters, lone surrogates, unassigned characters, all spaces but the plain one, blank Braille.
const HIDDEN_CHARACTER = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

const mixesScripts = (word: string): boolean =>
  /\p{Script=Latin}/u.test(word) &&
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u.test(
    word,
  )

/** For example full-width letters, hyphens and semicolons. */
const hasCompatibilityCharacter = (word: string): boolean =>
  Array.from(word).some((each) => each > '\x7f' && /^[\x20-\x7e]+$/.test(each.normalize('NFKC')))

const formatCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

type SplitCommand =
  | { readonly kind: 'words'; readonly program: string; readonly rest: readonly string[] }
  | { readonly kind: 'unclear'; readonly reason: string }

/**
 * Splits a command line into a program and its arguments, by spaces and quotes. There is no shell, so a line that needs
 * one is refused instead of being run differently.
 */
export function splitCommand(command: string): SplitCommand {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (const character of command) {
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (quote === '"' && EXPANDED.includes(character)) return refuseShellCharacter(character)
      else word += character
    } else if (character === ' ') {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (SPECIAL.includes(character)) return refuseShellCharacter(character)
    else word = (word ?? '') + character
  }
  if (quote !== '') return { kind: 'unclear', reason: `it has a ${quote} that is not closed` }
  if (word !== undefined) words.push(word)
  return checkProgram(words)
}

const EXPANDED = '`$\\'
const SPECIAL = ';&|<>()`$\\\n'

const refuseShellCharacter = (character: string): SplitCommand => ({
  kind: 'unclear',
  reason: `it has ${JSON.stringify(character)}, which needs a shell, and there is none here`,
})

function checkProgram([program, ...rest]: readonly string[]): SplitCommand {
  if (program === undefined || program === '') return { kind: 'unclear', reason: 'it names no program' }
  if (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(program))
    return { kind: 'unclear', reason: `it begins with a variable (${program}), which only a shell could set` }
  if (program.startsWith('-') || program.startsWith('~'))
    return { kind: 'unclear', reason: `${program} is not the name of a program` }
  return { kind: 'words', program, rest }
}
