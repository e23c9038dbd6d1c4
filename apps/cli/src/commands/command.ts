import { z } from 'zod'
import { PlatformError, formatIssue } from '@parley/contracts'
import type { Environment } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { toJsonLine, printMessage } from '../render/output.ts'
import type { Style } from '../render/display.ts'
import { formatSuggestion } from '../render/text.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly positional?: readonly ArgumentEntry[]
  readonly options?: readonly OptionEntry[]
  readonly example?: string
  readonly subcommands?: readonly CommandEntry[]
  readonly load: () => Promise<RunCommand>
}

export type ArgumentEntry = readonly [syntax: string, summary: string]
export type OptionEntry = readonly [flags: string, summary: string, repeatable?: 'repeatable']

export interface CommandHost {
  readonly io: Io
  /** Read on first use: an invalid variable does not stop other commands. */
  readonly environment: Environment
}

export interface CommandCall extends CommandHost {
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly json: boolean
}

export type RunCommand = (call: CommandCall) => Promise<ExitCode>

export function parseOptions<T extends z.ZodType>(
  schema: T,
  options: Readonly<Record<string, unknown>>,
): z.infer<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = String(issue?.path[0])
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const problem = issue ? describeIssue(issue, options[name]) : 'is invalid.'
  throw new PlatformError('validation', { message: `The option ${option} ${problem}`, option })
}

function describeIssue(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code !== 'invalid_value') return `${formatIssue(issue)}.`
  const choices = issue.values.map(String)
  return `must be one of ${choices.join(', ')}${formatSuggestion(String(given), choices)}`
}

export function createCountOption(max: number, defaultCount: number) {
  const message = `must be a whole number from 1 to ${max}`
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .refine((count) => count >= 1 && count <= max, message)
    .default(defaultCount)
}

type CommandOutput = Pick<CommandCall, 'io' | 'json'>

export function printJson({ stdout }: Pick<Io, 'stdout'>, value: unknown): ExitCode {
  stdout.write(toJsonLine(value))
  return EXIT.done
}

export function printResult({ io, json }: CommandOutput, value: unknown, text: string): ExitCode {
  if (json) return printJson(io, value)
  printMessage(io.stdout, text)
  return EXIT.done
}

export async function printList(
  { io, json }: CommandOutput,
  list: { readonly items: readonly unknown[]; readonly more?: boolean },
  { style, empty, render }: { style: Style; empty?: string; render: () => string | Promise<string> },
): Promise<ExitCode> {
  if (json) return printJson(io, list)
  if (list.items.length === 0 && empty !== undefined) printMessage(io.stdout, empty)
  else {
    io.stdout.write(await render())
    if (list.more) io.stdout.write(`${style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}
