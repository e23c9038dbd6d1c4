import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import type { CommandEntry, OptionEntry, RunCommand } from './commands/command.ts'
import { COMMANDS, JSON_OPTION } from './commands/table.ts'
import type { Environment } from './environment.ts'
import { EXIT, EXIT_MEANINGS, type ExitCode } from './exit-code.ts'
import { type Io, exitWhenOutputCloses } from './io.ts'

/** Runs one command line and resolves to its exit code. Commands are loaded on demand. */
export async function main(argv: readonly string[], io: Io = readProcessIo()): Promise<ExitCode> {
  // A guess until the line is parsed: "--json" may also be the text of a message.
  let json = argv.includes('--json')
  exitWhenOutputCloses(io)

  let exitCode: ExitCode = EXIT.done
  const call: CallCommand = async (load, command) => {
    json = command.optsWithGlobals()['json'] === true
    const [run, { readEnvironment }] = await Promise.all([load(), import('./environment.ts')])
    let environment: Environment | undefined
    exitCode = await run({
      io,
      json,
      positionals: command.args,
      options: command.opts(),
      get environment() {
        return (environment ??= readEnvironment(io.variables))
      },
    })
  }
  let misused: Command | undefined
  const program = createProgram(io, json, call, (command) => (misused = command))
  try {
    if (argv.every((word) => word === '--json')) program.outputHelp()
    else await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (failure) {
    if (failure instanceof CommanderError && failure.exitCode === 0) return EXIT.done
    const { reportFailure } = await import('./failure.ts')
    return reportFailure(failure, io, json, misused && describeUsage(misused))
  }
}

function readProcessIo(): Io {
  const { stdin, stdout, stderr, env } = process
  return { stdin, stdout, stderr, variables: env }
}

type CallCommand = (load: () => Promise<RunCommand>, command: Command) => Promise<void>
type OnMisuse = (command: Command) => void

function createProgram({ stdout }: Io, json: boolean, call: CallCommand, onMisuse: OnMisuse): Command {
  const program = new Command('parley')
    .description('A chat agent that asks before it acts.')
    .version(formatVersion(json), '-v, --version', 'print the versions of Parley and Node')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option(JSON_OPTION[0], JSON_OPTION[1])
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {}, outputError: () => {} })
  for (const [heading, entries] of Object.entries(COMMANDS)) {
    program.commandsGroup(`${heading}:`)
    for (const entry of entries) addCommand(program, entry, call, onMisuse)
  }
  program.addHelpText('after', EXIT_CODES)
  return program
}

function addCommand(parent: Command, entry: CommandEntry, call: CallCommand, onMisuse: OnMisuse): void {
  const { name, summary, positional = [], options = [], example, subcommands = [], load } = entry
  const command = parent.command(name).description(summary).helpCommand(false)
  command.exitOverride((failure) => {
    onMisuse(command)
    throw failure
  })
  for (const argument of positional) command.argument(...argument)
  for (const option of options) addOption(command, option)
  addOption(command, JSON_OPTION)
  if (subcommands.length > 0) command.enablePositionalOptions()
  if (example) command.addHelpText('after', `\nExample:\n  ${example}`)
  if (subcommands.length > 0) command.allowExcessArguments()
  command.action(async () => {
    const [stray] = subcommands.length > 0 ? command.args : []
    await (stray === undefined ? call(load, command) : refuseSubcommand(command, stray))
  })
  for (const subcommand of subcommands) addCommand(command, subcommand, call, onMisuse)
}

function describeUsage(command: Command): string {
  const names: string[] = []
  for (let one: Command | null = command; one; one = one.parent) names.unshift(one.name())
  const name = names.join(' ')
  return `Usage: ${name} ${command.usage()}\n\`${name} --help\` shows details.`
}

/** Commander would report an unknown subcommand as an extra argument. */
async function refuseSubcommand(command: Command, stray: string): Promise<never> {
  const { findNearest } = await import('@parley/contracts')
  const names = command.commands.map((subcommand) => subcommand.name())
  const similar = findNearest(stray, names)
  const fix = similar === undefined ? `Its subcommands: ${names.join(', ')}.` : `Did you mean ${similar}?`
  return command.error(`error: \`parley ${command.name()}\` has no subcommand '${stray}'. ${fix}`)
}

function addOption(command: Command, [flags, summary, repeatable]: OptionEntry): void {
  if (!repeatable) command.option(flags, summary)
  else
    command.option(flags, summary, (value, earlier: readonly string[] | undefined) => [
      ...(earlier ?? []),
      value,
    ])
}

const EXIT_CODES = `
Exit codes:
${Object.entries(EXIT_MEANINGS)
  .map(([code, meaning]) => `  ${code}  ${meaning}`)
  .join('\n')}`

function formatVersion(json: boolean): string {
  const { version } = packageJson
  const { node } = process.versions
  return json ? JSON.stringify({ version, node }) : `parley ${version} (Node ${node})`
}
