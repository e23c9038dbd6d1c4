import { PlatformError } from '@parley/contracts'
import { type Wait, withinDeadline } from './within-deadline.ts'

/** From the request to an active session, spoken or typed: all of it, since somebody waits. */
export const BOOTSTRAP_MS = 12_000

/** The time that one start has, whatever it waits for. */
export interface StartTime {
  /** Throws `run_timeout` once the time is up. The work is told to stop then, and its answer is let go. */
  within<Outcome>(work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome>
  isOver(): boolean
  readonly wait: Wait
}

export async function inTime<Outcome>(
  wait: Wait,
  start: (time: StartTime) => Promise<Outcome>,
): Promise<Outcome> {
  const waiting = new AbortController()
  let isOver = false
  const timeUp = async () => {
    await wait(BOOTSTRAP_MS, waiting.signal)
    isOver = true
  }
  const over = timeUp()
  try {
    return await start({
      wait,
      isOver: () => isOver,
      async within(work) {
        if (isOver) throw tooLate()
        const outcome = await withinDeadline(work, BOOTSTRAP_MS, () => over)
        if (outcome === 'too late') throw tooLate()
        return outcome
      },
    })
  } finally {
    waiting.abort()
  }
}

export const tooLate = () =>
  new PlatformError('run_timeout', {
    message: `The session did not start within ${BOOTSTRAP_MS / 1_000} seconds. Try again.`,
  })
