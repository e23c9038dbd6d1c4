import {
  type Member,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type SetMember,
} from '@parley/contracts'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import { mayChangeMember } from '../auth/may-change-member.ts'
import { newPerson } from '../auth/new-person.ts'
import type { Services } from '../services.ts'
import {
  ADD_MEMBER,
  INVITE,
  INVITE_AGAIN,
  LEAVE,
  MEMBERS,
  REMOVE_MEMBER,
  SET_MEMBER,
} from './member-routes-described.ts'
import { originOf } from './origin-of.ts'

/** Who may do what with a reflection. */
export function memberRoutes(app: Api, { reflections, publicUrl }: Services) {
  app.openapi(MEMBERS, async (c) => {
    return c.json({ items: [...(await reflections.members(c.get('reflection').id))] }, 200)
  })

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
  app.openapi(SET_MEMBER, async (c) => c.json(await setMember(c, c.req.valid('json')), 200))
  app.openapi(ADD_MEMBER, async (c) => c.json(await setMember(c, c.req.valid('json')), 200))

  app.openapi(REMOVE_MEMBER, async (c) => {
    const { id } = c.get('reflection')
    const { personId } = c.req.valid('param')
    mayChangeMember(c.get('memberRole'), await reflections.members(id), { personId })
    await reflections.removeMember(id, personId, c.get('caller').personId)
    return c.body(null, 204)
  })

  app.openapi(INVITE, async (c) => {
    const { id } = c.get('reflection')
    const { label, role, namespaces } = c.req.valid('json')
    const { personId, token, tokenHash, expiresAt } = newPerson()
    mayChangeMember(c.get('memberRole'), [], { personId, role })
    const invited = { personId, label, role, namespaces, tokenHash, expiresAt }
    await reflections.invite(id, invited, c.get('caller').personId)
    const url = linkTo(originOf(c, publicUrl), id, token)
    return c.json({ ...(await memberNow(id, personId)), url, expiresAt }, 201)
  })

  app.openapi(INVITE_AGAIN, async (c) => {
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
  })

  app.openapi(LEAVE, async (c) => {
    const { id } = c.get('reflection')
    const { personId } = c.get('caller')
    const members = await reflections.members(id)
    if (!members.some((member) => member.personId === personId)) throw noMember()
    mayChangeMember(c.get('memberRole'), members, { personId })
    await reflections.removeMember(id, personId, personId)
    return c.body(null, 204)
  })
}

/** Where it leads, who has the token is signed in. */
const linkTo = (origin: string, reflectionId: ReflectionId, token: string): string =>
  `${origin}/reflections/${reflectionId}#token=${token}`

/** The server's owner may do all with a reflection that they are no member of. */
const noMember = () =>
  new PlatformError('validation', {
    message: 'You are no member of this reflection, so there is nothing to leave.',
  })
