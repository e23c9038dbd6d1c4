import { setTimeout } from 'node:timers/promises'
import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { type ErrorCode, PlatformError, findErrorCode, listCauses, parseRetryAfter } from '@parley/contracts'
import type { AgentNotUsable } from '@parley/reflections'

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

export interface VendorCaller {
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

export function createCaller(settings: ElevenLabsSettings): VendorCaller {
  const { apiKey, baseUrl = BASE_URL, now = Date.now, random = Math.random, sleep = wait } = settings
  const limits = { ...LIMITS, ...settings.limits }
  let client: ElevenLabsClient | undefined

  return {
    apiKey,
    baseUrl,
    now,
    sleep,
    async call(kind, signal, send) {
      if (signal.aborted) throw createCancelledError(signal)
      client ??= await connect(apiKey, baseUrl)
      const { attempts, attemptMs, deadlineMs } = limits[kind]
      const endsAt = now() + deadlineMs
      for (let attempt = 1; ; attempt += 1) {
        if (signal.aborted) throw createCancelledError(signal)
        const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(attemptMs, endsAt - now()))))
        // An aborted call leaves the SDK's own timer running, for four minutes by default.
        const timeoutInSeconds = Math.ceil(attemptMs / 1_000) + 1
        let failure: CallFailure
        try {
          return await send(client, { abortSignal: AbortSignal.any([signal, timeout]), timeoutInSeconds })
        } catch (thrown) {
          if (signal.aborted) throw createCancelledError(signal)
          const call = { apiKey, baseUrl, now: now() }
          failure = timeout.aborted ? createTimeoutFailure(call, attemptMs) : toFailure(thrown, call)
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

const createCancelledError = (signal: AbortSignal) =>
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
export async function readAllPages<Item>(
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
export async function toAgentOutcome<Answer>(
  agentId: string,
  answer: Promise<Answer>,
): Promise<Answer | AgentNotUsable> {
  try {
    return await answer
  } catch (thrown) {
    const status = readStatus(thrown)
    if (status === undefined || !NOT_USABLE.includes(status)) throw thrown
    return { kind: 'agent_not_usable', agentId, status, reason: readReason(thrown) }
  }
}

/** Returns undefined if the provider answers 404. */
export async function ignoreMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (thrown) {
    if (readStatus(thrown) === 404) return undefined
    throw thrown
  }
}

function readStatus(thrown: unknown): number | undefined {
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

interface CallFailure {
  readonly error: PlatformError
  readonly isRetryable: boolean
  readonly retryAfterMs?: number
}

interface FailedCall {
  readonly apiKey: string
  readonly baseUrl: string
  readonly now: number
}

/**
 * Turns any SDK error into a `PlatformError` whose message names the host and the setting to check.
 * `detail.isOfProvider` marks it; `detail.status` is the provider's HTTP status, if it answered.
 */
function toFailure(thrown: unknown, call: FailedCall): CallFailure {
  const error: SdkError = typeof thrown === 'object' && thrown !== null ? thrown : {}
  if (error.name === 'ParseError' || error.name === 'UnexpectedResponseError')
    return createOtherApiFailure(thrown, call)
  if (error.name === 'JsonError') {
    return createFailure(
      'validation',
      `The SDK cannot send this request: ${cleanText(error.message)}`,
      {},
      thrown,
    )
  }
  const { statusCode } = error
  if (typeof statusCode !== 'number') return createUnreachableFailure(thrown, call)
  if (statusCode < 400) return createOtherApiFailure(thrown, call)
  return toStatusFailure(statusCode, error, call, thrown)
}

const createTimeoutFailure = (call: FailedCall, ms: number): CallFailure =>
  createFailure('provider_unavailable', `${getHost(call)} did not answer within ${ms / 1_000} s.`, {
    isRetryable: true,
  })

interface SdkError {
  readonly name?: unknown
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly body?: unknown
  readonly rawResponse?: { readonly headers?: { get(name: string): string | null } }
}

interface StatusFailure {
  readonly code: ErrorCode
  readonly isRetryable: boolean
  /** Follows the host's name in the message. */
  readonly what: string
}

const BY_STATUS: Readonly<Record<number, StatusFailure>> = {
  401: { code: 'provider_auth', isRetryable: false, what: 'refused the API key: check ELEVENLABS_API_KEY' },
  403: {
    code: 'provider_auth',
    isRetryable: false,
    what: 'does not allow this with the configured API key: check the permissions of the key',
  },
  408: { code: 'provider_unavailable', isRetryable: true, what: 'timed out on the request' },
  425: { code: 'provider_unavailable', isRetryable: true, what: 'was not ready yet' },
  429: { code: 'provider_rate_limit', isRetryable: true, what: 'rate limit reached' },
}
const SERVER_ERROR: StatusFailure = { code: 'provider_unavailable', isRetryable: true, what: 'failed' }
const REJECTED: StatusFailure = { code: 'validation', isRetryable: false, what: 'rejected the request' }

function toStatusFailure(status: number, error: SdkError, call: FailedCall, cause: unknown): CallFailure {
  const { code, isRetryable, what } = BY_STATUS[status] ?? (status >= 500 ? SERVER_ERROR : REJECTED)
  const said = cleanText(readMessage(error.body)).replaceAll(call.apiKey, '[key]')
  const message = `${getHost(call)} ${what} (HTTP ${status}).${said === '' ? '' : ` It said: ${said}`}`
  const waitMs = parseRetryAfter(error.rawResponse?.headers?.get('retry-after') ?? undefined, call.now)
  return createFailure(code, message, { status, said, isRetryable, waitMs }, cause)
}

function createOtherApiFailure(thrown: unknown, call: FailedCall): CallFailure {
  const message = `The server at ${call.baseUrl} does not speak the API of ElevenLabs: check ELEVENLABS_BASE_URL.`
  return createFailure('provider_unavailable', message, {}, thrown)
}

function createUnreachableFailure(thrown: unknown, call: FailedCall): CallFailure {
  if (listCauses(thrown).some((cause) => cause instanceof Error && cause.message === 'unexpected redirect')) {
    const message = `${getHost(call)} redirects, which would send the API key elsewhere: set ELEVENLABS_BASE_URL to the final address.`
    return createFailure('provider_unavailable', message, {}, thrown)
  }
  const code = findErrorCode(thrown)
  const why = code === undefined ? '' : ` (${code})`
  const message = `${getHost(call)} cannot be reached${why}: check ELEVENLABS_BASE_URL and the network.`
  return createFailure('provider_unavailable', message, { isRetryable: true }, thrown)
}

interface FailureDetails {
  readonly status?: number
  readonly said?: string
  readonly isRetryable?: boolean
  readonly waitMs?: number | undefined
}

function createFailure(
  code: ErrorCode,
  message: string,
  { status, said, isRetryable = false, waitMs }: FailureDetails,
  cause?: unknown,
): CallFailure {
  const detail = {
    message,
    isOfProvider: true,
    ...(status !== undefined && { status }),
    ...(said && { said }),
  }
  return {
    error: new PlatformError(code, detail, { cause }),
    isRetryable,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  }
}

const getHost = ({ baseUrl }: FailedCall): string => new URL(baseUrl).host

/** The vendor's `detail` is a text, an object with a message, or a list of issues. */
function readMessage(body: unknown): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : body
  if (typeof detail === 'string') return detail.startsWith('<') ? '' : detail
  if (Array.isArray(detail)) return detail.map(formatIssue).join('; ')
  if (typeof detail === 'object' && detail !== null && 'message' in detail) return String(detail.message)
  return ''
}

function formatIssue(issue: unknown): string {
  if (typeof issue !== 'object' || issue === null) return String(issue)
  const { loc, msg } = issue as { readonly loc?: unknown; readonly msg?: unknown }
  return `${Array.isArray(loc) ? `${loc.join('.')}: ` : ''}${String(msg)}`
}

const MAX_TEXT_LENGTH = 300

/** Removes control characters and limits the length of the vendor's text. */
const cleanText = (text: unknown): string =>
  typeof text === 'string' ? text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_TEXT_LENGTH) : ''
