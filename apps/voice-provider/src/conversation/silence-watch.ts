/** Timers that run while nobody speaks. */
export interface SilenceWatch {
  /** The person did something: restarts the timers. */
  readonly active: () => void
  /** The agent is heard until this time; the timers start then. */
  answeredUntil(at: number, wasAsked: boolean): void
  /** Stops the timers while the person speaks or is being answered. */
  hold(): void
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
const MOST_IN_VAIN = 1

export function createSilenceWatch({
  turnTimeoutMs,
  endCallMs,
  now,
  onTurnTimeout,
  onEndCall,
}: SilenceHost): SilenceWatch {
  let inVain = 0
  let quietSince = now()
  let waitsSince: number | undefined
  let speakingUp: NodeJS.Timeout | undefined
  let ending: NodeJS.Timeout | undefined
  let isClosed = false

  const at = (time: number, fire: () => void) => setTimeout(fire, Math.max(0, time - now()))
  const arm = () => {
    clearTimeout(speakingUp)
    clearTimeout(ending)
    if (waitsSince === undefined || isClosed) return
    if (turnTimeoutMs !== undefined && inVain < MOST_IN_VAIN) {
      speakingUp = at(waitsSince + turnTimeoutMs, () => {
        inVain += 1
        onTurnTimeout()
      })
    }
    if (endCallMs !== undefined) ending = at(quietSince + endCallMs, onEndCall)
  }

  return {
    active() {
      inVain = 0
      quietSince = now()
      if (waitsSince !== undefined) waitsSince = quietSince
      arm()
    },
    answeredUntil(time, wasAsked) {
      waitsSince = Math.max(now(), time)
      if (wasAsked) quietSince = waitsSince
      arm()
    },
    hold() {
      waitsSince = undefined
      arm()
    },
    close() {
      isClosed = true
      arm()
    },
  }
}
