import type { Failure } from '../failure/failure.ts'

const FIRST_MS = 15_000
const LONGEST_MS = 120_000
/** After this long without a failure, the last one counts no more. */
const FORGOTTEN_MS = 600_000

interface Cooling {
  readonly until: number
  readonly ms: number
  readonly failure: Failure
}

/** Models that failed lately and are left alone for a while, so that a chain goes straight to the next. */
export function coolDowns(now: () => number) {
  const cooling = new Map<string, Cooling>()

  return {
    /** The failure to answer with at once, while the model is left alone. */
    failureOf(key: string): Failure | undefined {
      const { until, failure } = cooling.get(key) ?? {}
      if (!failure || until === undefined || until <= now()) return undefined
      const seconds = Math.ceil((until - now()) / 1_000)
      const message = `Not asked again for ${seconds} s, since it failed: ${failure.error.message}`
      return { error: { ...failure.error, message } }
    },
    failed(key: string, failure: Failure) {
      const ms = Math.min(LONGEST_MS, Math.max(nextMs(cooling.get(key), now()), failure.retryAfterMs ?? 0))
      cooling.set(key, { until: now() + ms, ms, failure })
    },
    /** Until when the model is left alone, where it is. */
    untilOf(key: string): number | undefined {
      const { until } = cooling.get(key) ?? {}
      return until !== undefined && until > now() ? until : undefined
    },
    worked(key: string) {
      cooling.delete(key)
    },
  }
}

/** Requests that were under way together fail together, which is one failure. */
function nextMs(last: Cooling | undefined, now: number): number {
  if (!last || now - last.until > FORGOTTEN_MS) return FIRST_MS
  return last.until > now ? last.ms : last.ms * 2
}

export type CoolDowns = ReturnType<typeof coolDowns>
