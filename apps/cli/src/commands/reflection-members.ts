import { z } from 'zod'
import {
  type Invitation,
  LOCAL_LINK_NOTE,
  MemberRole,
  PersonId,
  PlatformError,
  type Reflection,
  isLocalUrl,
  formatReadAccess,
} from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { LimitOption, NamespacesOption, connectToServer, readUpTo } from '../reflection/at-server.ts'
import { findByBeginning, findReflection } from '../reflection/find-reflection.ts'
import { renderColumns } from '../render/columns.ts'
import { jsonLine, localTime, tell } from '../render/output.ts'
import { shortId } from '../session/find-session.ts'
import { type CommandCall, parseOptions } from './command.ts'

const MembersOptions = z.object({
  set: z.string().optional(),
  change: z.string().optional(),
  namespaces: NamespacesOption,
  remove: z.string().optional(),
})

/** Lists and changes the members of a reflection. */
export async function reflectionMembers(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { set, change, namespaces, remove } = parseOptions(MembersOptions, call.options)
  if ((namespaces === undefined) !== (change === undefined) && set === undefined) throw halfAChange()
  const { client, screen, config } = await connectToServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const memberNamed = async (beginning: string) => {
    const members = await client.reflections.members(reflectionId)
    const known = members.map((member) => ({ ...member, id: member.personId }))
    const list = `parley reflections members ${shortId(reflectionId)}`
    return findByBeginning(known, beginning, { what: 'member', list })
  }
  if (set !== undefined) await client.reflections.setMember({ reflectionId, ...memberIn(set), namespaces })
  if (change !== undefined) {
    const { personId, role } = await memberNamed(change)
    await client.reflections.setMember({ reflectionId, personId, role, namespaces })
  }
  if (remove !== undefined) {
    const { personId } = await memberNamed(remove)
    await client.reflections.removeMember({ reflectionId, personId })
  }
  const items = await client.reflections.members(reflectionId)
  if (json) io.stdout.write(jsonLine({ items }))
  else {
    const rows = items.map(({ personId, role, label, namespaces: reads, invitedUntil }) => [
      personId,
      role,
      label,
      reads === 'all' ? 'all' : ['published', ...reads].join(', '),
      invitedUntil === undefined ? '' : localTime(invitedUntil),
    ])
    io.stdout.write(
      renderColumns(['PERSON', 'ROLE', 'NAME', 'CAN READ', 'INVITED UNTIL'], rows, screen.style),
    )
  }
  return EXIT.done
}

const WHO =
  '`parley tokens list` shows the ids of people, and `parley reflections invite` invites a new person.'

const halfAChange = () =>
  new PlatformError('validation', {
    message: 'To change what a member can read, use --change PERSON and --namespaces NAMES together.',
    mend: 'NAMES is all, or private folders separated by commas.',
  })

function memberIn(given: string) {
  const [person = '', role = ''] = given.split('=')
  const parsed = z.object({ personId: PersonId, role: MemberRole }).safeParse({ personId: person, role })
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message: `The option --set names a person and a role, not "${given}".`,
    mend: `Write it as per_…=ROLE, where ROLE is one of ${MemberRole.options.join(', ')}. ${WHO}`,
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
  const [given = '', ...names] = positionals
  const label = names.join(' ').trim()
  if ((label === '') === (again === undefined)) throw nobodyNamed()
  const { client, config } = await connectToServer(call)
  const reflection = await findReflection(client, given, config)
  const { id: reflectionId } = reflection
  const made =
    again === undefined
      ? await client.reflections.invite({ reflectionId, label, role, namespaces })
      : await client.reflections.inviteAgain({ reflectionId, personId: await memberNamed(again) })
  if (json) io.stdout.write(jsonLine(made))
  else {
    tell(io.stderr, inWords(made, reflection))
    io.stdout.write(`${made.url}\n`)
    if (isLocalUrl(made.url)) tell(io.stderr, LOCAL_LINK_NOTE)
  }
  return EXIT.done

  async function memberNamed(beginning: string) {
    const members = await client.reflections.members(reflectionId)
    const ids = members.map(({ personId }) => ({ id: personId }))
    const list = `parley reflections members ${shortId(reflectionId)}`
    return findByBeginning(ids, beginning, { what: 'member', list }).id
  }
}

function inWords(
  { personId, label, role, namespaces, expiresAt }: Invitation,
  { id, displayName, namespaces: all }: Reflection,
): string {
  const members = `parley reflections members ${shortId(id)}`
  const undo = `${members} --remove ${personId}`
  const isByList = role === 'viewer' || role === 'operator'
  const change = isByList ? ` Change that with: ${members} --change ${personId} --namespaces NAMES.` : ''
  return `${label} (${personId}) is ${role} of ${displayName}, with access to nothing else. ${label} ${formatReadAccess(namespaces, all)}.${change} Anyone with this link can sign in as ${label} until ${localTime(expiresAt)}. Revoke it with: ${undo}. It is shown only once:`
}

const nobodyNamed = () =>
  new PlatformError('validation', {
    message: 'An invitation needs a name, or --again with a person who was invited.',
  })

/** Leaves a reflection. */
export async function leaveReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, config } = await connectToServer(call)
  const { id, displayName } = await findReflection(client, positionals[0] ?? '', config)
  await client.reflections.leave(id)
  if (json) io.stdout.write(jsonLine({ id }))
  else tell(io.stdout, `You have left ${displayName}.`)
  return EXIT.done
}

const AuditOptions = z.object({ limit: LimitOption })

/** Lists the changes to a reflection, latest first. */
export async function auditReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit } = parseOptions(AuditOptions, call.options)
  const { client, screen, config } = await connectToServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items, more } = await readUpTo(limit, (page) => client.reflections.audit({ ...page, reflectionId }))
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) tell(io.stdout, 'No changes yet.')
  else {
    const members = await client.reflections.members(reflectionId)
    const labels = new Map(members.map(({ personId, label }) => [personId, label]))
    const rows = items.map(({ at, who, what, target = '' }) => [
      localTime(at),
      labels.get(who) ?? who,
      what.replaceAll('_', ' '),
      target,
    ])
    const room = { columns: screen.columns, yielding: [1] }
    io.stdout.write(renderColumns(['WHEN', 'WHO', 'WHAT', 'ITEM'], rows, screen.style, room))
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}
