import type { Handlers } from './register-endpoints.ts'
import { createShareLink, describeLink, createInvalidLinkError, revokeShareLink } from '@parley/reflections'
import { isOurPage } from '../auth/read-credential.ts'
import { createToken, hashToken } from '../auth/tokens.ts'
import { setPageCookie } from '../auth/page-cookie.ts'
import { sha256 } from '../node-host.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'
import { createVisitStarter } from '../reflections/visitors.ts'
import type { Services } from '../services.ts'
import { getLinkOrigin } from '../request-origin.ts'

/** Share links: created, listed and revoked by a reflection's admins. */
export function createShareLinkHandlers(services: Services) {
  const { shareLinks, publicUrl } = services
  const host = toReflectionHost(services)

  return {
    createShareLink: async (c) => {
      const { id: reflectionId } = c.get('reflection')
      const { token, tokenHash } = createToken('shr')
      const link = await createShareLink(
        { ...c.req.valid('json'), reflectionId, tokenHash },
        c.get('caller').personId,
        services,
      )
      return c.json({ ...link, token, url: `${getLinkOrigin(c, publicUrl)}/r/${token}` }, 201)
    },

    listShareLinks: async (c) => {
      return c.json({ items: [...(await shareLinks.list(c.get('reflection').id))] }, 200)
    },

    revokeShareLink: async (c) => {
      const { linkId } = c.req.valid('param')
      const { personId } = c.get('caller')
      await revokeShareLink(c.get('reflection').id, linkId, personId, host)
      return c.body(null, 204)
    },
  } satisfies Partial<Handlers>
}

/** Share links: anybody with the link sees the reflection and starts a session. */
export function createShareVisitHandlers(services: Services) {
  const { shareLinks, reflections, runtime } = services
  const hasVoiceProvider = services.voice !== undefined
  const visit = createVisitStarter(services)

  const describe = async (token: string) => {
    const link = await shareLinks.findUsable(hashToken(token))
    const reflection = link && (await reflections.find(link.reflectionId))
    if (!link || !reflection) throw createInvalidLinkError()
    const promoted = await runtime.readPromoted(reflection.id, 'public')
    return describeLink({ link, reflection, promoted, hasVoiceProvider }, sha256)
  }

  return {
    getSharedReflection: async (c) => c.json(await describe(c.req.valid('param').token), 200),

    getMobileSharedReflection: async (c) => c.json(await describe(c.req.valid('param').token), 200),

    visitReflection: async (c) => {
      const started = await visit({ ...c.req.valid('json'), ...c.req.valid('param'), client: 'web' })
      if (!isOurPage(c)) return c.json(started, 201)
      const { token, ...response } = started
      const path = `/v1/sessions/${started.sessionId}`
      setPageCookie(c, 'visit', { secret: token, path, seconds: VISIT_SECONDS })
      return c.json(response, 201)
    },

    visitMobileReflection: async (c) =>
      c.json(await visit({ ...c.req.valid('json'), ...c.req.valid('param'), client: 'mobile' }), 201),
  } satisfies Partial<Handlers>
}

/** Longer than any visit lasts. */
const VISIT_SECONDS = 24 * 3600
