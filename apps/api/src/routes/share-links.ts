import { createHash, randomBytes } from 'node:crypto'
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import {
  CONVERSATIONS,
  CreateShareLink,
  CreatedShareLink,
  MobileSessionResponse,
  PlatformError,
  ReflectionRef,
  ShareLinkList,
  ShareLinkRef,
  ShareTokenRef,
  SharedReflection,
  StartVisit,
  StartedSession,
  VoiceSessionResponse,
} from '@parley/contracts'
import { lookOfLink } from '@parley/reflections'
import type { Api } from '../api.ts'
import { isOurPage } from '../auth/credential-of.ts'
import { hashToken } from '../auth/hash-token.ts'
import { setPageCookie } from '../auth/page-cookie.ts'
import { reflectionSessionsOf } from '../reflections/reflection-sessions.ts'
import { createVisits, noSuchLink } from '../reflections/visitors.ts'
import type { Services } from '../services.ts'
import { body, json, problems } from './describe.ts'
import { originOf } from './origin-of.ts'

/** Links that let anybody talk with a reflection: made, listed and revoked by its admins. */
export function shareLinkRoutes(app: Api, services: Services) {
  const { shareLinks, sessions, publicUrl, logger } = services
  app.openapi(CREATE, async (c) => {
    const { expiresAt, ...wanted } = c.req.valid('json')
    const { id: reflectionId } = c.get('reflection')
    if (wanted.namespaces?.includes(CONVERSATIONS)) throw neverPublished()
    const token = `shr_${randomBytes(32).toString('base64url')}`
    const link = await shareLinks.create(
      {
        reflectionId,
        tokenHash: hashToken(token),
        ...wanted,
        ...(expiresAt !== undefined && { expiresAt: timeToCome(expiresAt) }),
      },
      c.get('caller').personId,
    )
    return c.json({ ...link, token, url: `${originOf(c, publicUrl)}/r/${token}` }, 201)
  })

  app.openapi(LIST, async (c) => {
    return c.json({ items: [...(await shareLinks.list(c.get('reflection').id))] }, 200)
  })

  app.openapi(REVOKE, async (c) => {
    const { linkId } = c.req.valid('param')
    const on = await shareLinks.revoke(c.get('reflection').id, linkId, c.get('caller').personId)
    if (!on) {
      throw new PlatformError('not_found', {
        message: `There is no share link ${linkId} of this reflection. GET …/share-links lists them.`,
      })
    }
    // Their visitors are nobody already; what still runs for them is only stopped from costing more.
    const cancelled = await Promise.allSettled(on.map((sessionId) => sessions.cancel(sessionId)))
    for (const one of cancelled) {
      if (one.status === 'rejected') logger.warn({ err: one.reason, linkId }, 'a visitor’s turn goes on')
    }
    await reflectionSessionsOf(services).hangUp(on)
    return c.body(null, 204)
  })
}

const neverPublished = () =>
  new PlatformError('namespace_reserved', {
    message: `namespaces: ${CONVERSATIONS} holds what was said in sessions and is never published, so a link cannot reach it. Leave it out.`,
  })

function timeToCome(wanted: string): string {
  const at = Date.parse(wanted)
  if (at > Date.now()) return new Date(at).toISOString()
  throw new PlatformError('validation', { message: 'expiresAt: must be a time to come.' })
}

const CREATE = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/share-links',
  summary: 'Make a link that lets anybody talk with it',
  description:
    'What a visitor reaches is what is published at that moment, of the namespaces that are named; of all where none is. ' +
    'A use is a session that started.',
  request: { params: ReflectionRef, body: body(CreateShareLink) },
  responses: { 201: json(CreatedShareLink, 'The link with its token, shown this once'), ...problems },
})

const LIST = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/share-links',
  summary: 'Its links, latest first; never their tokens',
  request: { params: ReflectionRef },
  responses: { 200: json(ShareLinkList, 'The links'), ...problems },
})

const REVOKE = createRoute({
  method: 'delete',
  path: '/v1/reflections/{reflectionId}/share-links/{linkId}',
  summary: 'Revoke a link; its visitors are out at once',
  request: { params: ShareLinkRef },
  responses: { 204: { description: 'It is revoked' }, ...problems },
})

const LOOK = createRoute({
  method: 'get',
  path: '/v1/r/{token}',
  summary: 'Whom a link lets you talk with',
  request: { params: ShareTokenRef },
  responses: { 200: json(SharedReflection, 'Who it is, and how to talk with them'), ...problems },
})

const LOOK_MOBILE = createRoute({ ...LOOK, path: '/v1/mobile/r/{token}' })

/** Its token is for this one session; a page of ours has a cookie in its place. Only the mobile app is told the provider's own id of a call. */
const STARTED = z.union([
  VoiceSessionResponse.extend({ token: z.string().optional() }),
  MobileSessionResponse.extend({ token: z.string().optional() }),
  StartedSession.extend({ token: z.string().optional() }),
])

const VISIT = createRoute({
  method: 'post',
  path: '/v1/r/{token}/sessions',
  summary: 'Start a session through a link, without a token of your own',
  description:
    'The `token` of the answer is for this one session, for as long as it is on. A page of ours is also given a cookie for it, and sends `x-parley-as: visitor`.',
  request: { params: ShareTokenRef, body: body(StartVisit) },
  responses: { 201: json(STARTED, 'The session'), ...problems },
})

const VISIT_MOBILE = createRoute({
  method: 'post',
  path: '/v1/mobile/r/{token}/sessions',
  summary: 'The same for the mobile app',
  request: { params: ShareTokenRef, body: body(StartVisit) },
  responses: { 201: json(STARTED, 'The session'), ...problems },
})

/** What anybody may do who has a link: see whose it is, and start a session. */
export function shareVisitRoutes(app: Api, services: Services) {
  const { shareLinks, reflections, runtime } = services
  const hasVoiceProvider = services.voice !== undefined
  const visit = createVisits(services)

  const look = async (token: string) => {
    const link = await shareLinks.look(hashToken(token))
    const reflection = link && (await reflections.find(link.reflectionId))
    if (!link || !reflection) throw noSuchLink()
    const promoted = await runtime.promoted(reflection.id, 'public')
    return lookOfLink({ link, reflection, promoted, hasVoiceProvider }, sha256)
  }

  app.openapi(LOOK, async (c) => c.json(await look(c.req.valid('param').token), 200))
  app.openapi(LOOK_MOBILE, async (c) => c.json(await look(c.req.valid('param').token), 200))

  app.openapi(VISIT, async (c) => {
    const started = await visit({ ...c.req.valid('json'), ...c.req.valid('param'), shape: 'web' })
    if (!isOurPage(c)) return c.json(started, 201)
    const { token, ...told } = started
    const path = `/v1/sessions/${started.sessionId}`
    setPageCookie(c, 'visit', { secret: token, path, seconds: VISIT_SECONDS })
    return c.json(told, 201)
  })

  app.openapi(VISIT_MOBILE, async (c) =>
    c.json(await visit({ ...c.req.valid('json'), ...c.req.valid('param'), shape: 'mobile' }), 201),
  )
}

/** Longer than any visit is on. */
const VISIT_SECONDS = 24 * 3600

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
