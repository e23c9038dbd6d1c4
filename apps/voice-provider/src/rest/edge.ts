import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { newId } from '../documents.ts'
import { Refusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

/** More at once are asked to come back. Who has no key takes no place of those who have one. */
const MOST_AT_ONCE = { withKey: 64, withoutKey: 16 } as const

/** Every answer has an id, by which the log tells of it. */
export const requestIds =
  ({ logger }: RestServices): MiddlewareHandler<RestEnv> =>
  async (c, next) => {
    const requestId = newId('req')
    c.set('requestId', requestId)
    const began = performance.now()
    await next()
    c.header('request-id', requestId)
    const { method, path } = c.req
    // Whoever left is not told, and nobody else asks.
    const level = c.req.raw.signal.aborted ? 'debug' : 'info'
    logger[level](
      { requestId, method, path, status: c.res.status, ms: Math.round(performance.now() - began) },
      'call',
    )
  }

/** A page elsewhere can make its own name point at this machine; we answer only to our own names. */
export const knownHosts =
  ({ hosts }: RestServices): MiddlewareHandler<RestEnv> =>
  async (c, next) => {
    if (isKnownHost(c.req.header('host'), hosts)) return next()
    throw new Refusal(
      'forbidden_host',
      'This server is called localhost or 127.0.0.1, not by the name in the Host header.',
    )
  }

export const fewAtOnce = (): MiddlewareHandler<RestEnv> => {
  const running = { withKey: 0, withoutKey: 0 }
  return async (c, next) => {
    const kind = isWithoutKey(c.req.method, c.req.path) ? 'withoutKey' : 'withKey'
    const most = MOST_AT_ONCE[kind]
    if (running[kind] >= most) {
      throw new Refusal(
        'too_many_concurrent_requests',
        `More than ${most} calls at once. Try again in a moment.`,
      )
    }
    running[kind] += 1
    try {
      await next()
    } finally {
      running[kind] -= 1
    }
    c.header('current-concurrent-requests', String(running[kind]))
    c.header('maximum-concurrent-requests', String(most))
  }
}

/** A text of the database holds no U+0000, so that nothing has a name with it. */
export const storableIds: MiddlewareHandler<RestEnv> = async (c, next) => {
  if (!/\0|%00/.test(c.req.path)) return next()
  throw new Refusal('not_found', 'There is nothing with this id: it has a U+0000 in it.')
}

/** Misbehaves as it was told to. */
export const misbehave =
  ({ faults }: RestServices): MiddlewareHandler<RestEnv> =>
  async (c, next) => {
    const fault = faults.take(`${c.req.method} ${c.req.path}`)
    if (fault?.latencyMs)
      await pause(fault.latencyMs, undefined, { signal: c.req.raw.signal }).catch(() => {})
    if (fault?.status === undefined) return next()
    if (fault.status === 422) {
      return c.json(
        { detail: [{ type: 'value_error', loc: ['body'], msg: 'A fault that was asked for' }] },
        422,
      )
    }
    const detail = {
      status: FAULT_STATUS[fault.status] ?? 'injected_fault',
      code: FAULT_STATUS[fault.status] ?? 'injected_fault',
      message: 'A fault that was asked for',
      request_id: c.get('requestId'),
    }
    return c.json({ detail }, fault.status as ContentfulStatusCode)
  }

const FAULT_STATUS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_api_key',
  404: 'not_found',
  429: 'rate_limit_exceeded',
  500: 'internal_server_error',
  503: 'system_busy',
}

/** What a client in a browser calls, which has no key: each names an agent or a conversation by an id that nobody guesses. */
export const WITHOUT_KEY: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: 'GET', path: /^\/v1\/convai\/conversation\/token$/ },
  { method: 'GET', path: /^\/v1\/convai\/agents\/[^/]+\/widget$/ },
  { method: 'POST', path: /^\/v1\/convai\/conversations\/[^/]+\/(feedback|files)$/ },
  { method: 'DELETE', path: /^\/v1\/convai\/conversations\/[^/]+\/files\/[^/]+$/ },
]

const isWithoutKey = (method: string, path: string): boolean =>
  WITHOUT_KEY.some((open) => open.method === method && open.path.test(path))

export function authenticate(apiKey: string): MiddlewareHandler<RestEnv> {
  const expected = keyHash(apiKey)
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
    if (!timingSafeEqual(keyHash(given), expected)) throw new Refusal('invalid_api_key', 'Invalid API key')
    return next()
  }
}

const keyHash = (text: string) => createHash('sha256').update(text).digest()

const OURS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether a Host header names this server. One who sends none is no browser. */
export function isKnownHost(host: string | undefined, others: readonly string[]): boolean {
  if (host === undefined) return true
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return OURS.includes(name) || others.includes(name)
}
