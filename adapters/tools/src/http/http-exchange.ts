import { PlatformError, listCauses } from '@parley/contracts'
import type { RawToolResult } from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { type FindSecret, fillSecrets } from '../tool-policy.ts'
import { RefusedAddressError } from './check-url.ts'

export interface HttpLimits {
  /** For DNS lookup, connection and TLS handshake. */
  readonly connectMs: number
  /** From the request's last byte to the end of the response headers. */
  readonly headersMs: number
  readonly wholeMs: number
  /** Decompressed size. */
  readonly textBytes: number
  readonly mediaBytes: number
}

export const HTTP_LIMITS: HttpLimits = {
  connectMs: 10_000,
  headersMs: 15_000,
  wholeMs: 30_000,
  textBytes: 2_000_000,
  mediaBytes: 5_000_000,
}

type FilledHeaders =
  | { readonly kind: 'filled'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'missing'; readonly reason: string }

/** The configured headers of a host, with their secrets filled in. */
export function fillHeaders(
  templates: Readonly<Record<string, string>> | undefined,
  findSecret: FindSecret,
): FilledHeaders {
  try {
    const filled = Object.entries(templates ?? {}).map(
      ([name, value]) => [name, fillSecrets(value, findSecret)] as const,
    )
    const broken = filled.find(([, value]) => !SENDABLE.test(value))
    if (broken) return { kind: 'missing', reason: `The header ${broken[0]} ${NOT_SENDABLE}` }
    return { kind: 'filled', headers: Object.fromEntries(filled) }
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    return { kind: 'missing', reason: [failure.detail.message, failure.detail['fix']].join(' ') }
  }
}

const SENDABLE = /^[\x20-\x7e\xa0-\xff]*$/
const NOT_SENDABLE =
  'would contain a character that headers cannot hold, such as a line break. Set its secret again: parley keys set NAME'

type BoundedBody = { readonly kind: 'read'; readonly bytes: Uint8Array } | { readonly kind: 'too-large' }

/** Reads a decompressed response body; stops as soon as it is too large. */
export async function readBoundedBody({ body }: Response, most: number): Promise<BoundedBody> {
  if (!body) return { kind: 'read', bytes: new Uint8Array() }
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early ends the connection.
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > most) return { kind: 'too-large' }
    chunks.push(chunk)
  }
  return { kind: 'read', bytes: Buffer.concat(chunks) }
}

/** Explains a failed request to the model and the person. */
export function describeRequestFailure(failure: unknown, host: string): RawToolResult {
  if (failure instanceof RefusedAddressError) return createFailedResult(failure.message, 'tool_denied')
  const codes = listErrorCodes(failure)
  const [, message] = FAILURE_MESSAGES.find(([pattern]) => pattern.test(codes)) ?? []
  if (message !== undefined) return createFailedResult(`${host} ${message}`)
  const reason = failure instanceof Error ? failure.message : String(failure)
  return createFailedResult(`${host} could not be reached: ${reason}`)
}

/** The names and codes of an error and its causes. */
const listErrorCodes = (failure: unknown): string =>
  listCauses(failure)
    .filter((cause) => cause instanceof Error)
    .map((cause) => `${'code' in cause ? String(cause.code) : ''} ${cause.name}`)
    .join(' ')

const FAILURE_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|ENODATA/, 'was not found: the name is wrong, or there is no network.'],
  [/EAI_AGAIN|ETIMEOUT|ESERVFAIL/, 'could not be looked up; there may be no network. Try again later.'],
  [/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/, 'could not be connected to. Try again later.'],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET/,
    'closed the connection before the response was complete. Try again later.',
  ],
  [/CERT|SELF_SIGNED|ISSUER|SIGNATURE|ERR_TLS|ERR_SSL|EPROTO/, 'has an invalid certificate.'],
  [/UND_ERR_HEADERS_OVERFLOW/, 'sent headers that are too large.'],
  [/HPE_|UND_ERR_RESPONSE|\bZ_/, 'sent invalid HTTP.'],
  [/TIMEOUT|TimeoutError/, 'timed out. Try again later, or request less.'],
]
