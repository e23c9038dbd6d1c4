import { z } from 'zod'
import { type ApiClient, createApiClient } from '@parley/api-client'
import { MemberNamespaces, PlatformError } from '@parley/contracts'
import { type CommandHost, createCountOption } from '../commands/command.ts'
import type { Environment } from '../environment.ts'
import { type Display, readDisplay } from '../render/display.ts'
import { findRunningServer, findOwnerToken } from '../up/run-file.ts'

export interface ServerConnection {
  readonly client: ApiClient
  /** Where the answer is printed. */
  readonly display: Display
}

/** A client for the running server, with the owner's token. */
export async function connectToServer(host: CommandHost): Promise<ServerConnection> {
  const { environment } = host
  const run = await findRunningServer(environment.home)
  if (run?.url === undefined) throw createNotRunningError(environment, run !== undefined)
  return openConnection(run.url, host)
}

/** The same; undefined if no server runs. */
export async function connectIfRunning(host: CommandHost): Promise<ServerConnection | undefined> {
  const run = await findRunningServer(host.environment.home)
  return run?.url === undefined ? undefined : openConnection(run.url, host)
}

async function openConnection(url: string, { io, environment }: CommandHost): Promise<ServerConnection> {
  const token = await findOwnerToken(url, environment)
  if (token === undefined) {
    throw new PlatformError('unauthenticated', {
      message: `The server at ${url} rejects the owner token of this machine.`,
      fix: 'Unset PARLEY_OWNER_TOKEN, or set it to the token the server was started with.',
    })
  }
  const client = createApiClient({ baseUrl: url, token })
  return { client, display: readDisplay(io.stdout, environment) }
}

const createNotRunningError = ({ home }: Environment, isStarting: boolean) =>
  new PlatformError('server_unreachable', {
    message: isStarting
      ? `Parley is still starting, on the data in ${home}.`
      : `Parley is not running on the data in ${home}.`,
    fix: isStarting
      ? 'Try again in a moment.'
      : 'Start it in another terminal: `parley up`. Set PARLEY_HOME to use another data folder.',
  })

export const LimitOption = createCountOption(10_000, 50)

/** The private namespaces a member can read: `all`, or a comma-separated list. */
export const NamespacesOption = z
  .string()
  .transform((given) =>
    given.trim() === 'all' ? 'all' : given.split(',').flatMap((name) => name.trim() || []),
  )
  .pipe(MemberNamespaces)
  .optional()
