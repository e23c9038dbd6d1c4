import { PlatformError } from '@parley/contracts'
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './api-env.ts'
import { MAX_SOURCE_BODY, takesFile } from './json-body.ts'

export interface UploadLimits {
  /** The memory limit for all uploads together. */
  readonly maxBytes: number
  /** The limit of concurrent uploads of one token. */
  readonly maxPerToken: number
}

const DEFAULT_LIMITS: UploadLimits = { maxBytes: 4 * MAX_SOURCE_BODY, maxPerToken: 2 }

/** Limits uploads, which stay in memory until they are stored. Refuses a file before its body is read. */
export function limitUploads({
  maxBytes,
  maxPerToken,
}: UploadLimits = DEFAULT_LIMITS): MiddlewareHandler<ApiEnv> {
  let held = 0
  const underWay = new Map<string, number>()
  return async (c, next) => {
    if (!takesFile(c.get('endpoint'))) return next()
    const key = c.get('caller').tokenHash.toString('hex')
    const count = underWay.get(key) ?? 0
    if (count >= maxPerToken) {
      throw new PlatformError('rate_limited', {
        message: `There are ${count} uploads of yours under way. Wait until one is done.`,
      })
    }
    // An upload without a length may have the maximum length.
    const bytes = Math.min(Number(c.req.header('content-length') ?? MAX_SOURCE_BODY), MAX_SOURCE_BODY)
    if (held + bytes > maxBytes) {
      throw new PlatformError('rate_limited', {
        message: 'This server reads as many uploads as it can at once. Try again in a moment.',
      })
    }
    held += bytes
    underWay.set(key, count + 1)
    try {
      return await next()
    } finally {
      held -= bytes
      const left = (underWay.get(key) ?? 1) - 1
      if (left > 0) underWay.set(key, left)
      else underWay.delete(key)
    }
  }
}
