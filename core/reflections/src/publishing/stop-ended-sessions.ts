import { PlatformError, type SessionId } from '@parley/contracts'
import type { Sessions } from '@parley/engine'
import type { WarningLog } from '../sessions/sessions-host.ts'
import type { Wait } from '../starting/within-deadline.ts'

interface StopHost {
  readonly sessions: Pick<Sessions, 'cancel' | 'end'>
  readonly logger: WarningLog
  readonly wait: Wait
}

/** A cancelled turn ends within moments. */
const MAX_TRIES = 40
const PAUSE_MS = 50

/**
 * Stops the turns of sessions that ended because sources were unpublished, moved or removed. No further turn begins, even
 * if its request was accepted before.
 */
export async function stopEndedSessions(ended: readonly SessionId[], host: StopHost): Promise<void> {
  const stopped = await Promise.allSettled(ended.map((sessionId) => stopSession(sessionId, host)))
  for (const outcome of stopped) {
    if (outcome.status === 'rejected') {
      host.logger.warn({ err: outcome.reason }, 'a turn of an ended session is still running')
    }
  }
}

async function stopSession(sessionId: SessionId, { sessions, wait }: StopHost): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await sessions.cancel(sessionId)
      return await sessions.end(sessionId)
    } catch (failure) {
      const code = failure instanceof PlatformError ? failure.code : 'internal'
      if (code === 'session_not_found' || code === 'session_ended') return
      if (code !== 'session_busy' || tries === MAX_TRIES) throw failure
      await wait(PAUSE_MS, new AbortController().signal)
    }
  }
}
