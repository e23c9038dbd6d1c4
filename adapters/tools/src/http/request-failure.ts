import type { ToolText } from '@parley/engine'
import { RefusedAddressError } from './refused-address-error.ts'

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
