import { z } from 'zod'
import type { ApiClient } from '@parley/api-client'
import {
  type Invitation,
  LOCAL_LINK_NOTE,
  MemberRole,
  PersonId,
  PlatformError,
  ROLES,
  type Reflection,
  type ReflectionId,
  isLocalUrl,
  formatReadAccess,
} from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { LimitOption, NamespacesOption } from '../reflection/server-connection.ts'
import { readUpTo } from '../read-pages.ts'
import { connectToReflection, findByBeginning } from '../reflection/find-reflection.ts'
import { renderColumns } from '../render/columns.ts'
import { toJsonLine, formatLocalTime, printMessage } from '../render/output.ts'
import { shortenId } from '../session/find-session.ts'
import { type CommandCall, parseOptions, printList, printResult } from './command.ts'

const MembersOptions = z.object({
  set: z.string().optional(),
  change: z.string().optional(),
  namespaces: NamespacesOption,
  remove: z.string().optional(),
})

export async function manageMembers(call: CommandCall): Promise<ExitCode> {
  const { set, change, namespaces, remove } = parseOptions(MembersOptions, call.options)
  const isChangeComplete = (change === undefined) === (namespaces === undefined)
  // With --set, --namespaces belongs to the new role.
  if (set === undefined && !isChangeComplete) throw createIncompleteChangeError()
  const { client, display, reflectionId } = await connectToReflection(call)
  if (set !== undefined) await client.reflections.setMember({ reflectionId, ...parseMember(set), namespaces })
  if (change !== undefined) {
    const { personId, role } = await findMember(client, reflectionId, change)
    await client.reflections.setMember({ reflectionId, personId, role, namespaces })
  }
  if (remove !== undefined) {
    const { personId } = await findMember(client, reflectionId, remove)
    await client.reflections.removeMember({ reflectionId, personId })
  }
  const items = await client.reflections.members(reflectionId)
  const rows = items.map(({ personId, role, label, namespaces: readable, invitedUntil }) => [
    personId,
    role,
    label,
    readable === 'all' ? 'all' : ['published', ...readable].join(', '),
    invitedUntil === undefined ? '' : formatLocalTime(invitedUntil),
  ])
  const head = ['PERSON', 'ROLE', 'NAME', 'CAN READ', 'INVITED UNTIL']
  const { style } = display
  return printList(call, { items }, { style, render: () => renderColumns(head, rows, style) })
}

async function findMember({ reflections }: ApiClient, reflectionId: ReflectionId, given: string) {
  const members = await reflections.members(reflectionId)
  const items = members.map((member) => ({ ...member, id: member.personId }))
  const list = `parley reflections members ${shortenId(reflectionId)}`
  return findByBeginning(items, given, { what: 'member', list })
}

const PEOPLE =
  '`parley tokens list` shows the ids of people, and `parley reflections invite` invites a new person.'

const createIncompleteChangeError = () =>
  new PlatformError('validation', {
    message: 'To change what a member can read, use --change PERSON and --namespaces FOLDERS together.',
    fix: 'FOLDERS is all, or private folders separated by commas.',
  })

function parseMember(given: string) {
  const [person = '', role = ''] = given.split('=')
  const parsed = z.object({ personId: PersonId, role: MemberRole }).safeParse({ personId: person, role })
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message: `The option --set names a person and a role, not "${given}".`,
    fix: `Write it as per_…=ROLE, where ROLE is one of ${MemberRole.options.join(', ')}. ${PEOPLE}`,
  })
}

const InviteOptions = z.object({
  role: MemberRole.default('viewer'),
  namespaces: NamespacesOption,
  again: z.string().optional(),
})

/** Invites a new member, or renews a link. Only the link goes to standard output, for pipes. */
export async function inviteToReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { role, namespaces, again } = parseOptions(InviteOptions, call.options)
  const label = positionals.slice(1).join(' ').trim()
  if ((label === '') === (again === undefined)) {
    throw new PlatformError('validation', {
      message: 'An invitation needs a name, or --again with a person who was invited.',
    })
  }
  const { client, reflection, reflectionId } = await connectToReflection(call)
  const member = again === undefined ? undefined : await findMember(client, reflectionId, again)
  const invitation = member
    ? await client.reflections.inviteAgain({ reflectionId, personId: member.personId })
    : await client.reflections.invite({ reflectionId, label, role, namespaces })
  if (json) io.stdout.write(toJsonLine(invitation))
  else {
    const { url } = invitation
    printMessage(io.stderr, describeInvitation(invitation, reflection))
    io.stdout.write(`${url}\n`)
    if (isLocalUrl(url)) printMessage(io.stderr, LOCAL_LINK_NOTE)
  }
  return EXIT.done
}

function describeInvitation(
  { personId, label, role, namespaces, expiresAt }: Invitation,
  { id, displayName, namespaces: all }: Reflection,
): string {
  const members = `parley reflections members ${shortenId(id)}`
  const undo = `${members} --remove ${personId}`
  const change = ROLES[role].canBeLimited
    ? ` Change that with: ${members} --change ${personId} --namespaces FOLDERS.`
    : ''
  return `${label} (${personId}) is ${role} of ${displayName}, with access to nothing else. ${label} ${formatReadAccess(namespaces, all)}.${change} Anyone with this link can sign in as ${label} until ${formatLocalTime(expiresAt)}. Revoke it with: ${undo}. It is shown only once:`
}

export async function leaveReflection(call: CommandCall): Promise<ExitCode> {
  const { client, reflection, reflectionId: id } = await connectToReflection(call)
  await client.reflections.leave(id)
  return printResult(call, { id }, `You have left ${reflection.displayName}.`)
}

const AuditOptions = z.object({ limit: LimitOption })

export async function listAuditLog(call: CommandCall): Promise<ExitCode> {
  const { limit } = parseOptions(AuditOptions, call.options)
  const { client, display, reflectionId } = await connectToReflection(call)
  const { style, columns } = display
  const list = await readUpTo(limit, (page) => client.reflections.audit({ ...page, reflectionId }))
  return printList(call, list, {
    style,
    empty: 'No changes yet.',
    async render() {
      const members = await client.reflections.members(reflectionId)
      const labels = new Map(members.map(({ personId, label }) => [personId, label]))
      const rows = list.items.map(({ at, who, what, target = '' }) => [
        formatLocalTime(at),
        labels.get(who) ?? who,
        what.replaceAll('_', ' '),
        target,
      ])
      return renderColumns(['WHEN', 'WHO', 'CHANGE', 'ITEM'], rows, style, { columns, yielding: [1] })
    },
  })
}
