import type { ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'

/** One command as the program offers it; what it does is loaded when it is called. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly positional?: PositionalEntry | readonly PositionalEntry[]
  readonly options?: readonly OptionEntry[]
  /** Shown below the options. */
  readonly example?: string
  readonly subcommands?: readonly CommandEntry[]
  readonly load: () => Promise<RunCommand>
}

export interface PositionalEntry {
  readonly syntax: string
  readonly summary: string
}

export interface OptionEntry {
  readonly flags: string
  readonly summary: string
  readonly repeatable?: true
}

export interface CommandCall {
  readonly io: Io
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly json: boolean
}

export type RunCommand = (call: CommandCall) => Promise<ExitCode>
