import type { Failure } from '../failure/failure.ts'

const FIRST_MS = 15_000
const LONGEST_MS = 120_000
/** After this long without a failure, the last one counts no more. */
const FORGOTTEN_MS = 600_000
/** How many requests in a row fail before the model is left alone: one may fail on any day. */
const MOST_FAILURES = 3

interface Entry {
  readonly failure: Failure
  readonly failures: number
  readonly failedAt: number
  /** How long the model is left alone; 0 where it is not yet. */
  readonly ms: number
  readonly until: number
}

/** Models that failed repeatedly and are left alone for a while, so that a chain goes straight to the next. */
export function coolDowns(now: () => number) {
  const entries = new Map<string, Entry>()
  const coolingOf = (key: string) => {
    const entry = entries.get(key)
    return entry && entry.until > now() ? entry : undefined
  }

  return {
    /** Why the model is left alone, and for how long still; undefined where it is not. */
    coolingOf(key: string): { readonly failure: Failure; readonly waitMs: number } | undefined {
      const entry = coolingOf(key)
      return entry && { failure: entry.failure, waitMs: entry.until - now() }
    },
    /** How many requests in a row have failed. */
    failuresOf: (key: string): number => entries.get(key)?.failures ?? 0,
    /** `failuresBefore` is the number of failures when the request began. */
    failed(key: string, failure: Failure, failuresBefore: number) {
      const known = entries.get(key)
      const last = known && now() - Math.max(known.failedAt, known.until) <= FORGOTTEN_MS ? known : undefined
      // Requests that were under way together fail together, which is one failure.
      const isNew = !last || last.failures <= failuresBefore
      const failures = (last?.failures ?? 0) + (isNew ? 1 : 0)
      const backOff = isNew && last?.ms ? last.ms * 2 : (last?.ms ?? 0) || FIRST_MS
      const isCertain = !isOutage(failure) || failure.retryAfterMs !== undefined
      const ms =
        isCertain || failures >= MOST_FAILURES
          ? Math.min(LONGEST_MS, Math.max(backOff, failure.retryAfterMs ?? 0))
          : 0
      entries.set(key, {
        failure,
        failures,
        failedAt: now(),
        ms: Math.max(ms, last?.ms ?? 0),
        until: Math.max(now() + ms, last?.until ?? 0),
      })
    },
    /** Until when the model is left alone, where it is. */
    untilOf: (key: string): number | undefined => coolingOf(key)?.until,
    worked(key: string) {
      entries.delete(key)
    },
  }
}

/** It may be over by the next request, unlike a bad key or a rate limit. */
const isOutage = ({ error }: Failure): boolean => error.code === 'provider_unavailable'

export type CoolDowns = ReturnType<typeof coolDowns>
