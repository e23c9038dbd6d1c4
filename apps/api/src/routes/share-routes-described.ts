import { createRoute } from '@hono/zod-openapi'
import {
  CreatedShareLink,
  CreateShareLink,
  MobileSessionResponse,
  ReflectionRef,
  StartedSession,
  SharedReflection,
  ShareLinkList,
  ShareLinkRef,
  ShareTokenRef,
  StartVisit,
  VoiceSessionResponse,
} from '@parley/contracts'
import { z } from 'zod'
import { body, json, problems } from './describe.ts'

export const CREATE = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/share-links',
  summary: 'Make a link that lets anybody talk with it',
  description:
    'What a visitor reaches is what is published at that moment, of the namespaces that are named; of all where none is. ' +
    'A use is a session that started.',
  request: { params: ReflectionRef, body: body(CreateShareLink) },
  responses: { 201: json(CreatedShareLink, 'The link with its token, shown this once'), ...problems },
})

export const LIST = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/share-links',
  summary: 'Its links, latest first; never their tokens',
  request: { params: ReflectionRef },
  responses: { 200: json(ShareLinkList, 'The links'), ...problems },
})

export const REVOKE = createRoute({
  method: 'delete',
  path: '/v1/reflections/{reflectionId}/share-links/{linkId}',
  summary: 'Revoke a link; its visitors are out at once',
  request: { params: ShareLinkRef },
  responses: { 204: { description: 'It is revoked' }, ...problems },
})

export const LOOK = createRoute({
  method: 'get',
  path: '/v1/r/{token}',
  summary: 'Whom a link lets you talk with',
  request: { params: ShareTokenRef },
  responses: { 200: json(SharedReflection, 'Who it is, and how to talk with them'), ...problems },
})

export const LOOK_MOBILE = createRoute({ ...LOOK, path: '/v1/mobile/r/{token}' })

/** Its token is for this one session; a page of ours has a cookie in its place. Only the mobile app is told the provider's own id of a call. */
const STARTED = z.union([
  VoiceSessionResponse.extend({ token: z.string().optional() }),
  MobileSessionResponse.extend({ token: z.string().optional() }),
  StartedSession.extend({ token: z.string().optional() }),
])

export const VISIT = createRoute({
  method: 'post',
  path: '/v1/r/{token}/sessions',
  summary: 'Start a session through a link, without a token of your own',
  description:
    'The `token` of the answer is for this one session, for as long as it is on. A page of ours is also given a cookie for it, and sends `x-parley-as: visitor`.',
  request: { params: ShareTokenRef, body: body(StartVisit) },
  responses: { 201: json(STARTED, 'The session'), ...problems },
})

export const VISIT_MOBILE = createRoute({
  method: 'post',
  path: '/v1/mobile/r/{token}/sessions',
  summary: 'The same for the mobile app',
  request: { params: ShareTokenRef, body: body(StartVisit) },
  responses: { 201: json(STARTED, 'The session'), ...problems },
})
