import type { Context } from 'hono'
import type { ApiEnv } from './api.ts'
import { isOurs } from './known-hosts.ts'

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
