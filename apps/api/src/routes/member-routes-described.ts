import { createRoute } from '@hono/zod-openapi'
import {
  Invitation,
  InviteMember,
  Member,
  MemberList,
  MemberRef,
  NothingMore,
  ReflectionRef,
  SetMember,
} from '@parley/contracts'
import { storable } from '../storable.ts'
import { body, json, problems } from './describe.ts'

const READS =
  'A viewer or operator reads the published namespaces and those that `namespaces` lists: none where a new member has no list; ' +
  'with `all` every private one, `conversations` too. Owners and admins read all.'

export const MEMBERS = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/members',
  summary: 'Who may do what with it',
  request: { params: ReflectionRef },
  responses: { 200: json(MemberList, 'Its members'), ...problems },
})

export const SET_MEMBER = createRoute({
  method: 'put',
  path: '/v1/reflections/{reflectionId}/members',
  summary: 'Make a person a member, or give a member another role; at most your own',
  description: READS,
  request: { params: ReflectionRef, body: body(SetMember) },
  responses: { 200: json(Member, 'The member'), ...problems },
})

export const ADD_MEMBER = createRoute({
  ...SET_MEMBER,
  method: 'post',
  description: `The same as PUT. ${READS}`,
})

export const REMOVE_MEMBER = createRoute({
  method: 'delete',
  path: '/v1/reflections/{reflectionId}/members/{personId}',
  summary: 'Let a person be a member no more',
  description: 'Who was invited, and is a member of nothing else then, is signed out for good.',
  request: { params: MemberRef },
  responses: { 204: { description: 'They are no member' }, ...problems },
})

export const INVITE = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/invitations',
  summary: 'Invite a new person, in at most your own role',
  description:
    'The answer has a link that signs them in, for 90 days. They are a member of this reflection, and reach nothing else of the server. ' +
    `To take it back, remove the member. ${READS}`,
  request: { params: ReflectionRef, body: body(storable(InviteMember)) },
  responses: { 201: json(Invitation, 'The member, and their link, shown this once'), ...problems },
})

export const INVITE_AGAIN = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/members/{personId}/link',
  summary: 'Give who was invited a new link, for the same account',
  description:
    'For 90 days again; the link that they had, and where they were signed in with it, ends at once. Only for who is a member ' +
    'of this reflection alone.',
  request: { params: MemberRef, body: body(NothingMore) },
  responses: { 201: json(Invitation, 'The member, and their new link, shown this once'), ...problems },
})

export const LEAVE = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/leave',
  summary: 'Be a member no more',
  description:
    'Who was invited, and is a member of nothing else then, is signed out for good. The only owner stays.',
  request: { params: ReflectionRef, body: body(NothingMore) },
  responses: { 204: { description: 'You are no member' }, ...problems },
})
