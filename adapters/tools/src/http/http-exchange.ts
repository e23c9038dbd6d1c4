import { PlatformError } from '@parley/contracts'
import type { ToolText } from '@parley/engine'
import { type SecretOf, fillSecrets } from '../tool-policy.ts'
import { RefusedAddressError } from './check-url.ts'

export interface HttpLimits {
  /** To find a host's addresses, to connect and to agree on a cipher. */
  readonly connectMs: number
  /** From the request's last byte to the end of the answer's headers. */
  readonly headersMs: number
  readonly wholeMs: number
  /** As it is once decompressed. */
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
  | { readonly kind: 'missing'; readonly why: string }

/** The headers that config gives to a host, with their secrets. */
export function configuredHeaders(
  templates: Readonly<Record<string, string>> | undefined,
  secretOf: SecretOf,
): FilledHeaders {
  try {
    const filled = Object.entries(templates ?? {}).map(
      ([name, value]) => [name, fillSecrets(value, secretOf)] as const,
    )
    const broken = filled.find(([, value]) => !SENDABLE.test(value))
    if (broken) return { kind: 'missing', why: `The header ${broken[0]} ${NOT_SENDABLE}` }
    return { kind: 'filled', headers: Object.fromEntries(filled) }
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    return { kind: 'missing', why: [failure.detail.message, failure.detail['mend']].join(' ') }
  }
}

const SENDABLE = /^[\x20-\x7e\xa0-\xff]*$/
const NOT_SENDABLE =
  'would hold a character that no header may hold, such as the end of a line. Set its secret again: parley keys set NAME'

type Bounded = { readonly kind: 'read'; readonly bytes: Uint8Array } | { readonly kind: 'too-large' }

/** The body of an answer, decompressed; it is read no further once it is too large. */
export async function readBounded({ body }: Response, most: number): Promise<Bounded> {
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

/** Why there is no answer, for the model and the person to read. */
export function requestFailure(failure: unknown, host: string): ToolText {
  if (failure instanceof RefusedAddressError)
    return { kind: 'failed', code: 'tool_denied', text: failure.message }
  return { kind: 'failed', code: 'tool_failed', text: textOf(failure, host) }
}

function textOf(failure: unknown, host: string): string {
  const marks = marksOf(failure)
  const known = KNOWN.find(([pattern]) => pattern.test(marks))
  if (known) return `${host} ${known[1]}`
  return `${host} could not be asked: ${failure instanceof Error ? failure.message : String(failure)}`
}

/** The names and codes of an error and of those behind it. */
function marksOf(failure: unknown): string {
  if (!(failure instanceof Error)) return ''
  const code = 'code' in failure ? String(failure.code) : ''
  return `${code} ${failure.name} ${marksOf(failure.cause)}`
}

const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|ENODATA/, 'has no address: its name is wrong, or there is no network.'],
  [/EAI_AGAIN|ETIMEOUT|ESERVFAIL/, 'could not be looked up; there may be no network. Try again later.'],
  [/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/, 'could not be connected to. Try again later.'],
  [/ECONNRESET|EPIPE|UND_ERR_SOCKET/, 'ended the connection before its answer was whole. Try again later.'],
  [
    /CERT|SELF_SIGNED|ISSUER|SIGNATURE|ERR_TLS|ERR_SSL|EPROTO/,
    'cannot show that it is who it says: its certificate is not right.',
  ],
  [/UND_ERR_HEADERS_OVERFLOW/, 'answers with headers that are too large.'],
  [/HPE_|UND_ERR_RESPONSE|\bZ_/, 'answers with something that is not right HTTP.'],
  [/TIMEOUT|TimeoutError/, 'takes too long. Try again later, or ask for less.'],
]
