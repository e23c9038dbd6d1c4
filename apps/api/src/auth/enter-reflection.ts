import { PlatformError, ReflectionId, isAtLeast } from '@parley/contracts'
import type { KnowledgeReader, ReflectionStore } from '@parley/knowledge'
import { type KnowledgeMember, enterReflection } from '@parley/reflections'
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { hasBody, takesFile } from '../json-body.ts'
import type { Services } from '../services.ts'
import { isStillAuthorized } from './authenticate.ts'
import { REFLECTION_ACCESS } from './access.ts'

/** Checks the caller's role on a reflection before any of the body is read. */
export function requireMember(reflections: ReflectionStore): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await enter(c, reflections)
    return next()
  }
}

type EntranceHost = Pick<Services, 'findCaller' | 'reflections'>

/** Checks again after the body was read: the caller may have lost access during the upload. */
export function requireMemberAgain(services: EntranceHost): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (hasBody(c.req) && isRechecked(c) && !takesFile(c)) await recheckMember(c, services)
    return next()
  }
}

/** Throws if the caller's token or role was revoked since the request began. */
export async function recheckMember(
  c: Context<ApiEnv>,
  { findCaller, reflections }: EntranceHost,
): Promise<void> {
  if (!(await isStillAuthorized(c.get('caller'), findCaller))) {
    throw new PlatformError('unauthenticated', {
      message: 'This token was revoked or got another role during the request.',
    })
  }
  await enter(c, reflections)
}

/** Questions change nothing and must be fast, so they are checked once. */
const isRechecked = (c: Context<ApiEnv>) =>
  /^\/v1\/(reflections|tokens)/.test(c.get('route')) && !c.get('route').endsWith('/ask')

async function enter(c: Context<ApiEnv>, reflections: ReflectionStore): Promise<void> {
  const required = REFLECTION_ACCESS[`${c.req.method === 'HEAD' ? 'GET' : c.req.method} ${c.get('route')}`]
  if (required === undefined) return
  const { reflection, role, reach } = await enterReflection(
    c.get('caller'),
    readReflectionId(c.req.path),
    reflections,
  )
  if (!isAtLeast(role, required)) {
    throw new PlatformError('forbidden', {
      message: `This needs the role ${required} on the reflection; yours is ${role}. The owner or an admin of the reflection can change that.`,
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
