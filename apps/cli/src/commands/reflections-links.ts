import type { ShareLink } from '@parley/contracts'
import { renderColumns } from '../config/render-columns.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findByBeginning } from '../reflection/find-by-beginning.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'

/** Lists the links to a reflection, latest first. */
export async function listLinks(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, screen, config } = await atServer(call)
  const { id } = await findReflection(client, positionals[0] ?? '', config)
  const items = await client.reflections.shareLinks(id)
  if (json) io.stdout.write(jsonLine({ items }))
  else if (items.length === 0)
    tell(io.stdout, `It has no links. Make one with: parley reflections share ${shortId(id)}`)
  else {
    const rows = items.map((link) => [
      shortId(link.id),
      localTime(link.createdAt),
      link.maxUses === undefined ? String(link.uses) : `${link.uses} of ${link.maxUses}`,
      stateOf(link),
      link.namespaces?.join(', ') ?? 'all',
    ])
    const room = { columns: screen.columns, yielding: [4] }
    io.stdout.write(renderColumns(['ID', 'MADE', 'USES', 'STANDS', 'NAMESPACES'], rows, screen.style, room))
  }
  return EXIT.done
}

/** Revokes a link. */
export async function unshareReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, config } = await atServer(call)
  const [given = '', link = ''] = positionals
  const { id: reflectionId } = await findReflection(client, given, config)
  const items = await client.reflections.shareLinks(reflectionId)
  const list = `parley reflections links ${shortId(reflectionId)}`
  const { id: linkId } = findByBeginning(items, link, { what: 'link', list })
  await client.reflections.unshare({ reflectionId, linkId })
  if (json) io.stdout.write(jsonLine({ linkId, revoked: true }))
  else tell(io.stdout, 'The link is revoked. Whoever came by it is out.')
  return EXIT.done
}

function stateOf({ revokedAt, expiresAt, maxUses, uses, reaches }: ShareLink): string {
  if (revokedAt !== undefined) return `revoked ${localTime(revokedAt)}`
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    return `over since ${localTime(expiresAt)}`
  if (maxUses !== undefined && uses >= maxUses) return 'used up'
  if (reaches.length === 0) return 'lets nobody in: nothing of it is published'
  return expiresAt === undefined ? 'good' : `until ${localTime(expiresAt)}`
}
