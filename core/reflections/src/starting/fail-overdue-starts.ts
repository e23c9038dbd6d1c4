import { PlatformError } from '@parley/contracts'
import type { Sessions } from '@parley/engine'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { PublicScopePort } from './starting-host.ts'

interface OverdueHost {
  readonly reflectionSessions: Pick<ReflectionSessionStore, 'failOverdue'>
  readonly publicScopes: Pick<PublicScopePort, 'end'>
  readonly sessions: Pick<Sessions, 'remove'>
}

/** No start takes so long while its process lives. */
const OVERDUE_MS = 60_000

/** Fails the sessions whose process died during their start. Only their rows stay. */
export async function failOverdueStarts(
  { reflectionSessions, publicScopes, sessions }: OverdueHost,
  now: number,
): Promise<number> {
  const failed = await reflectionSessions.failOverdue(new Date(now - OVERDUE_MS).toISOString())
  for (const { sessionId, sessionAudience } of failed) {
    if (sessionAudience === 'public') await publicScopes.end(sessionId)
    await sessions.remove(sessionId).catch((failure: unknown) => {
      if (!(failure instanceof PlatformError && failure.code === 'session_not_found')) throw failure
    })
  }
  return failed.length
}
