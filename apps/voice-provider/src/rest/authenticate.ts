import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { Refusal } from './refusal.ts'
import type { RestEnv } from './rest-env.ts'

/** What a client in a browser calls, which has no key: each names an agent or a conversation by an id that nobody guesses. */
export const WITHOUT_KEY: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: 'GET', path: /^\/v1\/convai\/conversation\/token$/ },
  { method: 'GET', path: /^\/v1\/convai\/agents\/[^/]+\/widget$/ },
  { method: 'POST', path: /^\/v1\/convai\/conversations\/[^/]+\/(feedback|files)$/ },
  { method: 'DELETE', path: /^\/v1\/convai\/conversations\/[^/]+\/files\/[^/]+$/ },
]

export const isWithoutKey = (method: string, path: string): boolean =>
  WITHOUT_KEY.some((open) => open.method === method && open.path.test(path))

export function authenticate(apiKey: string): MiddlewareHandler<RestEnv> {
  const expected = hashOf(apiKey)
  return async (c, next) => {
    if (isWithoutKey(c.req.method, c.req.path)) return next()
    const given = c.req.header('xi-api-key')
    if (!given) {
      throw new Refusal(
        'needs_authorization',
        'No xi-api-key header was sent. Send the key that this provider printed or was given.',
      )
    }
    // Of hashes, so that neither content nor length can be told from the time it takes.
    if (!timingSafeEqual(hashOf(given), expected)) throw new Refusal('invalid_api_key', 'Invalid API key')
    return next()
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()
