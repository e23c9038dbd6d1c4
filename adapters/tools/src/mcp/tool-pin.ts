import { createHash } from 'node:crypto'
import type { Json } from '@parley/contracts'
import { canonicalJson } from '@parley/engine'
import type { NamedServer } from './find-server.ts'
import type { ListedTool } from './list-tools.ts'

/** What an answer is bound to: the server as it is configured and the tool as it described itself. */
export function toolPin(
  server: NamedServer,
  { name, description, inputSchema, outputSchema }: ListedTool,
): string {
  const pinned = [definitionOf(server), name, description ?? null, inputSchema, outputSchema ?? null]
  return sha256(canonicalJson(pinned))
}

/** The same server, told apart from another of its name. */
export const serverKey = (server: NamedServer): string =>
  sha256(canonicalJson([definitionOf(server), valuesOf(server.env), valuesOf(server.headers), server.isOwn]))

/** Values may hold secrets, so only their names count. */
const definitionOf = ({ name, command, args, url, env, headers }: NamedServer): Json => ({
  name,
  command: command ?? null,
  args: args ?? [],
  url: url ?? null,
  env: Object.keys(env ?? {}).toSorted(),
  headers: Object.keys(headers ?? {}).toSorted(),
})

const valuesOf = (templates: Readonly<Record<string, string>> | undefined): Json => ({ ...templates })

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
