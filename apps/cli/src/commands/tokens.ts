import { z } from 'zod'
import { PlatformError, Role, formatReadAccess } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { LimitOption, NamespacesOption, connectToServer, readUpTo } from '../reflection/at-server.ts'
import { findByBeginning, findReflection } from '../reflection/find-reflection.ts'
import { renderColumns } from '../render/columns.ts'
import { jsonLine, localTime, tell } from '../render/output.ts'
import { shortId } from '../session/find-session.ts'
import { type CommandCall, parseOptions } from './command.ts'

const ListOptions = z.object({ limit: LimitOption })

/** Lists who has a token, never the tokens themselves. */
export async function listTokens(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { limit } = parseOptions(ListOptions, call.options)
  const { client, screen } = await connectToServer(call)
  const { items, more } = await readUpTo(limit, (page) => client.tokens.list(page))
  if (json) io.stdout.write(jsonLine({ items, more }))
  else {
    const rows = items.map(({ tokenId, personId, role, reflectionId, expiresAt, label }) => [
      shortId(tokenId),
      personId,
      role,
      reflectionId === undefined ? 'server' : shortId(reflectionId),
      expiresAt === undefined ? 'never' : localTime(expiresAt),
      label,
    ])
    const room = { columns: screen.columns, yielding: [5] }
    io.stdout.write(
      renderColumns(['TOKEN', 'PERSON', 'ROLE', 'FOR', 'EXPIRES', 'NAME'], rows, screen.style, room),
    )
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
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
  const { client, config } = await connectToServer(call)
  const of = reflection === undefined ? undefined : await findReflection(client, reflection, config)
  const made = await client.tokens.create({
    label,
    role,
    ...(of && { reflectionId: of.id, namespaces }),
    ...(subject !== undefined && { subject }),
  })
  if (json) {
    io.stdout.write(jsonLine(made))
    return EXIT.done
  }
  const reads = of && made.namespaces ? ` ${made.label} ${formatReadAccess(made.namespaces, of.namespaces)}.` : ''
  const what = `${made.label} (${made.personId}) is ${role} of ${of ? of.displayName : 'this server'}, until ${localTime(made.expiresAt)}.${reads}`
  if (made.token === undefined) {
    tell(io.stderr, `${what} They sign in with JWTs whose subject is ${subject}.`)
    return EXIT.done
  }
  tell(io.stderr, `${what} The token is shown only once:`)
  io.stdout.write(`${made.token}\n`)
  return EXIT.done
}

/** Revokes a token. */
export async function revokeToken(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client } = await connectToServer(call)
  const { items } = await readUpTo(Number.POSITIVE_INFINITY, (page) => client.tokens.list(page))
  const tokens = items.map(({ tokenId, label }) => ({ id: tokenId, label }))
  const list = 'parley tokens list'
  const { id: tokenId, label } = findByBeginning(tokens, positionals[0] ?? '', { what: 'token', list })
  await client.tokens.revoke(tokenId)
  if (json) io.stdout.write(jsonLine({ tokenId, revoked: true }))
  else tell(io.stdout, `The token of ${label} was revoked.`)
  return EXIT.done
}
