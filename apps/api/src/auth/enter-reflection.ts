import { type MemberRole, PlatformError, type Reflection, ReflectionId } from '@parley/contracts'
import type { MemberReach, Membership, ReflectionStore } from '@parley/knowledge'
import { isAtLeast } from '@parley/reflections'
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api.ts'
import { hasBody, takesFile } from '../json-body.ts'
import type { Services } from '../services.ts'
import { type Caller, isStillAuthorized } from './authenticate.ts'
import { REFLECTION_ACCESS } from './access.ts'

/** Lets into the routes of a reflection only whose role on it is high enough, before any of their body is read. */
export function enterReflection(reflections: ReflectionStore): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await enter(c, reflections)
    return next()
  }
}

type Entrance = Pick<Services, 'findCaller' | 'reflections'>

/** Checks again after the body was read: the sender may have lost access while it arrived. */
export function enterWithBody(services: Entrance): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (hasBody(c.req) && isGuarded(c) && !takesFile(c)) await enterAgain(c, services)
    return next()
  }
}

/** Throws where the caller's token or role was taken from them since the request began. */
export async function enterAgain(c: Context<ApiEnv>, { findCaller, reflections }: Entrance): Promise<void> {
  if (!(await isStillAuthorized(c.get('caller'), findCaller))) {
    throw new PlatformError('unauthenticated', {
      message: 'This token was revoked, or given another role, while its request was being read.',
    })
  }
  await enter(c, reflections)
}

/** To ask changes nothing, and has to be quick. */
const isGuarded = (c: Context<ApiEnv>) =>
  /^\/v1\/(reflections|tokens)/.test(c.get('route')) && !c.get('route').endsWith('/ask')

async function enter(c: Context<ApiEnv>, reflections: ReflectionStore): Promise<void> {
  const least = REFLECTION_ACCESS[`${c.req.method === 'HEAD' ? 'GET' : c.req.method} ${c.get('route')}`]
  if (least === undefined) return
  const { reflection, role, reach } = await reflectionFor(c.get('caller'), idIn(c.req.path), reflections)
  if (!isAtLeast(role, least)) {
    throw new PlatformError('forbidden', {
      message: `This needs the role ${least} on the reflection; you are its ${role}. Its owner or an admin of it can change that.`,
    })
  }
  c.set('reflection', reflection)
  c.set('memberRole', role)
  c.set('reach', reach)
}

/** A reflection as somebody sees it who is let in. */
export interface EnteredReflection {
  /** Only with the namespaces that they reach. */
  readonly reflection: Reflection
  readonly role: MemberRole
  /** Absent for who reaches everything. */
  readonly reach?: MemberReach
}

/** The reflection and the caller's role on it; to who has none it is as if it did not exist. */
export async function reflectionFor(
  caller: Caller,
  reflectionId: ReflectionId,
  reflections: ReflectionStore,
): Promise<EnteredReflection> {
  const [reflection, member] = await Promise.all([
    reflections.find(reflectionId),
    caller.role === 'owner' ? OWNER : reflections.memberOf(reflectionId, caller.personId),
  ])
  if (reflection && member) return { ...member, reflection: withinReach(reflection, member.reach) }
  throw new PlatformError('reflection_not_found', {
    reflectionId,
    message: `There is no reflection ${reflectionId}.`,
  })
}

const OWNER: Membership = { role: 'owner' }

const withinReach = (reflection: Reflection, reach: MemberReach | undefined): Reflection =>
  reach
    ? {
        ...reflection,
        namespaces: reflection.namespaces.filter(({ name }) => reach.namespaces.includes(name)),
      }
    : reflection

function idIn(path: string): ReflectionId {
  const id = ReflectionId.safeParse(path.split('/')[3])
  if (id.success) return id.data
  throw new PlatformError('validation', { message: 'The id of a reflection starts with rfl_.' })
}
