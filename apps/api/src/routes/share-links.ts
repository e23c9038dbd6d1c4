import { randomBytes } from 'node:crypto'
import { CONVERSATIONS, PlatformError } from '@parley/contracts'
import type { Api } from '../api.ts'
import { hashToken } from '../auth/hash-token.ts'
import type { Services } from '../services.ts'
import { reflectionSessionsOf } from '../voice/reflection-sessions.ts'
import { originOf } from './origin-of.ts'
import { CREATE, LIST, REVOKE } from './share-routes-described.ts'

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
