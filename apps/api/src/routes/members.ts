import type { Handlers } from './register-endpoints.ts'
import type { Context } from 'hono'
import type { ReflectionId, SetMember } from '@parley/contracts'
import { inviteMember, leaveReflection, removeMember, renewInvitation, setMember } from '@parley/reflections'
import type { ApiEnv } from '../api-env.ts'
import { getMember } from '../auth/admit-caller.ts'
import { createPerson, createToken } from '../auth/tokens.ts'
import type { Services } from '../services.ts'
import { getLinkOrigin } from '../request-origin.ts'

/** The members of a reflection and their invitations. */
export function createMemberHandlers(services: Services) {
  const { reflections, publicUrl } = services
  const set = (c: Context<ApiEnv>, change: SetMember) =>
    setMember(getMember(c, reflections), change, reflections)

  return {
    listMembers: async (c) => {
      return c.json({ items: [...(await reflections.listMembers(c.get('reflection').id))] }, 200)
    },

    setMember: async (c) => c.json(await set(c, c.req.valid('json')), 200),

    addMember: async (c) => c.json(await set(c, c.req.valid('json')), 200),

    removeMember: async (c) => {
      await removeMember(getMember(c, reflections), c.req.valid('param').personId, reflections)
      return c.body(null, 204)
    },

    inviteMember: async (c) => {
      const { token, ...person } = createPerson()
      const member = getMember(c, reflections)
      const { expiresAt, ...invited } = await inviteMember(
        member,
        { ...c.req.valid('json'), ...person },
        services,
      )
      const url = createInvitationUrl(getLinkOrigin(c, publicUrl), member.reflectionId, token)
      return c.json({ ...invited, url, expiresAt }, 201)
    },

    renewInvitation: async (c) => {
      const { personId } = c.req.valid('param')
      const { token, tokenHash } = createToken('parley')
      const member = getMember(c, reflections)
      const { expiresAt, ...invited } = await renewInvitation(member, { personId, tokenHash }, services)
      const url = createInvitationUrl(getLinkOrigin(c, publicUrl), member.reflectionId, token)
      return c.json({ ...invited, url, expiresAt }, 201)
    },

    leaveReflection: async (c) => {
      await leaveReflection(getMember(c, reflections), reflections)
      return c.body(null, 204)
    },
  } satisfies Partial<Handlers>
}

/** The link signs in whoever opens it. */
const createInvitationUrl = (origin: string, reflectionId: ReflectionId, token: string): string =>
  `${origin}/reflections/${reflectionId}#token=${token}`
