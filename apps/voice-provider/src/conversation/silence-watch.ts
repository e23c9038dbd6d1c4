/** Timers that run while nobody speaks. */
export interface SilenceWatch {
  /** The person did something: restarts the timers. */
  readonly recordActivity: () => void
  /** Starts the timers at this time, when the agent stops speaking. */
  startWaiting(from: number, wasAsked: boolean): void
  /** Stops the timers while the person speaks or is being answered. */
  pause(): void
  close(): void
}

interface SilenceHost {
  /** Wait before the agent speaks again; undefined for never. */
  readonly turnTimeoutMs: number | undefined
  /** Wait before the call ends; undefined for never. */
  readonly endCallMs: number | undefined
  readonly now: () => number
  readonly onTurnTimeout: () => void
  readonly onEndCall: () => void
}

/** How often the agent speaks into a silence before it stays quiet. */
const MAX_REMINDERS = 1

export function createSilenceWatch({
  turnTimeoutMs,
  endCallMs,
  now,
  onTurnTimeout,
  onEndCall,
}: SilenceHost): SilenceWatch {
  let unansweredReminders = 0
  let quietSince = now()
  let waitingSince: number | undefined
  let reminderTimer: NodeJS.Timeout | undefined
  let endTimer: NodeJS.Timeout | undefined
  let isClosed = false

  const fireAt = (time: number, fire: () => void) => setTimeout(fire, Math.max(0, time - now()))
  const resetTimers = () => {
    clearTimeout(reminderTimer)
    clearTimeout(endTimer)
    if (waitingSince === undefined || isClosed) return
    if (turnTimeoutMs !== undefined && unansweredReminders < MAX_REMINDERS) {
      reminderTimer = fireAt(waitingSince + turnTimeoutMs, () => {
        unansweredReminders += 1
        onTurnTimeout()
      })
    }
    if (endCallMs !== undefined) endTimer = fireAt(quietSince + endCallMs, onEndCall)
  }

  return {
    recordActivity() {
      unansweredReminders = 0
      quietSince = now()
      if (waitingSince !== undefined) waitingSince = quietSince
      resetTimers()
    },
    startWaiting(from, wasAsked) {
      waitingSince = Math.max(now(), from)
      if (wasAsked) quietSince = waitingSince
      resetTimers()
    },
    pause() {
      waitingSince = undefined
      resetTimers()
    },
    close() {
      isClosed = true
      resetTimers()
    },
  }
}
