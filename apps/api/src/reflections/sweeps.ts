import { PlatformError } from '@parley/contracts'
import type { Services } from '../services.ts'

const STARTS_EVERY_MS = 30_000
/** No start takes so long while its process lives. */
const OVERDUE_MS = 60_000

type SweepHost = Pick<Services, 'reflectionSessions' | 'publicScopes' | 'sessions' | 'logger'>

/** Fails, again and again, the sessions whose process died while they started. */
export function sweepStarts(services: SweepHost) {
  const timer = setInterval(() => {
    failOverdueStarts(services).catch((err: unknown) => {
      services.logger.warn({ err }, 'could not look for sessions that did not start')
    })
  }, STARTS_EVERY_MS).unref()
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

const RESPONSES_EVERY_MS = 3_600_000

/** Deletes, at once and then every hour, the stored responses of keyed requests that are over. */
export function sweepResponses({ idempotency, logger }: Pick<Services, 'idempotency' | 'logger'>) {
  const sweep = () =>
    void idempotency.sweep().catch((err: unknown) => {
      logger.warn({ err }, 'old stored responses could not be deleted')
    })
  sweep()
  const timer = setInterval(sweep, RESPONSES_EVERY_MS).unref()
  return { stop: () => clearInterval(timer) }
}

const TURNS_EVERY_MS = 2_000

/** Ends, again and again, the turns whose process died, in this or any other process on the database. */
export function sweepInterrupted({ sessions, logger }: Pick<Services, 'sessions' | 'logger'>) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const sweep = async () => {
    try {
      const settled = await sessions.settleInterrupted()
      if (settled > 0) logger.warn({ settled }, 'ended turns whose process died')
    } catch (err) {
      logger.warn({ err }, 'could not look for turns whose process died')
    }
    if (!stopped) timer = setTimeout(() => void sweep(), TURNS_EVERY_MS).unref()
  }

  void sweep()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
