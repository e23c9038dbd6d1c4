import type { MemberRole, Role } from '@parley/contracts'

/** The lowest role on a reflection that may call a route of it. Every route of one reflection is here. */
export const REFLECTION_ACCESS: Readonly<Record<string, MemberRole>> = {
  'GET /v1/reflections/{reflectionId}': 'viewer',
  'GET /v1/reflections/{reflectionId}/summary': 'viewer',
  'PATCH /v1/reflections/{reflectionId}': 'admin',
  'DELETE /v1/reflections/{reflectionId}': 'admin',
  'POST /v1/reflections/{reflectionId}/namespaces': 'admin',
  'POST /v1/reflections/{reflectionId}/publish': 'admin',
  'POST /v1/reflections/{reflectionId}/unpublish': 'admin',
  'POST /v1/reflections/{reflectionId}/publish-preview': 'admin',
  'GET /v1/reflections/{reflectionId}/audit': 'owner',
  'GET /v1/reflections/{reflectionId}/members': 'admin',
  'PUT /v1/reflections/{reflectionId}/members': 'admin',
  'POST /v1/reflections/{reflectionId}/members': 'admin',
  'DELETE /v1/reflections/{reflectionId}/members/{personId}': 'admin',
  'POST /v1/reflections/{reflectionId}/invitations': 'admin',
  'POST /v1/reflections/{reflectionId}/members/{personId}/link': 'admin',
  'POST /v1/reflections/{reflectionId}/leave': 'viewer',
  'GET /v1/reflections/{reflectionId}/sources': 'viewer',
  'POST /v1/reflections/{reflectionId}/sources': 'operator',
  'GET /v1/reflections/{reflectionId}/sources/{sourceId}': 'viewer',
  'GET /v1/reflections/{reflectionId}/sources/{sourceId}/text': 'viewer',
  'PUT /v1/reflections/{reflectionId}/sources/{sourceId}': 'operator',
  'DELETE /v1/reflections/{reflectionId}/sources/{sourceId}': 'operator',
  'GET /v1/reflections/{reflectionId}/facts': 'viewer',
  'GET /v1/reflections/{reflectionId}/facts/{factId}/history': 'viewer',
  'POST /v1/reflections/{reflectionId}/corrections': 'operator',
  'GET /v1/reflections/{reflectionId}/patches': 'viewer',
  'GET /v1/reflections/{reflectionId}/patches/{patchId}': 'viewer',
  'POST /v1/reflections/{reflectionId}/patches/{patchId}/approve': 'operator',
  'POST /v1/reflections/{reflectionId}/patches/{patchId}/reject': 'operator',
  'POST /v1/reflections/{reflectionId}/patches/{patchId}/revert': 'operator',
  'POST /v1/reflections/{reflectionId}/ask': 'viewer',
  'GET /v1/reflections/{reflectionId}/share-links': 'admin',
  'POST /v1/reflections/{reflectionId}/share-links': 'admin',
  'DELETE /v1/reflections/{reflectionId}/share-links/{linkId}': 'admin',
  'GET /v1/reflections/{reflectionId}/sync': 'viewer',
  'POST /v1/reflections/{reflectionId}/sync': 'admin',
  'POST /v1/reflections/{reflectionId}/audit': 'admin',
  'POST /v1/reflections/{reflectionId}/agent-tests': 'admin',
  'POST /v1/reflections/{reflectionId}/variables': 'admin',
  'GET /v1/reflections/{reflectionId}/explore-next': 'operator',
  'GET /v1/reflections/{reflectionId}/artifacts': 'viewer',
  'GET /v1/reflections/{reflectionId}/artifacts/{generation}': 'admin',
}

/**
 * The lowest role that may call a route; `any-admin` where who runs any reflection may as well as an admin of the server;
 * `anyone` where no token is needed; `provider` where only the voice provider calls, which has no token: its secret, or its
 * signature, is asked for by the route.
 */
export type Access = Role | 'any-admin' | 'anyone' | 'provider'

/** Every route is here; what is not here does not exist. A guest reaches no session but the one that their token is for. */
export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'GET /metrics': 'anyone',
  'GET /v1/openapi.json': 'anyone',
  'POST /v1/sign-in': 'anyone',
  'DELETE /v1/sign-in': 'anyone',
  'GET /v1/me': 'guest',
  'GET /v1/me/settings': 'viewer',
  'PUT /v1/me/settings': 'viewer',
  'GET /v1/health': 'admin',
  'POST /v1/health/probe': 'admin',
  'POST /v1/health/jobs/{jobId}/retry': 'admin',
  'GET /v1/r/{token}': 'anyone',
  'POST /v1/r/{token}/sessions': 'anyone',
  'GET /v1/mobile/r/{token}': 'anyone',
  'POST /v1/mobile/r/{token}/sessions': 'anyone',
  'POST /v1/sessions': 'viewer',
  'POST /v1/mobile/sessions': 'viewer',
  'GET /v1/sessions': 'viewer',
  'GET /v1/sessions/{sessionId}': 'guest',
  'PATCH /v1/sessions/{sessionId}': 'viewer',
  'DELETE /v1/sessions/{sessionId}': 'viewer',
  'GET /v1/approvals': 'operator',
  'GET /v1/sessions/{sessionId}/messages': 'guest',
  'POST /v1/sessions/{sessionId}/messages': 'guest',
  'GET /v1/sessions/{sessionId}/citations': 'guest',
  'GET /v1/sessions/{sessionId}/media/{hash}': 'guest',
  'GET /v1/sessions/{sessionId}/events': 'guest',
  'GET /v1/sessions/{sessionId}/turns': 'viewer',
  'GET /v1/sessions/{sessionId}/export': 'viewer',
  'POST /v1/sessions/{sessionId}/export': 'viewer',
  'POST /v1/sessions/{sessionId}/cancel': 'guest',
  'POST /v1/sessions/{sessionId}/resume': 'viewer',
  'POST /v1/sessions/{sessionId}/reconnect': 'guest',
  'POST /v1/mobile/sessions/{sessionId}/reconnect': 'guest',
  'POST /v1/sessions/{sessionId}/end': 'guest',
  'POST /v1/sessions/{sessionId}/fork': 'viewer',
  'POST /v1/sessions/{sessionId}/compact': 'viewer',
  'POST /v1/sessions/{sessionId}/trim': 'viewer',
  'POST /v1/sessions/{sessionId}/approvals/{callId}': 'operator',
  'POST /v1/tools/retrieve-context': 'provider',
  'POST /v1/tools/request-source-ingest': 'provider',
  'POST /v1/tools/propose-fact-correction': 'provider',
  'POST /v1/webhooks/elevenlabs': 'provider',
  'GET /v1/voices': 'any-admin',
  'GET /v1/audit': 'owner',
  // Of which tokens, the route asks.
  'GET /v1/tokens': 'any-admin',
  'POST /v1/tokens': 'any-admin',
  'DELETE /v1/tokens/{tokenId}': 'any-admin',
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
