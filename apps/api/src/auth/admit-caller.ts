import {
  type Access,
  type Endpoint,
  ENDPOINTS,
  MemberRole,
  PlatformError,
  ReflectionId,
  Role,
  isAtLeast,
} from '@parley/contracts'
import type { KnowledgeReader, ReflectionStore } from '@parley/knowledge'
import {
  type KnowledgeMember,
  enterReflection,
  refuseNonAdmin,
  refuseOtherSession,
} from '@parley/reflections'
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { hasBody, takesFile } from '../json-body.ts'
import { limitGuesses } from '../limit-requests.ts'
import type { ReadAddress } from '../request-origin.ts'
import { type CallerHost, authenticate, isStillAuthorized } from './authenticate.ts'
import { readCredential } from './read-credential.ts'

interface AdmissionHost extends CallerHost {
  readonly reflections: ReflectionStore
}

/**
 * Finds the endpoint of a request and checks its `access`, before any of the body is read: the caller's role on the server,
 * then their role on the reflection in the path. Other paths than those of the API belong to the console.
 */
export function admitCaller(services: AdmissionHost, addressOf: ReadAddress): MiddlewareHandler<ApiEnv> {
  const refuseGuessing = limitGuesses('token', addressOf)
  return async (c, next) => {
    const { method, path } = c.req
    const endpoint = findEndpoint(method, path)
    if (endpoint === 'method_not_allowed') c.header('allow', listMethods(path).join(', '))
    if (endpoint === 'not_found' && !isApiPath(path)) return next()
    if (typeof endpoint === 'string') throw createNoEndpointError(endpoint, method, path)
    c.set('endpoint', endpoint)
    const leastRole = getLeastRole(endpoint.access)
    if (leastRole === undefined) return next()
    const caller = await authenticate(readCredential(c), leastRole, services).catch((failure: unknown) =>
      refuseGuessing(failure, c),
    )
    if (endpoint.access === 'any-admin') await refuseNonAdmin(caller, services.reflections)
    if (caller.sessionId) refuseOtherSession(caller.sessionId, /\/sessions\/([^/]+)/.exec(path)?.[1])
    c.set('caller', caller)
    await checkMember(c, services.reflections)
    return next()
  }
}

/** Checks the caller again after the body was read: they may have lost access during the upload. */
export function admitCallerAgain(services: AdmissionHost): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const endpoint = c.get('endpoint')
    if (endpoint && hasBody(c.req) && isCheckedAgain(endpoint)) await recheckCaller(c, services)
    return next()
  }
}

/** Whether an endpoint is for admins or members, so a revoked caller must not change anything. A file is checked by its handler. */
export const isCheckedAgain = (endpoint: Endpoint): boolean =>
  (['admin', 'any-admin'].includes(endpoint.access) || getLeastMemberRole(endpoint.access) !== undefined) &&
  !endpoint.isCheckedOnce &&
  !takesFile(endpoint)

/** Throws if the caller's token or role was revoked since the request began. */
export async function recheckCaller(
  c: Context<ApiEnv>,
  { findCaller, reflections }: Pick<AdmissionHost, 'findCaller' | 'reflections'>,
): Promise<void> {
  if (!(await isStillAuthorized(c.get('caller'), findCaller))) {
    throw new PlatformError('unauthenticated', {
      message: 'This token was revoked or got another role during the request.',
    })
  }
  await checkMember(c, reflections)
}

async function checkMember(c: Context<ApiEnv>, reflections: ReflectionStore): Promise<void> {
  const leastRole = getLeastMemberRole(c.get('endpoint')?.access ?? 'anyone')
  if (leastRole === undefined) return
  const { reflection, role, reach } = await enterReflection(
    c.get('caller'),
    readReflectionId(c.req.path),
    reflections,
  )
  if (!isAtLeast(role, leastRole)) {
    throw new PlatformError('forbidden', {
      message: `This needs the role ${leastRole} on the reflection; yours is ${role}. The owner or an admin of the reflection can change that.`,
    })
  }
  c.set('reflection', reflection)
  c.set('memberRole', role)
  c.set('reach', reach)
}

function readReflectionId(path: string): ReflectionId {
  const id = ReflectionId.safeParse(path.split('/')[3])
  if (id.success) return id.data
  throw new PlatformError('validation', { message: 'The id of a reflection starts with rfl_.' })
}

/** The caller as a member of the reflection in the path. With limited reach the database limits what they read. */
export function getMember(
  c: Context<ApiEnv>,
  reflections: ReflectionStore,
): KnowledgeMember<KnowledgeReader> {
  const reach = c.get('reach')
  return {
    reflectionId: c.get('reflection').id,
    personId: c.get('caller').personId,
    role: c.get('memberRole'),
    reach,
    knowledge: reach ? reflections.openMemberReader(reach.capability) : reflections,
  }
}

/** The lowest server role for an endpoint; undefined if it needs no token. Members need no more than a token. */
export function getLeastRole(access: Access): Role | undefined {
  if (access === 'anyone' || access === 'tool-secret' || access === 'webhook-signature') return undefined
  // `refuseNonAdmin` checks the caller.
  if (access === 'any-admin') return 'guest'
  return Role.safeParse(access).data ?? 'viewer'
}

/** The lowest role on the reflection in the path. */
export const getLeastMemberRole = (access: Access): MemberRole | undefined =>
  access.startsWith('member:') ? MemberRole.parse(access.slice('member:'.length)) : undefined

const ROUTES = Object.values<Endpoint>(ENDPOINTS).map((endpoint) => ({
  endpoint,
  method: endpoint.method.toUpperCase(),
  pattern: new RegExp(`^${endpoint.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The endpoint of a request. HEAD has the endpoint of GET. */
export function findEndpoint(method: string, path: string): Endpoint | 'not_found' | 'method_not_allowed' {
  const routes = ROUTES.filter(({ pattern }) => pattern.test(path))
  if (routes.length === 0) return 'not_found'
  const listed = method === 'HEAD' ? 'GET' : method
  return routes.find((route) => route.method === listed)?.endpoint ?? 'method_not_allowed'
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const listMethods = (path: string) =>
  METHODS.filter((method) => typeof findEndpoint(method, path) !== 'string')

export const isApiPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/')

export const createNoEndpointError = (
  code: 'not_found' | 'method_not_allowed',
  method: string,
  path: string,
): PlatformError =>
  new PlatformError(code, {
    message:
      code === 'not_found'
        ? `There is no endpoint ${method} ${path}. /v1/openapi.json lists all endpoints.`
        : `${path} does not take ${method}. The Allow header lists the allowed methods.`,
  })
