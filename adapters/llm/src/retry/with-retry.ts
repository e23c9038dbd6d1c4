import type { TurnError } from '@parley/contracts'
import type { Failure } from '../failure/failure.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
/** A provider that asks for more is not waited for: the next of the chain is asked instead. */
const LONGEST_RETRY_AFTER_MS = 30_000
/** Nor is one asked again that took this long to fail. */
const PATIENCE_MS = 30_000

export interface RetryHost {
  readonly maxAttempts: number
  /** Whether a model that is left alone for a short while is waited for, since nobody else can be asked. */
  readonly waitsForCoolDown: boolean
  readonly coolDowns: CoolDowns
  readonly now: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  /** Resolves early where the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Ends with the attempt's failure, if it has one. */
type Ask<Request, Said> = (request: Request, signal: AbortSignal) => AsyncIterable<Said | FailedAttempt>

interface FailedAttempt {
  readonly type: 'failed'
  readonly failure: Failure
}

interface FailureEvent {
  readonly type: 'failure'
  readonly error: TurnError
}

interface RetryEvent {
  readonly type: 'retry'
  readonly error: TurnError
  readonly waitMs: number
}

/** Retries while nothing was said and another try may help. `key` names the model that cools down after failures. */
export function withRetry<Request, Said extends { readonly type: string }>(
  key: string,
  ask: Ask<Request, Said>,
  host: RetryHost,
) {
  return async function* (
    request: Request,
    signal: AbortSignal,
  ): AsyncGenerator<Said | RetryEvent | FailureEvent, void> {
    const { coolDowns } = host
    const cooling = coolDowns.coolingOf(key)
    if (cooling) {
      const { failure, waitMs } = cooling
      if (!host.waitsForCoolDown || !failure.error.retryable || waitMs > LONGEST_RETRY_AFTER_MS) {
        yield { type: 'failure', error: leftAlone(failure.error, waitMs) }
        return
      }
      yield { type: 'retry', error: failure.error, waitMs }
      await host.sleep(waitMs, signal)
    }
    const startedAt = host.now()
    const failuresBefore = coolDowns.failuresOf(key)
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      let hasSpoken = false
      let failure: Failure | undefined
      for await (const event of ask(request, signal)) {
        if (isFailed(event)) {
          failure = event.failure
          break
        }
        if (!hasSpoken) coolDowns.worked(key)
        hasSpoken = true
        yield event
      }
      if (!failure) return
      const isLate = host.now() - startedAt > PATIENCE_MS
      const wait =
        attempt < host.maxAttempts && !hasSpoken && !isLate ? waitFor(failure, attempt, host) : undefined
      if (wait === undefined) {
        if (!hasSpoken && cools(failure)) coolDowns.failed(key, failure, failuresBefore)
        yield { type: 'failure', error: failure.error }
        return
      }
      yield { type: 'retry', error: failure.error, waitMs: wait }
      await host.sleep(wait, signal)
    }
  }
}

const isFailed = (event: { readonly type: string }): event is FailedAttempt => event.type === 'failed'

const leftAlone = (error: TurnError, waitMs: number): TurnError => ({
  ...error,
  message: `Not asked again for ${Math.ceil(waitMs / 1_000)} s, since it failed: ${error.message}`,
})

/** A bad request is bad for itself alone; a bad key, or no answer, is so for the next request too. */
const cools = ({ error }: Failure): boolean =>
  error.retryable || error.code === 'provider_auth' || error.code === 'provider_rate_limit'

/** Milliseconds to the next attempt, or undefined where there should be none. */
function waitFor(
  { error, retryAfterMs = 0 }: Failure,
  attempt: number,
  { random }: RetryHost,
): number | undefined {
  if (!error.retryable || retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined
  const backOff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
  return Math.ceil(Math.max(retryAfterMs, backOff * (0.5 + random() / 2)))
}

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
export function createCoolDowns(now: () => number) {
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

type CoolDowns = ReturnType<typeof createCoolDowns>
