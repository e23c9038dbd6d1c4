import { type Access, ENDPOINTS, type MemberRole, type Role } from '@parley/contracts'

/** The server role that an endpoint requires. A route of one reflection also requires a role on it. */
type ServerAccess = Exclude<Access, `member:${string}`>

const ROUTES = Object.values(ENDPOINTS).map(({ method, path, access }) => ({
  method: method.toUpperCase(),
  path,
  access: isForMembers(access) ? ('viewer' satisfies Role) : access,
  memberRole: isForMembers(access) ? toMemberRole(access) : undefined,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

type MemberAccess = Extract<Access, `member:${string}`>

function isForMembers(access: Access): access is MemberAccess {
  return access.startsWith('member:')
}

function toMemberRole(access: MemberAccess): MemberRole {
  return access.slice('member:'.length) as MemberRole
}

/** Whether an endpoint requires a token. */
export const needsToken = (access: ServerAccess): access is Role | 'any-admin' =>
  access !== 'anyone' && access !== 'tool-secret' && access !== 'webhook-signature'

/** The access of every endpoint, by `METHOD path`. */
export const ACCESS: Readonly<Record<string, ServerAccess>> = Object.fromEntries(
  ROUTES.map(({ method, path, access }) => [`${method} ${path}`, access]),
)

/** The lowest role on the reflection for each endpoint of one reflection, by `METHOD path`. */
export const REFLECTION_ACCESS: Readonly<Record<string, MemberRole>> = Object.fromEntries(
  ROUTES.flatMap(({ method, path, memberRole }) => (memberRole ? [[`${method} ${path}`, memberRole]] : [])),
)

export interface RouteAccess {
  readonly route: string
  readonly access: ServerAccess
}

/** Finds the endpoint of a request. */
export function findRoute(method: string, path: string): RouteAccess | 'not_found' | 'method_not_allowed' {
  const matching = ROUTES.filter(({ pattern }) => pattern.test(path))
  if (matching.length === 0) return 'not_found'
  const listed = method === 'HEAD' ? 'GET' : method
  const route = matching.find((one) => one.method === listed)
  return route ? { route: route.path, access: route.access } : 'method_not_allowed'
}
