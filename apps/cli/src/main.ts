import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import type { CommandEntry, OptionEntry, RunCommand } from './commands/command.ts'
import { COMMANDS } from './commands/table.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { type Io, leaveWhenNobodyReads } from './io.ts'

/** Runs one command line and resolves to its exit code. What a command needs is loaded when it is called. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  // Until the line is parsed, this is the best guess; afterwards a message that reads "--json" is only a message.
  let json = argv.includes('--json')
  leaveWhenNobodyReads(io)

  let exitCode: ExitCode = EXIT.done
  const call: Call = async (load, command) => {
    json = command.optsWithGlobals()['json'] === true
    const run = await load()
    exitCode = await run({ io, json, positionals: command.args, options: command.opts() })
  }
  let misused: Command | undefined
  const program = newProgram(io, json, call, (command) => (misused = command))
  try {
    if (argv.every((word) => word === '--json')) program.outputHelp()
    else await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (failure) {
    if (failure instanceof CommanderError && failure.exitCode === 0) return EXIT.done
    const { reportFailure } = await import('./failure.ts')
    return reportFailure(failure, io, json, misused && usageOf(misused))
  }
}

function processIo(): Io {
  const { stdin, stdout, stderr, env } = process
  return { stdin, stdout, stderr, environment: env }
}

type Call = (load: () => Promise<RunCommand>, command: Command) => Promise<void>
type OnMisuse = (command: Command) => void

function newProgram({ stdout }: Io, json: boolean, call: Call, onMisuse: OnMisuse): Command {
  const program = new Command('parley')
    .description('Conversations with one agent that can be trusted.')
    .version(versionText(json), '-v, --version', 'print the version of Parley and of Node')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option('--json', JSON_SUMMARY)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {}, outputError: () => {} })
  for (const entry of COMMANDS) addCommand(program, entry, call, onMisuse)
  program.addHelpText('after', EXIT_CODES)
  return program
}

function addCommand(parent: Command, entry: CommandEntry, call: Call, onMisuse: OnMisuse): void {
  const { name, summary, positional, options = [], example, subcommands = [], load } = entry
  const command = parent.command(name).description(summary).helpCommand(false)
  command.exitOverride((failure) => {
    onMisuse(command)
    throw failure
  })
  for (const { syntax, summary: of } of [positional ?? []].flat()) command.argument(syntax, of)
  for (const option of options) addOption(command, option)
  command.option('--json', JSON_SUMMARY)
  if (subcommands.length > 0) command.enablePositionalOptions()
  if (example) command.addHelpText('after', `\nExample:\n  ${example}`)
  if (subcommands.length > 0) command.allowExcessArguments()
  command.action(async () => {
    const [stray] = subcommands.length > 0 ? command.args : []
    await (stray === undefined ? call(load, command) : refuseSubcommand(command, stray))
  })
  for (const subcommand of subcommands) addCommand(command, subcommand, call, onMisuse)
}

/** How a command is called, and where more is said of it. */
function usageOf(command: Command): string {
  const names: string[] = []
  for (let one: Command | null = command; one; one = one.parent) names.unshift(one.name())
  const name = names.join(' ')
  return `It is called as: ${name} ${command.usage()}\n\`${name} --help\` says more.`
}

/** To commander, a name that no subcommand has is an argument too many. */
async function refuseSubcommand(command: Command, stray: string): Promise<never> {
  const { nearest } = await import('@parley/contracts')
  const names = command.commands.map((subcommand) => subcommand.name())
  const meant = nearest(stray, names)
  const mend = meant === undefined ? `It has ${names.join(', ')}.` : `Did you mean ${meant}?`
  return command.error(`error: \`parley ${command.name()}\` has no subcommand '${stray}'. ${mend}`)
}

function addOption(command: Command, { flags, summary, repeatable }: OptionEntry): void {
  if (!repeatable) command.option(flags, summary)
  else
    command.option(flags, summary, (value, earlier: readonly string[] | undefined) => [
      ...(earlier ?? []),
      value,
    ])
}

const EXIT_CODES = `
Exit codes:
  0  done
  1  failed
  2  bad input: a wrong option, file or setting
  3  refused, or it waits for your word
  4  cancelled; what was said is kept`

const JSON_SUMMARY = 'print JSON for programs: one document, or one event a line'

function versionText(json: boolean): string {
  const { version } = packageJson
  const { node } = process.versions
  return json ? JSON.stringify({ version, node }) : `parley ${version} (Node ${node})`
}
