import { PlatformError } from '@parley/contracts'
import { type Wait, withinDeadline } from './within-deadline.ts'

/** From the row to an active session, spoken or typed: all of it, since somebody waits. */
export const BOOTSTRAP_MS = 12_000

/** Fails by `run_timeout` what takes longer than a start may; its work is told to stop. */
export async function inTime<Outcome>(
  wait: Wait,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await withinDeadline(work, BOOTSTRAP_MS, wait)
  if (outcome === 'too late') throw tooLate()
  return outcome
}

export const tooLate = () =>
  new PlatformError('run_timeout', {
    message: `The session did not start within ${BOOTSTRAP_MS / 1_000} seconds. Try again.`,
  })
