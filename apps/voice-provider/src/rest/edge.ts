import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { createId } from '../documents.ts'
import { pauseUnlessAborted } from '../wait.ts'
import { RequestRefusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

/** Parallel requests. Callers without a key have their own limit. */
const MAX_PARALLEL_REQUESTS = { withKey: 64, withoutKey: 16 } as const

/** Gives every response an id and logs it. */
export const assignRequestIds =
  ({ logger }: RestServices): MiddlewareHandler<RestEnv> =>
  async (c, next) => {
    const requestId = createId('req')
    c.set('requestId', requestId)
    const began = performance.now()
    await next()
    c.header('request-id', requestId)
    const { method, path } = c.req
    // Aborted requests are only of interest for debugging.
    const level = c.req.raw.signal.aborted ? 'debug' : 'info'
    logger[level](
      { requestId, method, path, status: c.res.status, ms: Math.round(performance.now() - began) },
      'call',
    )
  }

/** Prevents DNS rebinding: a foreign page can point its own name at this machine. */
export const checkHost =
  ({ hosts }: RestServices): MiddlewareHandler<RestEnv> =>
  async (c, next) => {
    if (isKnownHost(c.req.header('host'), hosts)) return next()
    throw new RequestRefusal(
      'forbidden_host',
      'Call this server as localhost or 127.0.0.1. The name in the Host header is not allowed.',
    )
  }

export const refuseTooManyCalls = (): MiddlewareHandler<RestEnv> => {
  const running = { withKey: 0, withoutKey: 0 }
  return async (c, next) => {
    const kind = isPublicRoute(c.req.method, c.req.path) ? 'withoutKey' : 'withKey'
    const most = MAX_PARALLEL_REQUESTS[kind]
    if (running[kind] >= most) {
      throw new RequestRefusal(
        'too_many_concurrent_requests',
        `More than ${most} calls at the same time. Try again in a moment.`,
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

/** PostgreSQL text cannot contain U+0000, so no id has one. */
export const rejectNullIds: MiddlewareHandler<RestEnv> = async (c, next) => {
  if (!/\0|%00/.test(c.req.path)) return next()
  throw new RequestRefusal('not_found', 'Not found: an id cannot contain U+0000.')
}

/** Applies the fault rules. */
export const injectFaults =
  ({ faults }: RestServices): MiddlewareHandler<RestEnv> =>
  async (c, next) => {
    const fault = faults.take(`${c.req.method} ${c.req.path}`)
    if (fault?.latencyMs) await pauseUnlessAborted(fault.latencyMs, c.req.raw.signal)
    if (fault?.status === undefined) return next()
    if (fault.status === 422) {
      return c.json({ detail: [{ type: 'value_error', loc: ['body'], msg: 'Injected fault' }] }, 422)
    }
    const detail = {
      status: FAULT_STATUS[fault.status] ?? 'injected_fault',
      code: FAULT_STATUS[fault.status] ?? 'injected_fault',
      message: 'Injected fault',
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

/** Routes for browsers, which have no key. Each contains an unguessable agent or conversation id. */
export const PUBLIC_ROUTES: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: 'GET', path: /^\/v1\/convai\/conversation\/token$/ },
  { method: 'GET', path: /^\/v1\/convai\/agents\/[^/]+\/widget$/ },
  { method: 'POST', path: /^\/v1\/convai\/conversations\/[^/]+\/(feedback|files)$/ },
  { method: 'DELETE', path: /^\/v1\/convai\/conversations\/[^/]+\/files\/[^/]+$/ },
]

const isPublicRoute = (method: string, path: string): boolean =>
  PUBLIC_ROUTES.some((open) => open.method === method && open.path.test(path))

export function requireApiKey(apiKey: string): MiddlewareHandler<RestEnv> {
  return async (c, next) => {
    if (isPublicRoute(c.req.method, c.req.path)) return next()
    const key = c.req.header('xi-api-key')
    if (!key) {
      throw new RequestRefusal(
        'needs_authorization',
        'Missing xi-api-key header. Send the key of this provider.',
      )
    }
    if (!isKey(key, apiKey)) throw new RequestRefusal('invalid_api_key', 'Invalid API key')
    return next()
  }
}

/** Compares hashes, so the time reveals neither content nor length. */
export const isKey = (key: string | readonly string[] | undefined, apiKey: string): boolean =>
  typeof key === 'string' && timingSafeEqual(hashKey(key), hashKey(apiKey))

const hashKey = (text: string) => createHash('sha256').update(text).digest()

const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether a Host header names this server. Browsers always send one. */
export function isKnownHost(host: string | undefined, others: readonly string[]): boolean {
  if (host === undefined) return true
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return LOCAL_HOSTS.includes(name) || others.includes(name)
}
