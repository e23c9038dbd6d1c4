import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type SessionId } from '@parley/contracts'
import type { Services } from '../services.ts'

/** A turn that is told to stop ends within moments. */
const MOST_TRIES = 40
const PAUSE_MS = 50

/**
 * Of sessions that ended since the public lost something: what still answers in them is stopped, and no other turn begins, though its
 * request was let in before.
 */
export async function stopUnpublished(
  ended: readonly SessionId[],
  { sessions, logger }: Pick<Services, 'sessions' | 'logger'>,
): Promise<void> {
  const stopped = await Promise.allSettled(ended.map((sessionId) => stop(sessionId, sessions)))
  for (const one of stopped) {
    if (one.status === 'rejected')
      logger.warn({ err: one.reason }, 'a turn of an unpublished session goes on')
  }
}

async function stop(sessionId: SessionId, sessions: Services['sessions']): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await sessions.cancel(sessionId)
      return await sessions.end(sessionId)
    } catch (failure) {
      const code = failure instanceof PlatformError ? failure.code : 'internal'
      if (code === 'session_not_found' || code === 'session_ended') return
      if (code !== 'session_busy' || tries === MOST_TRIES) throw failure
      await pause(PAUSE_MS)
    }
  }
}
