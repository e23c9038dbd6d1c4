import { type TurnErrorCode, findErrorCode, listCauses, parseRetryAfter } from '@parley/contracts'
import type { Provider } from '../vendors/vendor.ts'
import {
  CHECK_BASE_URL,
  type ProviderFailure,
  UnexpectedResponseError,
  createUnavailableFailure,
  RedirectError,
} from './provider-failure.ts'

export interface FailedRequest {
  readonly provider: Provider
  /** Absent if the call was not for a model. */
  readonly modelId?: string
  readonly now: number
}

/** Turns any error that a vendor's library throws or streams into a failure. */
export function toProviderFailure(thrown: unknown, call: FailedRequest): ProviderFailure {
  const { provider } = call
  const redirect = listCauses(thrown).find((cause) => cause instanceof RedirectError)
  if (redirect) {
    return createUnavailableFailure(
      `${provider.name} redirects to ${redirect.host}. Following it would send the key there: set base_url to the final address.`,
      false,
    )
  }
  if (listCauses(thrown).some((cause) => cause instanceof UnexpectedResponseError)) {
    return createUnavailableFailure(
      `The server at ${provider.baseUrl} does not speak the API of ${provider.vendor.title}, which ${provider.name} is configured for: ${CHECK_BASE_URL}`,
      false,
    )
  }
  const facts = readFacts(thrown)
  const mistake = findMistake(thrown, facts, provider)
  if (mistake) return { error: { code: 'validation', message: mistake, retryable: false } }
  // A stream that breaks has the status of its successful response.
  if (facts.status === undefined || facts.status < 400) return toNetworkFailure(thrown, facts, call)
  return toStatusFailure(facts.status, facts, call)
}

