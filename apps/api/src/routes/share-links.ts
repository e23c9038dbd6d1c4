import type { Handlers } from './handlers.ts'
import { createHash, randomBytes } from 'node:crypto'
import { CONVERSATIONS, PlatformError } from '@parley/contracts'
import { lookOfLink } from '@parley/reflections'
import { isOurPage } from '../auth/credential-of.ts'
import { hashToken } from '../auth/hash-token.ts'
import { setPageCookie } from '../auth/page-cookie.ts'
import { reflectionSessionsOf } from '../reflections/reflection-sessions.ts'
import { createVisits, noSuchLink } from '../reflections/visitors.ts'
import type { Services } from '../services.ts'
import { originOf } from './origin-of.ts'

/** Links that let anybody talk with a reflection: made, listed and revoked by its admins. */
export function shareLinkHandlers(services: Services) {
  const { shareLinks, sessions, publicUrl, logger } = services

  return {
    createShareLink: async (c) => {
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
    },

    listShareLinks: async (c) => {
      return c.json({ items: [...(await shareLinks.list(c.get('reflection').id))] }, 200)
    },

    revokeShareLink: async (c) => {
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
    },
  } satisfies Partial<Handlers>
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

/** What anybody may do who has a link: see whose it is, and start a session. */
export function shareVisitHandlers(services: Services) {
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

  return {
    getSharedReflection: async (c) => c.json(await look(c.req.valid('param').token), 200),

    getMobileSharedReflection: async (c) => c.json(await look(c.req.valid('param').token), 200),

    visitReflection: async (c) => {
      const started = await visit({ ...c.req.valid('json'), ...c.req.valid('param'), shape: 'web' })
      if (!isOurPage(c)) return c.json(started, 201)
      const { token, ...told } = started
      const path = `/v1/sessions/${started.sessionId}`
      setPageCookie(c, 'visit', { secret: token, path, seconds: VISIT_SECONDS })
      return c.json(told, 201)
    },

    visitMobileReflection: async (c) =>
      c.json(await visit({ ...c.req.valid('json'), ...c.req.valid('param'), shape: 'mobile' }), 201),
  } satisfies Partial<Handlers>
}

/** Longer than any visit is on. */
const VISIT_SECONDS = 24 * 3600

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
