import type { Context, MiddlewareHandler } from 'hono'
import { PlatformError } from '@parley/contracts'
import type { ApiEnv } from './api-env.ts'

export type ReadAddress = (c: Pick<Context<ApiEnv>, 'req' | 'env'>) => string

/**
 * The address of the caller. A server with other names than its own is behind a proxy, which adds the last address of
 * `X-Forwarded-For`. Without a proxy the header is ignored, because clients can write anything there.
 */
export function createAddressReader(hosts: readonly string[]): ReadAddress {
  const isBehindProxy = hosts.some((name) => !isOwnName(name))
  return (c) => {
    const forwarded = isBehindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
    return forwarded || (c.env.address ?? 'unknown')
  }
}

const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

const isOwnName = (name: string): boolean => OWN_NAMES.includes(name.toLowerCase())

/**
 * Serves only requests with a known name in the Host header. Otherwise a foreign page could let its own name resolve to
 * this machine, and browsers would treat this server as a part of that page.
 */
export function refuseUnknownHosts(others: readonly string[]): MiddlewareHandler<ApiEnv> {
  const names = [...OWN_NAMES, ...others.map((name) => name.toLowerCase())]
  return async (c, next) => {
    const host = c.req.header('host')
    const name = host?.replace(/:\d{1,5}$/, '').toLowerCase()
    if (name === undefined || names.includes(name)) return next()
    throw new PlatformError('forbidden', {
      message: `The name in the Host header is unknown. Call this server ${OWN_NAMES.slice(0, 2).join(' or ')} here.`,
    })
  }
}

/** The origin of links: the server's public URL, or else the address by which the caller reaches the server. */
export function getLinkOrigin(c: Context<ApiEnv>, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const url = new URL(c.req.url)
  return c.req.header('x-forwarded-proto') === 'https' ? `https://${url.host}` : url.origin
}
