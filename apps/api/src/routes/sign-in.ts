import type { Handlers } from './handlers.ts'
import { randomBytes } from 'node:crypto'
import { authenticate } from '../auth/authenticate.ts'
import { refuseForeignPages } from '../auth/credential-of.ts'
import { hashToken } from '../auth/hash-token.ts'
import { toMe } from '../auth/me-of.ts'
import { dropPageCookie, readPageCookie, setPageCookie } from '../auth/page-cookie.ts'
import type { Services } from '../services.ts'

/** A page is signed in for so long. */
const LASTS_SECONDS = 30 * 24 * 3600

const PATH = '/v1'

/** A page gives its token once. From then on a cookie that no script can read says who is there. */
export function signInHandlers(services: Services) {
  const { signIns } = services

  return {
    signIn: async (c) => {
      refuseForeignPages(c)
      const { token } = c.req.valid('json')
      const entrant = await authenticate(`Bearer ${token}`, 'viewer', services)
      const { tokenHash, until = Infinity } = entrant
      const secret = `sgn_${randomBytes(32).toString('base64url')}`
      const expiresAt = new Date(Math.min(Date.now() + LASTS_SECONDS * 1000, until)).toISOString()
      await signIns.create({ tokenHash, secretHash: hashToken(secret), expiresAt })
      setPageCookie(c, 'sign-in', { secret, path: PATH, seconds: LASTS_SECONDS })
      return c.json(toMe(entrant, services), 200)
    },

    signOut: async (c) => {
      refuseForeignPages(c)
      const secret = readPageCookie(c, 'sign-in')
      if (secret !== undefined) await signIns.end(hashToken(secret))
      dropPageCookie(c, 'sign-in', PATH)
      return c.body(null, 204)
    },
  } satisfies Partial<Handlers>
}

export function meHandlers(services: Services) {
  const { personSettings } = services

  return {
    getMe: (c) => c.json(toMe(c.get('caller'), services), 200),

    getMySettings: async (c) => c.json(await personSettings.read(c.get('caller').personId), 200),

    setMySettings: async (c) => {
      const settings = c.req.valid('json')
      await personSettings.write(c.get('caller').personId, settings)
      return c.json(settings, 200)
    },
  } satisfies Partial<Handlers>
}
