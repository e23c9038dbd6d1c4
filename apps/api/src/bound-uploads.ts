import { PlatformError } from '@parley/contracts'
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './api.ts'
import { MAX_SOURCE_BODY, takesFile } from './json-body.ts'

export interface UploadBounds {
  /** Limit of the memory for all uploads together. */
  readonly mostBytes: number
  /** How many one token has under way at once. */
  readonly mostEach: number
}

const BOUNDS: UploadBounds = { mostBytes: 4 * MAX_SOURCE_BODY, mostEach: 2 }

/** Limits uploads, which stay in memory until they are stored. Files over a limit are refused before they are read. */
export function boundUploads({ mostBytes, mostEach }: UploadBounds = BOUNDS): MiddlewareHandler<ApiEnv> {
  let held = 0
  const underWay = new Map<string, number>()
  return async (c, next) => {
    if (!takesFile(c)) return next()
    const key = c.get('caller').tokenHash.toString('hex')
    const count = underWay.get(key) ?? 0
    if (count >= mostEach) {
      throw new PlatformError('rate_limited', {
        message: `There are ${count} uploads of yours under way. Wait until one is done.`,
      })
    }
    // What says nothing of its length may be as long as any.
    const bytes = Math.min(Number(c.req.header('content-length') ?? MAX_SOURCE_BODY), MAX_SOURCE_BODY)
    if (held + bytes > mostBytes) {
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
