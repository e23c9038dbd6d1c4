import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import {
  Invitation,
  InviteMember,
  Member,
  MemberList,
  MemberRef,
  NothingMore,
  type PersonId,
  PlatformError,
  type ReflectionId,
  ReflectionRef,
  SetMember,
} from '@parley/contracts'
import type { Api, ApiEnv } from '../api.ts'
import { mayChangeMember } from '../auth/may-change.ts'
import { newPerson } from '../auth/new-person.ts'
import type { Services } from '../services.ts'
import { storable } from '../storable.ts'
import { body, json, problems } from './describe.ts'
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

const READS =
  'A viewer or operator reads the published namespaces and those that `namespaces` lists: none where a new member has no list; ' +
  'with `all` every private one, `conversations` too. Owners and admins read all.'

const MEMBERS = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/members',
  summary: 'Who may do what with it',
  request: { params: ReflectionRef },
  responses: { 200: json(MemberList, 'Its members'), ...problems },
})

const SET_MEMBER = createRoute({
  method: 'put',
  path: '/v1/reflections/{reflectionId}/members',
  summary: 'Make a person a member, or give a member another role; at most your own',
  description: READS,
  request: { params: ReflectionRef, body: body(SetMember) },
  responses: { 200: json(Member, 'The member'), ...problems },
})

const ADD_MEMBER = createRoute({
  ...SET_MEMBER,
  method: 'post',
  description: `The same as PUT. ${READS}`,
})

const REMOVE_MEMBER = createRoute({
  method: 'delete',
  path: '/v1/reflections/{reflectionId}/members/{personId}',
  summary: 'Let a person be a member no more',
  description: 'Who was invited, and is a member of nothing else then, is signed out for good.',
  request: { params: MemberRef },
  responses: { 204: { description: 'They are no member' }, ...problems },
})

const INVITE = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/invitations',
  summary: 'Invite a new person, in at most your own role',
  description:
    'The answer has a link that signs them in, for 90 days. They are a member of this reflection, and reach nothing else of the server. ' +
    `To take it back, remove the member. ${READS}`,
  request: { params: ReflectionRef, body: body(storable(InviteMember)) },
  responses: { 201: json(Invitation, 'The member, and their link, shown this once'), ...problems },
})

const INVITE_AGAIN = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/members/{personId}/link',
  summary: 'Give who was invited a new link, for the same account',
  description:
    'For 90 days again; the link that they had, and where they were signed in with it, ends at once. Only for who is a member ' +
    'of this reflection alone.',
  request: { params: MemberRef, body: body(NothingMore) },
  responses: { 201: json(Invitation, 'The member, and their new link, shown this once'), ...problems },
})

const LEAVE = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/leave',
  summary: 'Be a member no more',
  description:
    'Who was invited, and is a member of nothing else then, is signed out for good. The only owner stays.',
  request: { params: ReflectionRef, body: body(NothingMore) },
  responses: { 204: { description: 'You are no member' }, ...problems },
})
