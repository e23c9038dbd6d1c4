import { z } from 'zod'
import { LOCAL_LINK_NOTE, type ShareLink, isLocalUrl } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { connectToServer } from '../reflection/at-server.ts'
import { findByBeginning, findReflection } from '../reflection/find-reflection.ts'
import { renderColumns } from '../render/columns.ts'
import { jsonLine, localTime, tell } from '../render/output.ts'
import { shortId } from '../session/find-session.ts'
import { type CommandCall, type RunCommand, parseOptions } from './command.ts'

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 }

const isUnit = (given: string): given is keyof typeof UNITS => given in UNITS

const ShareOptions = z.object({
  namespaces: z
    .string()
    .transform((given) => given.split(',').map((name) => name.trim()))
    .optional(),
  maxUses: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1 to 999999')
    .transform(Number)
    .optional(),
  expires: z
    .string()
    .regex(/^[1-9]\d{0,3}[mhd]$/, 'must be a time from now, such as 30m, 12h or 7d')
    .transform((given) => {
      const unit = given.slice(-1)
      return Number(given.slice(0, -1)) * (isUnit(unit) ? UNITS[unit] : 0)
    })
    .optional(),
})

/** Creates a share link. Only its address goes to standard output, for pipes. */
export async function shareReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { expires, ...wanted } = parseOptions(ShareOptions, call.options)
  const { client, config } = await connectToServer(call)
  const reflection = await findReflection(client, positionals[0] ?? '', config)
  const made = await client.reflections.share({
    reflectionId: reflection.id,
    ...wanted,
    ...(expires !== undefined && { expiresAt: new Date(Date.now() + expires).toISOString() }),
  })
  if (json) {
    io.stdout.write(jsonLine(made))
    return EXIT.done
  }
  const of = made.namespaces ? `the public folders ${made.namespaces.join(', ')}` : 'all public folders'
  const uses = made.maxUses === undefined ? '' : `, ${made.maxUses} times`
  const until = made.expiresAt === undefined ? '' : `, until ${localTime(made.expiresAt)}`
  const what = `Anyone with this link can talk with ${reflection.displayName} about ${of}${uses}${until}.`
  const undo = `parley reflections unshare ${shortId(reflection.id)} ${shortId(made.id)}`
  const publish = `parley reflections publish ${shortId(reflection.id)} ${made.namespaces?.join(' ') ?? 'NAMESPACE'}`
  if (made.reaches.length === 0)
    tell(io.stderr, `The link does not work yet: nothing is public. Publish with: ${publish}`)
  tell(io.stderr, `${what} Revoke it with: ${undo}. It is shown only once:`)
  io.stdout.write(`${made.url}\n`)
  if (isLocalUrl(made.url)) tell(io.stderr, LOCAL_LINK_NOTE)
  return EXIT.done
}

/** Lists the share links of a reflection, latest first. */
export async function listLinks(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, screen, config } = await connectToServer(call)
  const { id } = await findReflection(client, positionals[0] ?? '', config)
  const items = await client.reflections.shareLinks(id)
  if (json) io.stdout.write(jsonLine({ items }))
  else if (items.length === 0)
    tell(io.stdout, `It has no share links. Create one with: parley reflections share ${shortId(id)}`)
  else {
    const rows = items.map((link) => [
      shortId(link.id),
      localTime(link.createdAt),
      link.maxUses === undefined ? String(link.uses) : `${link.uses} of ${link.maxUses}`,
      stateOf(link),
      link.namespaces?.join(', ') ?? 'all',
    ])
    const room = { columns: screen.columns, yielding: [4] }
    io.stdout.write(renderColumns(['ID', 'MADE', 'USES', 'STATUS', 'NAMESPACES'], rows, screen.style, room))
  }
  return EXIT.done
}

/** Revokes a link. */
export async function unshareReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, config } = await connectToServer(call)
  const [given = '', link = ''] = positionals
  const { id: reflectionId } = await findReflection(client, given, config)
  const items = await client.reflections.shareLinks(reflectionId)
  const list = `parley reflections links ${shortId(reflectionId)}`
  const { id: linkId } = findByBeginning(items, link, { what: 'link', list })
  await client.reflections.unshare({ reflectionId, linkId })
  if (json) io.stdout.write(jsonLine({ linkId, revoked: true }))
  else tell(io.stdout, 'The link was revoked. Its sessions have ended.')
  return EXIT.done
}

function stateOf({ revokedAt, expiresAt, maxUses, uses, reaches }: ShareLink): string {
  if (revokedAt !== undefined) return `revoked ${localTime(revokedAt)}`
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) return `expired ${localTime(expiresAt)}`
  if (maxUses !== undefined && uses >= maxUses) return 'used up'
  if (reaches.length === 0) return 'inactive: nothing is public'
  return expiresAt === undefined ? 'active' : `until ${localTime(expiresAt)}`
}

/** The command that publishes or unpublishes namespaces. */
export function changePublished(change: 'publish' | 'unpublish'): RunCommand {
  return async (call) => {
    const { io, json, positionals } = call
    const { client, config } = await connectToServer(call)
    const [given = '', ...namespaces] = positionals
    const { id: reflectionId } = await findReflection(client, given, config)
    const reflection = await client.reflections[change]({ reflectionId, namespaces })
    const published = reflection.namespaces.flatMap(({ name, isPublished }) => (isPublished ? [name] : []))
    if (json) io.stdout.write(jsonLine(reflection))
    else if (published.length === 0) tell(io.stdout, 'It has no public folders.')
    else tell(io.stdout, `Public now: ${published.join(', ')}.`)
    return EXIT.done
  }
}
