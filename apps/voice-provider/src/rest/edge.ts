import { setTimeout as pause } from 'node:timers/promises'
import type { MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { newId } from '../new-id.ts'
import { isWithoutKey } from './authenticate.ts'
import { isKnownHost } from './known-host.ts'
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
