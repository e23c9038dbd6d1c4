import { PlatformError } from '@parley/contracts'
import type { Services } from '../services.ts'

const EVERY_MS = 30_000
/** No start takes so long while its process lives. */
const OVERDUE_MS = 60_000

type SweepHost = Pick<Services, 'reflectionSessions' | 'publicScopes' | 'sessions' | 'logger'>

/** Fails, again and again, the sessions whose process died while they started. */
export function sweepStarts(services: SweepHost) {
  const timer = setInterval(() => {
    failOverdueStarts(services).catch((err: unknown) => {
      services.logger.warn({ err }, 'could not look for sessions that did not start')
    })
  }, EVERY_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Nothing is left of them but their row. */
export async function failOverdueStarts(
  { reflectionSessions, publicScopes, sessions }: SweepHost,
  now = Date.now(),
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
