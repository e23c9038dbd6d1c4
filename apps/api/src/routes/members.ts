import type { Handlers } from './handlers.ts'
import type { Context } from 'hono'
import { Member, type PersonId, PlatformError, type ReflectionId, SetMember } from '@parley/contracts'
import { checkMemberChange, decideTokenExpiry } from '@parley/reflections'
import type { ApiEnv } from '../api-env.ts'
import { createPerson, createToken } from '../auth/tokens.ts'
import type { Services } from '../services.ts'
import { getLinkOrigin } from '../request-origin.ts'

/** The members of a reflection and their invitations. */
export function createMemberHandlers({ reflections, publicUrl, now }: Services) {
  const setMember = async (c: Context<ApiEnv>, change: SetMember): Promise<Member> => {
    const { id } = c.get('reflection')
    checkMemberChange(c.get('memberRole'), await reflections.listMembers(id), change)
    await reflections.setMember(id, change, c.get('caller').personId)
    return memberNow(id, change.personId)
  }
  const memberNow = async (id: ReflectionId, personId: PersonId): Promise<Member> => {
    const member = (await reflections.listMembers(id)).find((one) => one.personId === personId)
    if (member) return member
    throw new PlatformError('not_found', {
      message: `${personId} was removed from this reflection by somebody else.`,
    })
  }

  return {
    listMembers: async (c) => {
      return c.json({ items: [...(await reflections.listMembers(c.get('reflection').id))] }, 200)
    },

    setMember: async (c) => c.json(await setMember(c, c.req.valid('json')), 200),

    addMember: async (c) => c.json(await setMember(c, c.req.valid('json')), 200),

    removeMember: async (c) => {
      const { id } = c.get('reflection')
      const { personId } = c.req.valid('param')
      checkMemberChange(c.get('memberRole'), await reflections.listMembers(id), { personId })
      await reflections.removeMember(id, personId, c.get('caller').personId)
      return c.body(null, 204)
    },

    inviteMember: async (c) => {
      const { id } = c.get('reflection')
      const { label, role, namespaces } = c.req.valid('json')
      const { personId, token, tokenHash } = createPerson()
      const expiresAt = decideTokenExpiry(undefined, now())
      checkMemberChange(c.get('memberRole'), [], { personId, role })
      const invited = { personId, label, role, namespaces, tokenHash, expiresAt }
      await reflections.invite(id, invited, c.get('caller').personId)
      const url = createInvitationUrl(getLinkOrigin(c, publicUrl), id, token)
      return c.json({ ...(await memberNow(id, personId)), url, expiresAt }, 201)
    },

    renewInvitation: async (c) => {
      const { id } = c.get('reflection')
      const { personId } = c.req.valid('param')
      const members = await reflections.listMembers(id)
      const role = members.find((member) => member.personId === personId)?.role ?? 'viewer'
      checkMemberChange(c.get('memberRole'), members, { personId, role })
      const { token, tokenHash } = createToken('parley')
      const expiresAt = decideTokenExpiry(undefined, now())
      const invited = { personId, tokenHash, expiresAt }
      await reflections.inviteAgain(id, invited, c.get('caller').personId)
      return c.json(
        {
          ...(await memberNow(id, personId)),
          url: createInvitationUrl(getLinkOrigin(c, publicUrl), id, token),
          expiresAt,
        },
        201,
      )
    },

    leaveReflection: async (c) => {
      const { id } = c.get('reflection')
      const { personId } = c.get('caller')
      const members = await reflections.listMembers(id)
      if (!members.some((member) => member.personId === personId)) throw createNotMemberError()
      checkMemberChange(c.get('memberRole'), members, { personId })
      await reflections.removeMember(id, personId, personId)
      return c.body(null, 204)
    },
  } satisfies Partial<Handlers>
}

/** The link signs in whoever opens it. */
const createInvitationUrl = (origin: string, reflectionId: ReflectionId, token: string): string =>
  `${origin}/reflections/${reflectionId}#token=${token}`

/** The server's owner may change a reflection without being its member. */
const createNotMemberError = () =>
  new PlatformError('validation', {
    message: 'You are not a member of this reflection.',
  })
