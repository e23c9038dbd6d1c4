import type { Provider } from '../settings.ts'
import { causeOf } from './cause-of.ts'
import { type Failure, unavailable } from './failure.ts'

/** Why no connection came about or held; undefined where it was not for the network. */
export function unreachable(thrown: unknown, { name, baseUrl }: Provider): Failure | undefined {
  const failed = (why: string, retryable = true) =>
    unavailable(`${name} at ${addressOf(baseUrl)} cannot be reached: ${why}`, retryable)

  const code = causeOf(thrown, isCoded)?.code
  const why = code === undefined ? undefined : NETWORK[code]
  if (why) return failed(why)
  if (causeOf(thrown, isBadPort)) return failed('this port is never used for HTTP; check base_url.', false)
  if (code !== undefined && CERTIFICATE.test(code)) {
    return failed(`the secure connection failed (${code}); check base_url and the certificate.`, false)
  }
  if (code?.startsWith('HPE_'))
    return failed('what answers there does not speak HTTP; check base_url.', false)
  if (!causeOf(thrown, isFailedFetch)) return undefined
  return failed(
    `the connection failed${code === undefined ? '' : ` (${code})`}; check base_url and the network.`,
  )
}

/** Codes that tell a person more than "unreachable". */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused, nothing listens there; is the server running?',
  ENOTFOUND: 'the host was not found; check base_url and the network.',
  EAI_AGAIN: 'the name could not be looked up; check the network.',
  ECONNRESET: 'the connection was cut.',
  EHOSTUNREACH: 'there is no way to this host; check base_url and the network.',
  ENETUNREACH: 'there is no way to this host; check base_url and the network.',
  ETIMEDOUT: 'the connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out.',
  UND_ERR_SOCKET: 'the connection was cut.',
}

const CERTIFICATE = /CERT|_SSL_|_TLS_|UNABLE_TO_/

/** With the port, also where the address leaves it to its protocol. */
function addressOf(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

const isCoded = (cause: unknown): cause is { readonly code: string } =>
  typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string'

const isBadPort = (cause: unknown): cause is Error => cause instanceof Error && cause.message === 'bad port'

const isFailedFetch = (cause: unknown): cause is Error =>
  cause instanceof Error && /^(?:fetch failed$|Cannot connect to API)/.test(cause.message)
