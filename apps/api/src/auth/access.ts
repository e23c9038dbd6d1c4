import type { Role } from '@parley/contracts'
import { REFLECTION_ACCESS } from './reflection-access.ts'

/** The lowest role that may call a route, `anyone` where no token is needed. */
export type Access = Role | 'anyone'

/** Every route is here; what is not here does not exist. */
export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'GET /metrics': 'anyone',
  'GET /v1/openapi.json': 'anyone',
  'GET /v1/me': 'guest',
  'POST /v1/sessions': 'viewer',
  'GET /v1/sessions': 'viewer',
  'GET /v1/sessions/{sessionId}': 'viewer',
  'PATCH /v1/sessions/{sessionId}': 'viewer',
  'DELETE /v1/sessions/{sessionId}': 'viewer',
  'GET /v1/sessions/{sessionId}/messages': 'viewer',
  'POST /v1/sessions/{sessionId}/messages': 'viewer',
  'GET /v1/sessions/{sessionId}/media/{hash}': 'viewer',
  'GET /v1/sessions/{sessionId}/events': 'viewer',
  'GET /v1/sessions/{sessionId}/export': 'viewer',
  'POST /v1/sessions/{sessionId}/export': 'viewer',
  'POST /v1/sessions/{sessionId}/cancel': 'viewer',
  'POST /v1/sessions/{sessionId}/resume': 'viewer',
  'POST /v1/sessions/{sessionId}/end': 'viewer',
  'POST /v1/sessions/{sessionId}/fork': 'viewer',
  'POST /v1/sessions/{sessionId}/compact': 'viewer',
  'POST /v1/sessions/{sessionId}/trim': 'viewer',
  'POST /v1/sessions/{sessionId}/approvals/{callId}': 'operator',
  'GET /v1/audit': 'owner',
  'GET /v1/tokens': 'admin',
  'POST /v1/tokens': 'admin',
  'DELETE /v1/tokens/{tokenId}': 'admin',
  'GET /v1/reflections': 'viewer',
  'POST /v1/reflections': 'admin',
  // Whose role on the reflection is high enough is for the other table.
  ...Object.fromEntries(Object.keys(REFLECTION_ACCESS).map((key) => [key, 'viewer' as const])),
}

const ROUTES = Object.entries(ACCESS).map(([key, access]) => {
  const [method = '', path = ''] = key.split(' ')
  return {
    method,
    path,
    access,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }
})

export interface RouteAccess {
  readonly route: string
  readonly access: Access
}

/** The route that a request is for, or why there is none. */
export function accessOf(method: string, path: string): RouteAccess | 'not_found' | 'method_not_allowed' {
  const there = ROUTES.filter(({ pattern }) => pattern.test(path))
  if (there.length === 0) return 'not_found'
  const asked = method === 'HEAD' ? 'GET' : method
  const found = there.find((route) => route.method === asked)
  return found ? { route: found.path, access: found.access } : 'method_not_allowed'
}
