import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { builtEnvironment } from '../command/built-environment.ts'
import { type Environment, findExecutable, programFolders } from '../command/find-executable.ts'
import { fillSecrets } from '../fill-secrets.ts'
import { findProject } from '../fs/find-project.ts'
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
  /** Of the session. */
  readonly workingDir: string
  /** The folder of Parley's own data. */
  readonly home: string
  readonly environment: Environment
  readonly secretOf: SecretOf
}

interface CommandServer {
  readonly name: string
  readonly isOwn: boolean
  readonly command: string
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** What to start for a server that is a program, in an environment that is built for it. */
export async function programToStart(
  { name: server, isOwn, command, args = [], env = {} }: CommandServer,
  { workingDir, home, environment, secretOf }: Surroundings,
): Promise<ProgramStart> {
  const session = await realpath(workingDir).catch(() => undefined)
  if (session === undefined) throw new McpFailure(`The working folder ${workingDir} is not there.`)
  // Programs such as npx take what lies in the folder that they are started in before what the person installed.
  const folder = isOwn ? await folderFor(server, home) : session
  const folders = await programFolders(environment, await findProject(session))
  const file = await findExecutable(command, { folders, workingDir: folder })
  if (file === undefined) throw new McpFailure(notFound(command, folder))
  const own = Object.entries(env).map(([name, template]) => [name, fillSecrets(template, secretOf)])
  return {
    file,
    args,
    folder,
    environment: { ...builtEnvironment(environment, folders), ...Object.fromEntries(own) },
  }
}

/** A folder of ours, in which nobody else has put anything. */
async function folderFor(server: string, home: string): Promise<string> {
  if (!/^[a-z0-9-]{1,64}$/.test(server))
    throw new McpFailure(`"${server}" is no name that a folder may have.`)
  const folder = join(home, 'mcp', server)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return realpath(folder)
}

const notFound = (command: string, folder: string): string =>
  command.includes('/')
    ? `Its command ${command} is not a program that can be started, looked for from ${folder} on. Write it with its whole path, and see whether it may be run.`
    : `Its command ${command} was not found on the PATH (folders inside the project are left out). ` +
      'Install it, or write it with its whole path.'
