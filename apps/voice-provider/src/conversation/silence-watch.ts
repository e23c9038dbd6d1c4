/** Waits for the person while nobody speaks. */
export interface SilenceWatch {
  /** The person did something: all waiting begins anew. */
  readonly active: () => void
  /** The agent is heard until then, and waits from then on. */
  answeredUntil(at: number, wasAsked: boolean): void
  /** Nobody waits for the person: they speak, or are being answered. */
  hold(): void
  close(): void
}

interface SilenceHost {
  /** How long the agent waits before it speaks up; undefined where it never does. */
  readonly turnTimeoutMs: number | undefined
  /** How long before the call ends; undefined where it does not. */
  readonly endCallMs: number | undefined
  readonly now: () => number
  readonly onTurnTimeout: () => void
  readonly onEndCall: () => void
}

/** An agent that spoke up this often without an answer stays quiet: who is silent has heard it. */
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
