import type { Context } from 'hono'
import type { ApiEnv } from '../api.ts'

/** Where links lead: to the server's public URL, or else to where whoever asks reaches it, by a name that it knows as its own. */
export function originOf(c: Context<ApiEnv>, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const url = new URL(c.req.url)
  return c.req.header('x-forwarded-proto') === 'https' ? `https://${url.host}` : url.origin
}
