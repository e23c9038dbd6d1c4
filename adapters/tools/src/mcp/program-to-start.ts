import { realpath } from 'node:fs/promises'
import { builtEnvironment } from '../command/built-environment.ts'
import { type Environment, findExecutable, programFolders } from '../command/find-executable.ts'
import { fillSecrets } from '../fill-secrets.ts'
import type { SecretOf } from '../tool-policy.ts'
import { McpFailure } from './mcp-failure.ts'

export interface ProgramStart {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  /** All of it: nothing else of our own environment is passed on. */
  readonly environment: Readonly<Record<string, string>>
}

export interface Surroundings {
  readonly workingDir: string
  readonly environment: Environment
  readonly secretOf: SecretOf
}

interface CommandServer {
  readonly command: string
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** What to start for a server that is a program, in an environment that is built for it. */
export async function programToStart(
  { command, args = [], env = {} }: CommandServer,
  { workingDir, environment, secretOf }: Surroundings,
): Promise<ProgramStart> {
  const folder = await realpath(workingDir).catch(() => undefined)
  if (folder === undefined) throw new McpFailure(`The working folder ${workingDir} is not there.`)
  const folders = await programFolders(environment, folder)
  const file = await findExecutable(command, { folders, workingDir: folder })
  if (file === undefined) throw new McpFailure(notFound(command))
  const own = Object.entries(env).map(([name, template]) => [name, fillSecrets(template, secretOf)])
  return {
    file,
    args,
    folder,
    environment: { ...builtEnvironment(environment, folders), ...Object.fromEntries(own) },
  }
}

const notFound = (command: string): string =>
  command.includes('/')
    ? `Its command ${command} is not a program that can be started. Look at its path, and whether it may be run.`
    : `Its command ${command} was not found on the PATH (folders inside the working folder are left out). ` +
      'Install it, or write it with its whole path.'
