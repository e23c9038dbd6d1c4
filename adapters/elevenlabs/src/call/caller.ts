import { setTimeout } from 'node:timers/promises'
import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { PlatformError } from '@parley/contracts'
import type { CallKind, CallLimits, ElevenLabsSettings } from '../settings.ts'
import { type Failure, failureOf, tooSlow } from './failure-of.ts'

const BASE_URL = 'https://api.elevenlabs.io'
const FIRST_WAIT_MS = 250

// A credential is waited for as long as the start that asks for it lasts, which also aborts the call.
const LIMITS: Readonly<Record<CallKind, CallLimits>> = {
  credential: { attempts: 4, attemptMs: 12_000, deadlineMs: 12_000 },
  read: { attempts: 4, attemptMs: 10_000, deadlineMs: 30_000 },
  write: { attempts: 1, attemptMs: 20_000, deadlineMs: 20_000 },
}

interface RequestOptions {
  readonly abortSignal: AbortSignal
  readonly timeoutInSeconds: number
}

export interface Caller {
  /** Calls the provider, and again where that may help. Throws only platform errors. */
  readonly call: <Answer>(
    kind: CallKind,
    signal: AbortSignal,
    ask: (client: ElevenLabsClient, options: RequestOptions) => PromiseLike<Answer>,
  ) => Promise<Answer>
  readonly apiKey: string
  readonly baseUrl: string
  readonly now: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

export function createCaller(settings: ElevenLabsSettings): Caller {
  const { apiKey, baseUrl = BASE_URL, now = Date.now, random = Math.random, sleep = wait } = settings
  const limits = { ...LIMITS, ...settings.limits }
  let client: ElevenLabsClient | undefined

  return {
    apiKey,
    baseUrl,
    now,
    sleep,
    async call(kind, signal, ask) {
      if (signal.aborted) throw cancelled(signal)
      client ??= await connect(apiKey, baseUrl)
      const { attempts, attemptMs, deadlineMs } = limits[kind]
      const endsAt = now() + deadlineMs
      for (let attempt = 1; ; attempt += 1) {
        if (signal.aborted) throw cancelled(signal)
        const slow = AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(attemptMs, endsAt - now()))))
        // The SDK leaves its own timer behind when a call is broken off: four minutes, unless we say less.
        const timeoutInSeconds = Math.ceil(attemptMs / 1_000) + 1
        let failure: Failure
        try {
          return await ask(client, { abortSignal: AbortSignal.any([signal, slow]), timeoutInSeconds })
        } catch (thrown) {
          if (signal.aborted) throw cancelled(signal)
          const call = { apiKey, baseUrl, now: now() }
          failure = slow.aborted ? tooSlow(call, attemptMs) : failureOf(thrown, call)
        }
        const waitMs = Math.max(failure.retryAfterMs ?? 0, backOff(attempt, random))
        const isWorthIt = failure.isRetryable && attempt < attempts && now() + waitMs < endsAt
        if (!isWorthIt) throw failure.error
        await sleep(waitMs, signal).catch(() => undefined)
      }
    },
  }
}

async function connect(apiKey: string, baseUrl: string): Promise<ElevenLabsClient> {
  const { ElevenLabsClient } = await loadSdk()
  return new ElevenLabsClient({ apiKey, baseUrl, maxRetries: 0, fetch: withoutRedirects })
}

/** A redirect would carry the key to wherever it points. */
const withoutRedirects: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' })

const wait = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal })

const backOff = (attempt: number, random: () => number): number =>
  FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + random() / 2)

const cancelled = (signal: AbortSignal) =>
  new PlatformError(
    'cancelled',
    { message: 'The call to the voice provider was cancelled.' },
    { cause: signal.reason },
  )

/**
 * The SDK is some 5,000 files; loading them takes a second or two, in which the process does nothing else. So it comes
 * with the first call, or earlier where a process would rather wait at its start.
 */
export const loadSdk = () => import('@elevenlabs/elevenlabs-js')
