import type { TurnError } from '@parley/contracts'
import type { ProviderFailure } from '../failure/provider-failure.ts'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 8_000
/** If a provider requests a longer wait, the next model of the chain is used instead. */
const MAX_RETRY_AFTER_MS = 30_000
/** A request that took longer to fail is not retried. */
const MAX_FAILING_MS = 30_000

export interface RetryHost {
  readonly maxAttempts: number
  /** Waits for a short cool-down to end, because there is no fallback. */
  readonly waitsForCoolDown: boolean
  readonly coolDowns: CoolDowns
  readonly now: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  /** Resolves early if the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** One attempt. A failure is its last event. */
type RunAttempt<Request, Event> = (
  request: Request,
  signal: AbortSignal,
) => AsyncIterable<Event | FailedAttempt>

interface FailedAttempt {
  readonly type: 'attempt_failed'
  readonly failure: ProviderFailure
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

/** Retries as long as there is no output and a retry may help. `key` identifies the model for cool-downs. */
export function withRetry<Request, Event extends { readonly type: string }>(
  key: string,
  run: RunAttempt<Request, Event>,
  host: RetryHost,
) {
  return async function* (
    request: Request,
    signal: AbortSignal,
  ): AsyncGenerator<Event | RetryEvent | FailureEvent, void> {
    const { coolDowns } = host
    const coolDown = coolDowns.find(key)
    if (coolDown) {
      const { failure, waitMs } = coolDown
      if (!host.waitsForCoolDown || !failure.error.retryable || waitMs > MAX_RETRY_AFTER_MS) {
        yield { type: 'failure', error: createCoolDownError(failure.error, waitMs) }
        return
      }
      yield { type: 'retry', error: failure.error, waitMs }
      await host.pause(waitMs, signal)
    }
    const startedAt = host.now()
    const failuresBefore = coolDowns.countFailures(key)
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      let hasOutput = false
      let failure: ProviderFailure | undefined
      for await (const event of run(request, signal)) {
        if (isFailedAttempt(event)) {
          failure = event.failure
          break
        }
        if (!hasOutput) coolDowns.recordSuccess(key)
        hasOutput = true
        yield event
      }
      if (!failure) return
      const isTooLate = host.now() - startedAt > MAX_FAILING_MS
      const mayRetry = attempt < host.maxAttempts && !hasOutput && !isTooLate
      const waitMs = mayRetry ? planRetryDelay(failure, attempt, host) : undefined
      if (waitMs === undefined) {
        if (!hasOutput && concernsOtherRequests(failure))
          coolDowns.recordFailure(key, failure, failuresBefore)
        yield { type: 'failure', error: failure.error }
        return
      }
      yield { type: 'retry', error: failure.error, waitMs }
      await host.pause(waitMs, signal)
    }
  }
}

const isFailedAttempt = (event: { readonly type: string }): event is FailedAttempt =>
  event.type === 'attempt_failed'

const createCoolDownError = (error: TurnError, waitMs: number): TurnError => ({
  ...error,
  message: `Paused for ${Math.ceil(waitMs / 1_000)} s after a failure: ${error.message}`,
})

/** Unlike a bad request, a bad key or an outage affects the next request too. */
const concernsOtherRequests = ({ error }: ProviderFailure): boolean =>
  error.retryable || error.code === 'provider_auth' || error.code === 'provider_rate_limit'

/** Milliseconds until the next attempt; undefined for none. */
function planRetryDelay(
  { error, retryAfterMs = 0 }: ProviderFailure,
  attempt: number,
  { random }: RetryHost,
): number | undefined {
  if (!error.retryable || retryAfterMs > MAX_RETRY_AFTER_MS) return undefined
  const backOff = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
  return Math.ceil(Math.max(retryAfterMs, backOff * (0.5 + random() / 2)))
}

const FIRST_COOL_DOWN_MS = 15_000
const MAX_COOL_DOWN_MS = 120_000
/** A failure no longer counts after this time. */
const FORGOTTEN_MS = 600_000
/** Consecutive failures before a cool-down: a single one means little. */
const MAX_FAILURES = 3

interface CoolDown {
  readonly failure: ProviderFailure
  readonly failures: number
  readonly failedAt: number
  /** The length of the cool-down; 0 for none. */
  readonly ms: number
  readonly until: number
}

/** Models that failed repeatedly are not called for a while, so a chain skips them. */
export function createCoolDowns(now: () => number) {
  const entries = new Map<string, CoolDown>()
  const findActive = (key: string) => {
    const entry = entries.get(key)
    return entry && entry.until > now() ? entry : undefined
  }

  return {
    /** The failure and the remaining time of a cool-down, if any. */
    find(key: string): { readonly failure: ProviderFailure; readonly waitMs: number } | undefined {
      const entry = findActive(key)
      return entry && { failure: entry.failure, waitMs: entry.until - now() }
    },
    /** The number of consecutive failed requests. */
    countFailures: (key: string): number => entries.get(key)?.failures ?? 0,
    /** `failuresBefore` is the number of failures when the request began. */
    recordFailure(key: string, failure: ProviderFailure, failuresBefore: number) {
      const known = entries.get(key)
      const last = known && now() - Math.max(known.failedAt, known.until) <= FORGOTTEN_MS ? known : undefined
      // Parallel requests fail together, which counts as one failure.
      const isNew = !last || last.failures <= failuresBefore
      const failures = (last?.failures ?? 0) + (isNew ? 1 : 0)
      const backOff = isNew && last?.ms ? last.ms * 2 : (last?.ms ?? 0) || FIRST_COOL_DOWN_MS
      const isCertain = !isOutage(failure) || failure.retryAfterMs !== undefined
      const ms =
        isCertain || failures >= MAX_FAILURES
          ? Math.min(MAX_COOL_DOWN_MS, Math.max(backOff, failure.retryAfterMs ?? 0))
          : 0
      entries.set(key, {
        failure,
        failures,
        failedAt: now(),
        ms: Math.max(ms, last?.ms ?? 0),
        until: Math.max(now() + ms, last?.until ?? 0),
      })
    },
    /** The end of the cool-down, if any. */
    findEnd: (key: string): number | undefined => findActive(key)?.until,
    recordSuccess(key: string) {
      entries.delete(key)
    },
  }
}

/** May be over by the next request, unlike a bad key or a rate limit. */
const isOutage = ({ error }: ProviderFailure): boolean => error.code === 'provider_unavailable'

type CoolDowns = ReturnType<typeof createCoolDowns>
