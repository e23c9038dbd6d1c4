import type { Context } from 'hono'
import type { ApiEnv } from '../api.ts'

/** How whoever asks reaches this server: by a name that it knows as its own. */
export function originOf(c: Context<ApiEnv>): string {
  const url = new URL(c.req.url)
  return c.req.header('x-forwarded-proto') === 'https' ? `https://${url.host}` : url.origin
}
