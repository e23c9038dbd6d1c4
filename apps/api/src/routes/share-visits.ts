import { createHash } from 'node:crypto'
import { lookOfLink } from '@parley/reflections'
import type { Api } from '../api.ts'
import { hashToken } from '../auth/hash-token.ts'
import { isOurPage } from '../auth/credential-of.ts'
import { setPageCookie } from '../auth/page-cookie.ts'
import type { Services } from '../services.ts'
import { createVisits, noSuchLink } from '../voice/visitor-start.ts'
import { LOOK, LOOK_MOBILE, VISIT, VISIT_MOBILE } from './share-routes-described.ts'

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
