import type { z } from 'zod'
import { PlatformError, formatIssue, nearest } from '@parley/contracts'
import type { ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'

/** One command; its code is loaded when it is called. */
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

/** Parses the options of a command; an error names the option. */
export function parseOptions<T extends z.ZodType>(
  schema: T,
  options: Readonly<Record<string, unknown>>,
): z.infer<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = String(issue?.path[0])
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const wrong = issue ? wordsFor(issue, options[name]) : 'is invalid.'
  throw new PlatformError('validation', { message: `The option ${option} ${wrong}`, option })
}

function wordsFor(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code !== 'invalid_value') return `${formatIssue(issue)}.`
  const choices = issue.values.map(String)
  const meant = nearest(String(given), choices)
  return `must be one of ${choices.join(', ')}${meant === undefined ? '.' : `; did you mean "${meant}"?`}`
}
