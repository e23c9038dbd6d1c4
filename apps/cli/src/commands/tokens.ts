import { z } from 'zod'
import { PlatformError, Role, formatReadAccess } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { LimitOption, NamespacesOption, connectToServer } from '../reflection/server-connection.ts'
import { readAll, readUpTo } from '../read-pages.ts'
import { findByBeginning, findReflection } from '../reflection/find-reflection.ts'
import { renderColumns } from '../render/columns.ts'
import { formatLocalTime, printMessage } from '../render/output.ts'
import { shortenId } from '../session/find-session.ts'
import { type CommandCall, parseOptions, printJson, printList, printResult } from './command.ts'

const ListOptions = z.object({ limit: LimitOption })

/** Lists who has a token, never the tokens themselves. */
export async function listTokens(call: CommandCall): Promise<ExitCode> {
  const { limit } = parseOptions(ListOptions, call.options)
  const { client, display } = await connectToServer(call)
  const { style, columns } = display
  const list = await readUpTo(limit, (page) => client.tokens.list(page))
  const rows = list.items.map(({ tokenId, personId, role, reflectionId, expiresAt, label }) => [
    shortenId(tokenId),
    personId,
    role,
    reflectionId === undefined ? 'server' : shortenId(reflectionId),
    expiresAt === undefined ? 'never' : formatLocalTime(expiresAt),
    label,
  ])
  const head = ['TOKEN', 'PERSON', 'ROLE', 'FOR', 'EXPIRES', 'NAME']
  const render = () => renderColumns(head, rows, style, { columns, yielding: [5] })
  return printList(call, list, { style, render })
}

const CreateOptions = z.object({
  role: z.enum(Role.options, `must be ${Role.options.join(', ')}`),
  reflection: z.string().optional(),
  namespaces: NamespacesOption,
  subject: z.string().optional(),
})

/** Creates a token for a new person. Only the token goes to standard output, for pipes. */
export async function createToken(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { role, reflection, namespaces, subject } = parseOptions(CreateOptions, call.options)
  const label = positionals.join(' ').trim()
  if (label === '') throw new PlatformError('validation', { message: 'A token needs the name of a person.' })
  const { client } = await connectToServer(call)
  const target =
    reflection === undefined ? undefined : await findReflection(client, reflection, call.environment)
  const created = await client.tokens.create({
    label,
    role,
    namespaces,
    reflectionId: target?.id,
    ...(subject !== undefined && { subject }),
  })
  if (json) return printJson(io, created)
  const { personId, token, expiresAt, namespaces: readable } = created
  const reads = target && readable ? ` ${label} ${formatReadAccess(readable, target.namespaces)}.` : ''
  const effect = `${label} (${personId}) is ${role} of ${target?.displayName ?? 'this server'}, until ${formatLocalTime(expiresAt)}.${reads}`
  if (token === undefined) {
    printMessage(io.stderr, `${effect} They sign in with JWTs whose subject is ${subject}.`)
    return EXIT.done
  }
  printMessage(io.stderr, `${effect} The token is shown only once:`)
  io.stdout.write(`${token}\n`)
  return EXIT.done
}

export async function revokeToken(call: CommandCall): Promise<ExitCode> {
  const { client } = await connectToServer(call)
  const items = await readAll((page) => client.tokens.list(page))
  const tokens = items.map(({ tokenId, label }) => ({ id: tokenId, label }))
  const list = 'parley tokens list'
  const { id: tokenId, label } = findByBeginning(tokens, call.positionals[0] ?? '', { what: 'token', list })
  await client.tokens.revoke(tokenId)
  return printResult(call, { tokenId, revoked: true }, `The token of ${label} was revoked.`)
}
