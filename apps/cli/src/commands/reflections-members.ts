import { MemberRole, PersonId, PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { renderColumns } from '../config/render-columns.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findByBeginning } from '../reflection/find-by-beginning.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { NamespacesOption } from '../reflection/namespaces-option.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const MembersOptions = z.object({
  set: z.string().optional(),
  change: z.string().optional(),
  namespaces: NamespacesOption,
  remove: z.string().optional(),
})

/** Lists who may do what with a reflection, and changes it. */
export async function reflectionMembers(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { set, change, namespaces, remove } = parseOptions(MembersOptions, call.options)
  if ((namespaces === undefined) !== (change === undefined) && set === undefined) throw halfAChange()
  const { client, screen, config } = await atServer(call)
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
  '`parley tokens list` shows the ids of people, and `parley reflections invite` lets a new person in.'

const halfAChange = () =>
  new PlatformError('validation', {
    message: 'What a member reads is changed with --change PERSON --namespaces NAMES, both together.',
    mend: 'NAMES is all, or the private namespaces with commas between them.',
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
