import { type ErrorCode, PlatformError } from '@parley/contracts'

export interface Failure {
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
export function toFailure(thrown: unknown, call: FailedCall): Failure {
  const error: Thrown = typeof thrown === 'object' && thrown !== null ? thrown : {}
  if (error.name === 'ParseError' || error.name === 'ForeignAnswerError') return foreignApi(thrown, call)
  if (error.name === 'JsonError') {
    return failed('validation', `The SDK cannot send this request: ${cut(error.message)}`, {}, thrown)
  }
  const { statusCode } = error
  if (typeof statusCode !== 'number') return unreachable(thrown, call)
  if (statusCode < 400) return foreignApi(thrown, call)
  return fromStatus(statusCode, error, call, thrown)
}

export const tooSlow = (call: FailedCall, ms: number): Failure =>
  failed('provider_unavailable', `${hostOf(call)} did not answer within ${ms / 1_000} s.`, {
    isRetryable: true,
  })

interface Thrown {
  readonly name?: unknown
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly body?: unknown
  readonly rawResponse?: { readonly headers?: { get(name: string): string | null } }
}

interface Kind {
  readonly code: ErrorCode
  readonly isRetryable: boolean
  /** Follows the host's name in the message. */
  readonly what: string
}

const BY_STATUS: Readonly<Record<number, Kind>> = {
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
const BROKEN: Kind = { code: 'provider_unavailable', isRetryable: true, what: 'failed' }
const REFUSED: Kind = { code: 'validation', isRetryable: false, what: 'rejected the request' }

function fromStatus(status: number, error: Thrown, call: FailedCall, cause: unknown): Failure {
  const { code, isRetryable, what } = BY_STATUS[status] ?? (status >= 500 ? BROKEN : REFUSED)
  const said = cut(readMessage(error.body)).replaceAll(call.apiKey, '[key]')
  const message = `${hostOf(call)} ${what} (HTTP ${status}).${said === '' ? '' : ` It said: ${said}`}`
  const waitMs = retryAfterMs(error.rawResponse?.headers?.get('retry-after') ?? undefined, call.now)
  return failed(code, message, { status, said, isRetryable, waitMs }, cause)
}

function foreignApi(thrown: unknown, call: FailedCall): Failure {
  const message = `The server at ${call.baseUrl} does not speak the API of ElevenLabs: check ELEVENLABS_BASE_URL.`
  return failed('provider_unavailable', message, {}, thrown)
}

function unreachable(thrown: unknown, call: FailedCall): Failure {
  if (causesOf(thrown).some(({ message }) => message === 'unexpected redirect')) {
    const message = `${hostOf(call)} redirects, which would send the API key elsewhere: set ELEVENLABS_BASE_URL to the final address.`
    return failed('provider_unavailable', message, {}, thrown)
  }
  const code = causesOf(thrown).find(isCoded)?.code
  const why = code === undefined ? '' : ` (${code})`
  const message = `${hostOf(call)} cannot be reached${why}: check ELEVENLABS_BASE_URL and the network.`
  return failed('provider_unavailable', message, { isRetryable: true }, thrown)
}

interface FailureDetails {
  readonly status?: number
  readonly said?: string
  readonly isRetryable?: boolean
  readonly waitMs?: number | undefined
}

function failed(
  code: ErrorCode,
  message: string,
  { status, said, isRetryable = false, waitMs }: FailureDetails,
  cause?: unknown,
): Failure {
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

const hostOf = ({ baseUrl }: FailedCall): string => new URL(baseUrl).host

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

const LONGEST = 300

/** Removes control characters and limits the length of the vendor's text. */
const cut = (text: unknown): string =>
  typeof text === 'string' ? text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, LONGEST) : ''

function causesOf(thrown: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let cause = thrown; cause instanceof Error && causes.length < 5; cause = cause.cause)
    causes.push(cause)
  return causes
}

const isCoded = (cause: Error): cause is Error & { readonly code: string } =>
  'code' in cause && typeof cause.code === 'string'

/** Reads a Retry-After header: seconds or a date. */
function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : seconds * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
