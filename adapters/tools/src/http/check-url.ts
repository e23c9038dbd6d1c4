import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { isLoopbackHost } from '@parley/contracts'

export interface AllowedTargets {
  /** Host names, matched exactly. */
  readonly allowedHosts: readonly string[]
  /** One origin on this machine, such as "http://127.0.0.1:8888", that the person's own config names. */
  readonly allowLoopback?: string | undefined
  /** Tells how to allow a host. */
  readonly howToAllow?: string | undefined
}

export type CheckedUrl =
  | { readonly kind: 'allowed'; readonly url: URL; readonly isLoopback: boolean }
  | { readonly kind: 'refused'; readonly reason: string }

/** Whether a request may go to this URL, judged by the URL alone. Callers must use the returned URL. */
export function checkUrl(
  given: string | URL,
  { allowedHosts, allowLoopback, howToAllow }: AllowedTargets,
): CheckedUrl {
  const url = URL.parse(String(given))
  if (!url) return refuseUrl('It is not a complete URL; write it as https://host/path.')
  if (url.username !== '' || url.password !== '')
    return refuseUrl('A URL must not contain a user or a password; remove everything before the @.')
  if (allowLoopback !== undefined && url.origin === allowLoopback && isLoopbackHost(url.hostname))
    return { kind: 'allowed', url, isLoopback: true }

  if (url.protocol !== 'https:') return refuseUrl(`Only https:// is allowed, not ${url.protocol}//.`)
  const host = url.hostname
  if (isAddress(host)) return refuseUrl(`${host} is an IP address; only host names are allowed.`)
  if (host.endsWith('.')) return refuseUrl(`Write the host without the dot at its end: ${host.slice(0, -1)}`)
  if (!allowedHosts.some((allowed) => domainToASCII(allowed) === host))
    return refuseUrl([`The host ${host} is not allowed.`, howToAllow].filter(Boolean).join(' '))
  if (url.port !== '') return refuseUrl(`Only the port 443 is allowed, not ${url.port}.`)
  return { kind: 'allowed', url, isLoopback: false }
}

const refuseUrl = (reason: string): CheckedUrl => ({ kind: 'refused', reason })

/** The URL parser turns every other spelling of an address into one of these. */
const isAddress = (host: string): boolean => host.startsWith('[') || isIP(host) !== 0

/** The guard refuses this request. The message says why, for the model and the person. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError'
}
