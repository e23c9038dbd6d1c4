import { type ErrorCode, PlatformError, type SessionId } from '@parley/contracts'
import type { StartTime } from './in-time.ts'
import type { ErrorReporter } from './starting-host.ts'
import { withinDeadline } from './within-deadline.ts'

interface StartAttempt<Outcome> {
  readonly sessionId: SessionId
  readonly begin: (signal: AbortSignal) => Promise<Outcome>
  /** What leaves nothing of it but its row, which says why. It may be done twice. */
  readonly undo: (code: ErrorCode) => readonly Promise<unknown>[]
}

/** Who was told that it took too long waits no longer than this for what is undone. */
const UNDO_MS = 250

/** Starts a session in time. Where that fails, it is reported and undone, and thrown with the session's id. */
export async function startOrUndo<Outcome>(
  { sessionId, begin, undo }: StartAttempt<Outcome>,
  time: StartTime,
  errors: ErrorReporter,
): Promise<Outcome> {
  let underWay: Promise<unknown> | undefined
  try {
    return await time.within((signal) => {
      const begun = begin(signal)
      underWay = begun.catch(() => undefined)
      return begun
    })
  } catch (failure) {
    const { code, detail } = failure instanceof PlatformError ? failure : new PlatformError('internal')
    errors.capture(failure, { sessionId, code })
    const undoAll = async () => {
      for (const done of await Promise.allSettled(undo(code))) {
        if (done.status === 'rejected') errors.capture(done.reason, { sessionId, code: 'internal' })
      }
    }
    if (time.isOver()) {
      // A statement that was under way may have got through all the same.
      void underWay?.then(undoAll)
      await withinDeadline(undoAll, UNDO_MS, time.wait)
    } else {
      await time.within(undoAll).catch(() => undefined)
    }
    throw new PlatformError(code, { ...detail, failedSessionId: sessionId }, { cause: failure })
  }
}
