import { type MemberRole, PlatformError, type Reflection, ReflectionId } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api.ts'
import type { Caller } from './authenticate.ts'
import { isAtLeast } from './is-at-least.ts'
import { REFLECTION_ACCESS } from './reflection-access.ts'

/** Lets into the routes of a reflection only whose role on it is high enough, before any of their body is read. */
export function enterReflection(reflections: ReflectionStore): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const least = REFLECTION_ACCESS[`${c.req.method === 'HEAD' ? 'GET' : c.req.method} ${c.get('route')}`]
    if (least === undefined) return next()
    const { reflection, role } = await reflectionFor(c.get('caller'), idIn(c.req.path), reflections)
    if (!isAtLeast(role, least)) {
      throw new PlatformError('forbidden', {
        message: `This needs the role ${least} on the reflection; you are its ${role}. Its owner or an admin of it can change that.`,
      })
    }
    c.set('reflection', reflection)
    c.set('memberRole', role)
    return next()
  }
}

/** The reflection and the caller's role on it; to who has none it is as if it did not exist. */
export async function reflectionFor(
  caller: Caller,
  reflectionId: ReflectionId,
  reflections: ReflectionStore,
): Promise<{ readonly reflection: Reflection; readonly role: MemberRole }> {
  const [reflection, role] = await Promise.all([
    reflections.find(reflectionId),
    caller.role === 'owner' ? ('owner' as const) : reflections.roleOf(reflectionId, caller.personId),
  ])
  if (reflection && role) return { reflection, role }
  throw new PlatformError('reflection_not_found', {
    reflectionId,
    message: `There is no reflection ${reflectionId}.`,
  })
}

function idIn(path: string): ReflectionId {
  const id = ReflectionId.safeParse(path.split('/')[3])
  if (id.success) return id.data
  throw new PlatformError('validation', { message: 'The id of a reflection starts with rfl_.' })
}
