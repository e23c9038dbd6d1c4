import type { Context, MiddlewareHandler } from 'hono'
import { PlatformError } from '@parley/contracts'
import type { ApiEnv } from './api.ts'

export type AddressOf = (c: Pick<Context<ApiEnv>, 'req' | 'env'>) => string

/**
 * Who calls. Where we are called by other names than our own there is a proxy before us, and the last name of
 * `X-Forwarded-For` is the one that it added; else anybody could write what they like there.
 */
export function addressOf(hosts: readonly string[]): AddressOf {
  const isBehindProxy = hosts.some((name) => !isOurs(name))
  return (c) => {
    const forwarded = isBehindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
    return forwarded || (c.env.address ?? 'unknown')
  }
}

const OURS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

const isOurs = (name: string): boolean => OURS.includes(name.toLowerCase())

/**
 * Serves only those who call us by one of our names. A page elsewhere can make its own name point at this machine, and
 * a browser then takes us for a part of that page.
 */
export function knownHosts(others: readonly string[]): MiddlewareHandler<ApiEnv> {
  const names = [...OURS, ...others.map((name) => name.toLowerCase())]
  return async (c, next) => {
    const host = c.req.header('host')
    const name = host?.replace(/:\d{1,5}$/, '').toLowerCase()
    if (name === undefined || names.includes(name)) return next()
    throw new PlatformError('forbidden', {
      message: `This server is called ${OURS.slice(0, 2).join(' or ')} here, not by the name in the Host header.`,
    })
  }
}
