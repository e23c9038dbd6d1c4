import { z } from 'zod'
import {
  LOCAL_LINK_NOTE,
  type ShareLink,
  isLocalUrl,
  getShareLinkState,
  listPublishedNamespaces,
} from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { connectToReflection, findByBeginning } from '../reflection/find-reflection.ts'
import { renderColumns } from '../render/columns.ts'
import { formatLocalTime, printMessage } from '../render/output.ts'
import { formatCount } from '../render/text.ts'
import { shortenId } from '../session/find-session.ts'
import {
  type CommandCall,
  type RunCommand,
  parseOptions,
  printJson,
  printList,
  printResult,
} from './command.ts'

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
  const { io, json } = call
  const { expires, ...options } = parseOptions(ShareOptions, call.options)
  const { client, reflection, reflectionId } = await connectToReflection(call)
  const link = await client.reflections.share({
    reflectionId,
    ...options,
    ...(expires !== undefined && { expiresAt: new Date(Date.now() + expires).toISOString() }),
  })
  if (json) return printJson(io, link)
  const { id, url, namespaces, maxUses, expiresAt, reaches } = link
  const folders = namespaces ? `the public folders ${namespaces.join(', ')}` : 'all public folders'
  const uses = maxUses === undefined ? '' : `, ${formatCount(maxUses, 'time')}`
  const until = expiresAt === undefined ? '' : `, until ${formatLocalTime(expiresAt)}`
  const effect = `Anyone with this link can talk with ${reflection.displayName} about ${folders}${uses}${until}.`
  const undo = `parley reflections unshare ${shortenId(reflectionId)} ${shortenId(id)}`
  const publish = `parley reflections publish ${shortenId(reflectionId)} ${namespaces?.join(' ') ?? 'FOLDER'}`
  if (reaches.length === 0)
    printMessage(
      io.stderr,
      `The link does not work yet: none of its folders is public. Publish with: ${publish}`,
    )
  printMessage(io.stderr, `${effect} Revoke it with: ${undo}. It is shown only once:`)
  io.stdout.write(`${url}\n`)
  if (isLocalUrl(url)) printMessage(io.stderr, LOCAL_LINK_NOTE)
  return EXIT.done
}

export async function listLinks(call: CommandCall): Promise<ExitCode> {
  const { client, display, reflectionId } = await connectToReflection(call)
  const { style, columns } = display
  const items = await client.reflections.shareLinks(reflectionId)
  const rows = items.map((link) => [
    shortenId(link.id),
    formatLocalTime(link.createdAt),
    link.maxUses === undefined ? String(link.uses) : `${link.uses} of ${link.maxUses}`,
    describeLinkStatus(link),
    link.namespaces?.join(', ') ?? 'all',
  ])
  const head = ['ID', 'CREATED', 'USES', 'STATUS', 'FOLDERS']
  return printList(
    call,
    { items },
    {
      style,
      empty: `It has no share links. Create one with: parley reflections share ${shortenId(reflectionId)}`,
      render: () => renderColumns(head, rows, style, { columns, yielding: [4] }),
    },
  )
}

export async function revokeShareLink(call: CommandCall): Promise<ExitCode> {
  const { client, reflectionId } = await connectToReflection(call)
  const items = await client.reflections.shareLinks(reflectionId)
  const list = `parley reflections links ${shortenId(reflectionId)}`
  const { id: linkId } = findByBeginning(items, call.positionals[1] ?? '', { what: 'link', list })
  await client.reflections.unshare({ reflectionId, linkId })
  return printResult(call, { linkId, revoked: true }, 'The link was revoked. Its sessions have ended.')
}

function describeLinkStatus(link: ShareLink): string {
  const { revokedAt = '', expiresAt, reaches } = link
  const state = getShareLinkState(link, Date.now())
  if (state === 'revoked') return `revoked ${formatLocalTime(revokedAt)}`
  if (state === 'expired') return `expired ${formatLocalTime(expiresAt ?? '')}`
  if (state === 'used_up') return 'used up'
  if (reaches.length === 0) return 'inactive: none of its folders is public'
  return expiresAt === undefined ? 'active' : `until ${formatLocalTime(expiresAt)}`
}

export function createPublishCommand(change: 'publish' | 'unpublish'): RunCommand {
  return async (call) => {
    const { client, reflectionId } = await connectToReflection(call)
    const namespaces = call.positionals.slice(1)
    const reflection = await client.reflections[change]({ reflectionId, namespaces })
    const published = listPublishedNamespaces(reflection)
    const text = published.length === 0 ? 'It has no public folders.' : `Public now: ${published.join(', ')}.`
    return printResult(call, reflection, text)
  }
}
