import { setTimeout } from 'node:timers/promises'
import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { PlatformError } from '@parley/contracts'
import type { AgentNotUsable } from '@parley/reflections'
import { type Failure, toFailure, tooSlow } from './failures.ts'

const BASE_URL = 'https://api.elevenlabs.io'
const FIRST_WAIT_MS = 250

// A credential may take as long as the session start that needs it, which also aborts the call.
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
  /** Calls the provider, with retries for temporary errors. Throws only platform errors. */
  readonly call: <Answer>(
    kind: CallKind,
    signal: AbortSignal,
    send: (client: ElevenLabsClient, options: RequestOptions) => PromiseLike<Answer>,
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
    async call(kind, signal, send) {
      if (signal.aborted) throw cancelled(signal)
      client ??= await connect(apiKey, baseUrl)
      const { attempts, attemptMs, deadlineMs } = limits[kind]
      const endsAt = now() + deadlineMs
      for (let attempt = 1; ; attempt += 1) {
        if (signal.aborted) throw cancelled(signal)
        const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(attemptMs, endsAt - now()))))
        // An aborted call leaves the SDK's own timer running, for four minutes by default.
        const timeoutInSeconds = Math.ceil(attemptMs / 1_000) + 1
        let failure: Failure
        try {
          return await send(client, { abortSignal: AbortSignal.any([signal, timeout]), timeoutInSeconds })
        } catch (thrown) {
          if (signal.aborted) throw cancelled(signal)
          const call = { apiKey, baseUrl, now: now() }
          failure = timeout.aborted ? tooSlow(call, attemptMs) : toFailure(thrown, call)
        }
        const waitMs = Math.max(failure.retryAfterMs ?? 0, backOff(attempt, random))
        const mayRetry = failure.isRetryable && attempt < attempts && now() + waitMs < endsAt
        if (!mayRetry) throw failure.error
        await sleep(waitMs, signal).catch(() => undefined)
      }
    },
  }
}

async function connect(apiKey: string, baseUrl: string): Promise<ElevenLabsClient> {
  const { ElevenLabsClient } = await loadSdk()
  return new ElevenLabsClient({ apiKey, baseUrl, maxRetries: 0, fetch: withoutRedirects })
}

/** A redirect would send the key to another host. */
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
 * Loads the SDK. Its 5,000 files block the process for a second or two, so the first call loads it, or a process that
 * prefers to wait at its start.
 */
export const loadSdk = () => import('@elevenlabs/elevenlabs-js')

interface Page<Item> {
  readonly items: readonly Item[]
  readonly hasMore?: boolean
  readonly nextCursor?: string
}

/** More than any workspace has; stops a provider that pages forever. */
const MAX_PAGES = 1_000

/** Reads all pages of a list. */
export async function allPages<Item>(
  read: (cursor: { readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: { readonly cursor?: string } = {}
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await read(cursor)
    items.push(...page.items)
    if (page.hasMore === false || !page.nextCursor || page.nextCursor === cursor.cursor) break
    cursor = { cursor: page.nextCursor }
  }
  return items
}

const NOT_USABLE = [400, 404, 422]

/** Returns the answer, or `agent_not_usable` if the provider rejected this agent. */
export async function agentOutcome<Answer>(
  agentId: string,
  answer: Promise<Answer>,
): Promise<Answer | AgentNotUsable> {
  try {
    return await answer
  } catch (thrown) {
    const status = statusOf(thrown)
    if (status === undefined || !NOT_USABLE.includes(status)) throw thrown
    return { kind: 'agent_not_usable', agentId, status, reason: readReason(thrown) }
  }
}

/** Returns undefined if the provider answers 404. */
export async function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (thrown) {
    if (statusOf(thrown) === 404) return undefined
    throw thrown
  }
}

function statusOf(thrown: unknown): number | undefined {
  const status = thrown instanceof PlatformError ? thrown.detail['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

function readReason(thrown: unknown): string {
  const said = thrown instanceof PlatformError ? thrown.detail['said'] : undefined
  return typeof said === 'string' ? said : 'the provider gave no reason'
}

/** Limits for one kind of call. The deadline includes waits and retries. */
export interface CallLimits {
  readonly attempts: number
  readonly attemptMs: number
  readonly deadlineMs: number
}

/** `credential`: a person waits for it at the start of a session. `write`: never retried. */
export type CallKind = 'credential' | 'read' | 'write'

export interface ElevenLabsSettings {
  readonly apiKey: string
  /** The vendor's service, one of its regional addresses, or a local provider. */
  readonly baseUrl?: string
  readonly limits?: Partial<Record<CallKind, CallLimits>>
  /** Maximum time to wait for a run of agent tests. */
  readonly testRunMs?: number
  readonly now?: () => number
  /** From 0 up to 1. */
  readonly random?: () => number
  /** Rejects when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}
