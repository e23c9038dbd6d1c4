import type { Handlers } from './handlers.ts'
import type { Context } from 'hono'
import { Member, type PersonId, PlatformError, type ReflectionId, SetMember } from '@parley/contracts'
import type { ApiEnv } from '../api.ts'
import { mayChangeMember } from '../auth/may-change.ts'
import { newPerson } from '../auth/new-person.ts'
import type { Services } from '../services.ts'
import { originOf } from './origin-of.ts'

/** Who may do what with a reflection. */
export function memberHandlers({ reflections, publicUrl }: Services) {
  const setMember = async (c: Context<ApiEnv>, wanted: SetMember): Promise<Member> => {
    const { id } = c.get('reflection')
    mayChangeMember(c.get('memberRole'), await reflections.members(id), wanted)
    await reflections.setMember(id, wanted, c.get('caller').personId)
    return memberNow(id, wanted.personId)
  }
  const memberNow = async (id: ReflectionId, personId: PersonId): Promise<Member> => {
    const member = (await reflections.members(id)).find((one) => one.personId === personId)
    if (member) return member
    throw new PlatformError('not_found', {
      message: `${personId} was removed from this reflection meanwhile.`,
    })
  }

  return {
    listMembers: async (c) => {
      return c.json({ items: [...(await reflections.members(c.get('reflection').id))] }, 200)
    },

    setMember: async (c) => c.json(await setMember(c, c.req.valid('json')), 200),

    addMember: async (c) => c.json(await setMember(c, c.req.valid('json')), 200),

    removeMember: async (c) => {
      const { id } = c.get('reflection')
      const { personId } = c.req.valid('param')
      mayChangeMember(c.get('memberRole'), await reflections.members(id), { personId })
      await reflections.removeMember(id, personId, c.get('caller').personId)
      return c.body(null, 204)
    },

    inviteMember: async (c) => {
      const { id } = c.get('reflection')
      const { label, role, namespaces } = c.req.valid('json')
      const { personId, token, tokenHash, expiresAt } = newPerson()
      mayChangeMember(c.get('memberRole'), [], { personId, role })
      const invited = { personId, label, role, namespaces, tokenHash, expiresAt }
      await reflections.invite(id, invited, c.get('caller').personId)
      const url = linkTo(originOf(c, publicUrl), id, token)
      return c.json({ ...(await memberNow(id, personId)), url, expiresAt }, 201)
    },

    renewInvitation: async (c) => {
      const { id } = c.get('reflection')
      const { personId } = c.req.valid('param')
      const members = await reflections.members(id)
      const role = members.find((member) => member.personId === personId)?.role ?? 'viewer'
      mayChangeMember(c.get('memberRole'), members, { personId, role })
      const { token, tokenHash, expiresAt } = newPerson()
      const invited = { personId, tokenHash, expiresAt }
      await reflections.inviteAgain(id, invited, c.get('caller').personId)
      return c.json(
        { ...(await memberNow(id, personId)), url: linkTo(originOf(c, publicUrl), id, token), expiresAt },
        201,
      )
    },

    leaveReflection: async (c) => {
      const { id } = c.get('reflection')
      const { personId } = c.get('caller')
      const members = await reflections.members(id)
      if (!members.some((member) => member.personId === personId)) throw noMember()
      mayChangeMember(c.get('memberRole'), members, { personId })
      await reflections.removeMember(id, personId, personId)
      return c.body(null, 204)
    },
  } satisfies Partial<Handlers>
}

/** Where it leads, who has the token is signed in. */
const linkTo = (origin: string, reflectionId: ReflectionId, token: string): string =>
  `${origin}/reflections/${reflectionId}#token=${token}`

/** The server's owner may do all with a reflection that they are no member of. */
const noMember = () =>
  new PlatformError('validation', {
    message: 'You are no member of this reflection, so there is nothing to leave.',
  })
