import type { Me } from '@parley/contracts'
import { SIGN_IN_SECONDS, decideSignInExpiry } from '@parley/reflections'
import type { Handlers } from './register-endpoints.ts'
import { type Caller, authenticate } from '../auth/authenticate.ts'
import { refuseForeignPages } from '../auth/read-credential.ts'
import { createToken, hashToken } from '../auth/tokens.ts'
import { deletePageCookie, readPageCookie, setPageCookie } from '../auth/page-cookie.ts'
import type { Services } from '../services.ts'

const COOKIE_PATH = '/v1'

/** A page sends its token once. Afterwards a cookie that scripts cannot read identifies the person. */
export function createSignInHandlers(services: Services) {
  const { signIns } = services

  return {
    signIn: async (c) => {
      refuseForeignPages(c)
      const { token } = c.req.valid('json')
      const entrant = await authenticate(`Bearer ${token}`, 'viewer', services)
      const { tokenHash, until } = entrant
      const { token: secret, tokenHash: secretHash } = createToken('sgn')
      const expiresAt = decideSignInExpiry(until, Date.now())
      await signIns.create({ tokenHash, secretHash, expiresAt })
      setPageCookie(c, 'sign-in', { secret, path: COOKIE_PATH, seconds: SIGN_IN_SECONDS })
      return c.json(toMe(entrant, services), 200)
    },

    signOut: async (c) => {
      refuseForeignPages(c)
      const secret = readPageCookie(c, 'sign-in')
      if (secret !== undefined) await signIns.end(hashToken(secret))
      deletePageCookie(c, 'sign-in', COOKIE_PATH)
      return c.body(null, 204)
    },
  } satisfies Partial<Handlers>
}

export function createMeHandlers(services: Services) {
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

/** The caller, as the API describes them to themselves. */
function toMe(
  { personId, role, label, isInvited }: Caller,
  { getDefaultAgent }: Pick<Services, 'getDefaultAgent'>,
): Me {
  if (isInvited) return { personId, role, label, isInvited }
  // A guest starts no session with an agent of the server.
  const agent = role === 'guest' ? undefined : getDefaultAgent()
  return {
    personId,
    role,
    label,
    ...(agent && { defaultModel: { provider: agent.provider, model: agent.model } }),
  }
}
