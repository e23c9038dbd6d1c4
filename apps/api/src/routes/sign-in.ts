import { randomBytes } from 'node:crypto'
import { createRoute } from '@hono/zod-openapi'
import { Me, MySettings, SignIn } from '@parley/contracts'
import type { Api } from '../api.ts'
import { authenticate } from '../auth/authenticate.ts'
import { refuseForeignPages } from '../auth/credential-of.ts'
import { hashToken } from '../auth/hash-token.ts'
import { toMe } from '../auth/me-of.ts'
import { dropPageCookie, readPageCookie, setPageCookie } from '../auth/page-cookie.ts'
import type { Services } from '../services.ts'
import { body, json, problems } from './describe.ts'

/** A page is signed in for so long. */
const LASTS_SECONDS = 30 * 24 * 3600

const PATH = '/v1'

/** A page gives its token once. From then on a cookie that no script can read says who is there. */
export function signInRoutes(app: Api, services: Services) {
  const { signIns } = services
  app.openapi(SIGN_IN, async (c) => {
    refuseForeignPages(c)
    const { token } = c.req.valid('json')
    const entrant = await authenticate(`Bearer ${token}`, 'viewer', services)
    const { tokenHash, until = Infinity } = entrant
    const secret = `sgn_${randomBytes(32).toString('base64url')}`
    const expiresAt = new Date(Math.min(Date.now() + LASTS_SECONDS * 1000, until)).toISOString()
    await signIns.create({ tokenHash, secretHash: hashToken(secret), expiresAt })
    setPageCookie(c, 'sign-in', { secret, path: PATH, seconds: LASTS_SECONDS })
    return c.json(toMe(entrant, services), 200)
  })

  app.openapi(SIGN_OUT, async (c) => {
    refuseForeignPages(c)
    const secret = readPageCookie(c, 'sign-in')
    if (secret !== undefined) await signIns.end(hashToken(secret))
    dropPageCookie(c, 'sign-in', PATH)
    return c.body(null, 204)
  })
}

const SIGN_IN = createRoute({
  method: 'post',
  path: '/v1/sign-in',
  summary: 'Sign a browser in',
  description:
    'The answer sets a cookie that no script can read. With it the requests of our own pages need no token, for 30 days at most, and no longer than the token stands.',
  request: { body: body(SignIn) },
  responses: { 200: json(Me, 'Who is signed in'), ...problems },
})

const SIGN_OUT = createRoute({
  method: 'delete',
  path: '/v1/sign-in',
  summary: 'Sign this browser out',
  responses: { 204: { description: 'Nobody is signed in here' }, ...problems },
})

export function meRoutes(app: Api, services: Services) {
  const { personSettings } = services
  app.openapi(WHO_AM_I, (c) => c.json(toMe(c.get('caller'), services), 200))
  app.openapi(READ_SETTINGS, async (c) => c.json(await personSettings.read(c.get('caller').personId), 200))
  app.openapi(WRITE_SETTINGS, async (c) => {
    const settings = c.req.valid('json')
    await personSettings.write(c.get('caller').personId, settings)
    return c.json(settings, 200)
  })
}

const WHO_AM_I = createRoute({
  method: 'get',
  path: '/v1/me',
  summary: 'Who the token speaks for',
  responses: { 200: json(Me, 'The person and their role'), ...problems },
})

const READ_SETTINGS = createRoute({
  method: 'get',
  path: '/v1/me/settings',
  summary: 'What the console remembers of you',
  responses: { 200: json(MySettings, 'Your settings'), ...problems },
})

const WRITE_SETTINGS = createRoute({
  method: 'put',
  path: '/v1/me/settings',
  summary: 'Has the console remember something of you',
  request: { body: body(MySettings) },
  responses: { 200: json(MySettings, 'Your settings now'), ...problems },
})
