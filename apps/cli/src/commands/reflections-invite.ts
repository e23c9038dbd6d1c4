import {
  type Invitation,
  isLocalUrl,
  LOCAL_LINK_NOTE,
  MemberRole,
  PlatformError,
  readsInWords,
  type Reflection,
} from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findByBeginning } from '../reflection/find-by-beginning.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { NamespacesOption } from '../reflection/namespaces-option.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const InviteOptions = z.object({
  role: MemberRole.default('viewer'),
  namespaces: NamespacesOption,
  again: z.string().optional(),
})

/** Makes a new person a member of a reflection, or gives one a new link. The link alone goes to standard output, so that it can be passed on. */
export async function inviteToReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { role, namespaces, again } = parseOptions(InviteOptions, call.options)
  const [given = '', ...names] = positionals
  const label = names.join(' ').trim()
  if ((label === '') === (again === undefined)) throw nobodyNamed()
  const { client, config } = await atServer(call)
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
  return `${label} (${personId}) is ${role} of ${displayName}, and reaches nothing else. ${label} ${readsInWords(namespaces, all)}.${change} Whoever has this link is ${label}, until ${localTime(expiresAt)}. Revoke it with: ${undo}. It is shown this once:`
}

const nobodyNamed = () =>
  new PlatformError('validation', {
    message: 'An invitation names whom it is for: a new person, or with --again one who was invited.',
  })