interface FailureFacts {
  readonly status: number | undefined
  /** The vendor's error message. */
  readonly vendorMessage: string
  /** The body and the message, to search for patterns. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>> | undefined
}

interface ThrownFields {
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly responseBody?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly data?: unknown
  readonly type?: unknown
  readonly code?: unknown
  readonly cause?: unknown
}

function readFacts(thrown: unknown): FailureFacts {
  const error: ThrownFields =
    typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) }
  const message = typeof error.message === 'string' ? error.message : ''
  const body = typeof error.responseBody === 'string' ? error.responseBody : toJsonText(error.data ?? thrown)
  const status = typeof error.statusCode === 'number' ? error.statusCode : findStatus(error)
  return {
    status,
    vendorMessage: readVendorMessage(body) ?? message,
    body: `${body} ${message}`,
    headers: error.responseHeaders,
  }
}

/** Errors within a stream have a type instead of a status. */
const STATUS_BY_TYPE: readonly (readonly [RegExp, number])[] = [
  [/overloaded/i, 529],
  [/rate_limit|insufficient_quota|RESOURCE_EXHAUSTED/i, 429],
  [/authentication|UNAUTHENTICATED|invalid_api_key/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/context_length|invalid_request|INVALID_ARGUMENT|bad_request/i, 400],
  [/server_error|api_error|UNAVAILABLE|INTERNAL/i, 500],
]

function findStatus({ type, code }: ThrownFields): number | undefined {
  if (typeof code === 'number' && code >= 400 && code < 600) return code
  const kind = [type, code].filter((word) => typeof word === 'string').join(' ')
  return kind === '' ? undefined : STATUS_BY_TYPE.find(([pattern]) => pattern.test(kind))?.[1]
}

function readVendorMessage(body: string): string | undefined {
  try {
    const parsed: { error?: { message?: unknown } | string; message?: unknown } | null = JSON.parse(body)
    const inner =
      typeof parsed?.error === 'object' ? parsed.error?.message : (parsed?.error ?? parsed?.message)
    return typeof inner === 'string' ? inner : undefined
  } catch {
    return undefined
  }
}

function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

const TOO_LONG =
  /context[_ ](?:length|window|size)|prompt is too long|maximum context|too many (?:input )?tokens|exceeds the maximum number of tokens|input (?:token count|is too long)|exceed_context_size/i
const FILTERED = /content_filter|content_policy|responsible ?ai|safety system/i
const OUT_OF_QUOTA = /insufficient_quota|credit balance|billing|exceeded your current quota/i

function toStatusFailure(
  status: number,
  facts: FailureFacts,
  { provider, modelId, now }: FailedRequest,
): ProviderFailure {
  const { name, apiKey, vendor } = provider
  const said = facts.vendorMessage === '' ? '' : ` It said: ${maskKey(facts.vendorMessage, apiKey)}`
  const toFailure = (code: TurnErrorCode, message: string, retryable = false): ProviderFailure => {
    const wait =
      retryable || status === 429 ? readRetryAfterMs(facts, vendor.failures?.retryDelay, now) : undefined
    return {
      error: { code, message: `${message}${describeWait(wait, now)}${said}`, retryable },
      ...(retryable && wait !== undefined && { retryAfterMs: wait }),
    }
  }

  if (status === 413 || (status < 500 && TOO_LONG.test(facts.body))) {
    return toFailure('validation', `The session is too long for ${modelId ?? name}.`)
  }
  if (status === 400 && vendor.failures?.badKey?.test(facts.body))
    return toFailure('provider_auth', describeBadKey(name))
  if (status === 401) return toFailure('provider_auth', describeBadKey(name))
  if (status === 403) {
    return toFailure(
      'provider_auth',
      `${name} does not allow this with the configured API key: check the permissions of the key.`,
    )
  }
  if (status === 404) return toFailure('validation', describeNotFound(name, modelId))
  if (status === 402 || (status === 429 && OUT_OF_QUOTA.test(facts.body))) {
    return toFailure(
      'provider_rate_limit',
      `The account at ${name} has no quota left: check its plan and billing.`,
    )
  }
  if (status === 429) return toFailure('provider_rate_limit', `${name}: rate limit reached.`, true)
  if (status === 408 || status === 409)
    return toFailure('provider_unavailable', `${name} did not accept the request (${status}).`, true)
  if (status >= 500) return toFailure('provider_unavailable', `${name} returned an error (${status}).`, true)
  if (FILTERED.test(facts.body))
    return toFailure('content_filter', `${name} refused the request because of its content.`)
  return toFailure('validation', `${name} refused the request (${status}).`)
}

const describeBadKey = (name: string) =>
  `${name} does not accept the API key: check that it is complete and still valid.`

const describeNotFound = (name: string, modelId: string | undefined) =>
  modelId === undefined
    ? `${name} found nothing at this address: ${CHECK_BASE_URL}`
    : `${name} does not know the model ${modelId}: list its models, or check base_url.`

function toNetworkFailure(
  thrown: unknown,
  facts: FailureFacts,
  { provider }: FailedRequest,
): ProviderFailure {
  const { name, apiKey } = provider
  const failure = findUnreachableFailure(thrown, provider)
  if (failure) return failure
  if (facts.status !== undefined || isUnreadable(thrown, provider)) {
    return createUnavailableFailure(`The answer of ${name} ended early or could not be read; try again.`)
  }
  return createUnavailableFailure(
    `${name} failed: ${maskKey(facts.vendorMessage || 'no reason was given', apiKey)}`,
  )
}

const UNUSABLE = /^AI_(?:UnsupportedFunctionality|InvalidPrompt|InvalidArgument|NoSuchModel)Error$/

/** A mistake that no retry fixes: the vendor does not support the request, or has another kind. */
function findMistake(
  thrown: unknown,
  { vendorMessage, body }: FailureFacts,
  { name, apiKey, vendor }: Provider,
): string | undefined {
  const otherKind = vendor.failures?.otherKind
  if (otherKind?.pattern.test(body)) {
    return `${name} does not speak the protocol of ${vendor.title}: set its kind to ${otherKind.kind}.`
  }
  return thrown instanceof Error && UNUSABLE.test(thrown.name)
    ? `${name} does not support this request: ${maskKey(vendorMessage, apiKey)}`
    : undefined
}

const UNREADABLE =
  /^AI_(?:JSONParseError|TypeValidationError|InvalidResponseDataError|EmptyResponseBodyError)$/

const isUnreadable = (thrown: unknown, { vendor }: Provider): boolean =>
  thrown instanceof Error &&
  (UNREADABLE.test(thrown.name) || vendor.failures?.unreadable?.test(thrown.message) === true)

const MAX_LENGTH = 300

/** A vendor's text as one short line, without control characters and without the key in any encoding. */
function maskKey(text: string, apiKey: string | undefined): string {
  const forms = apiKey ? [apiKey, encodeURIComponent(apiKey), Buffer.from(apiKey).toString('base64')] : []
  const line = forms
    .reduce((masked, form) => masked.replaceAll(form, '[key]'), text)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line
}

/** The wait that a provider requests: in seconds, as a date, or in the body. */
function readRetryAfterMs(
  { headers, body }: FailureFacts,
  retryDelay: RegExp | undefined,
  now: number,
): number | undefined {
  const precise = Number.parseFloat(headers?.['retry-after-ms'] ?? '')
  if (precise >= 0) return precise
  const written = headers?.['retry-after']
  return written === undefined ? readDelay(body, retryDelay) : parseRetryAfter(written, now)
}

function readDelay(body: string, retryDelay: RegExp | undefined): number | undefined {
  const [, seconds] = retryDelay?.exec(body) ?? []
  return seconds === undefined ? undefined : Number.parseFloat(seconds) * 1_000
}

/** Shorter waits are not mentioned. */
const MIN_MENTIONED_MS = 30_000
/** A longer wait is a mistake of the server. */
const MAX_MS = 366 * 86_400_000

/** A sentence with the time of the next attempt, or nothing if that is soon. The message may be read later, so the time is absolute. */
function describeWait(waitMs: number | undefined, now: number): string {
  if (waitMs === undefined || waitMs <= MIN_MENTIONED_MS || waitMs > MAX_MS) return ''
  const [day, time = ''] = new Date(now + waitMs + 999).toISOString().split('T')
  return ` Try again after ${day} ${time.slice(0, 8)} UTC.`
}

/** Why the connection failed; undefined if the network is not the reason. */
function findUnreachableFailure(thrown: unknown, { name, baseUrl }: Provider): ProviderFailure | undefined {
  const toFailure = (why: string, retryable = true) =>
    createUnavailableFailure(`${name} at ${formatHostAndPort(baseUrl)} cannot be reached: ${why}`, retryable)

  const code = findErrorCode(thrown)
  const why = code === undefined ? undefined : NETWORK_REASONS[code]
  if (why) return toFailure(why)
  if (listCauses(thrown).some(isBadPort))
    return toFailure('HTTP never uses this port; check base_url.', false)
  if (code !== undefined && CERTIFICATE.test(code)) {
    return toFailure(`the secure connection failed (${code}); check base_url and the certificate.`, false)
  }
  if (code?.startsWith('HPE_'))
    return toFailure('the server there does not speak HTTP; check base_url.', false)
  if (!listCauses(thrown).some(isFailedFetch)) return undefined
  return toFailure(
    `the connection failed${code === undefined ? '' : ` (${code})`}; check base_url and the network.`,
  )
}

/** Codes with a more helpful message than "unreachable". */
const NETWORK_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused; is the server running?',
  ENOTFOUND: 'the host was not found; check base_url and the network.',
  EAI_AGAIN: 'the DNS lookup failed; check the network.',
  ECONNRESET: 'the connection was lost.',
  EHOSTUNREACH: 'there is no route to this host; check base_url and the network.',
  ENETUNREACH: 'there is no route to this host; check base_url and the network.',
  ETIMEDOUT: 'the connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out.',
  UND_ERR_SOCKET: 'the connection was lost.',
}

const CERTIFICATE = /CERT|_SSL_|_TLS_|UNABLE_TO_/

/** Includes the protocol's default port. */
function formatHostAndPort(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

const isBadPort = (cause: unknown): boolean => cause instanceof Error && cause.message === 'bad port'

const isFailedFetch = (cause: unknown): boolean =>
  cause instanceof Error && /^(?:fetch failed$|Cannot connect to API)/.test(cause.message)
