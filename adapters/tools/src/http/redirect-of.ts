import { checkUrl, type Reach } from './check-url.ts'
import { RefusedAddressError } from './refused-address-error.ts'

export interface GuardedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: [string, string][]
  readonly body: string | Uint8Array | null
}

/** The request that an answer asks for instead; undefined where it is an answer, an error where it may not be made. */
export function redirectOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  { url, method, body, headers: sent }: GuardedRequest,
  reach: Reach,
): GuardedRequest | Error | undefined {
  const location = REDIRECTS.includes(status) ? headers.get('location') : null
  if (location === null) return undefined
  const target = URL.parse(location, url)
  const checked = checkUrl(target ?? location, { ...reach, allowLoopback: loopbackFrom(url, reach) })
  if (checked.kind === 'refused')
    return new RefusedAddressError(`${url.host} redirects to where it may not go. ${checked.why}`)

  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
  const nextMethod = becomesGet ? 'GET' : method
  const isElsewhere = checked.url.origin !== url.origin
  if (isElsewhere && nextMethod !== 'GET' && nextMethod !== 'HEAD')
    return new RefusedAddressError(
      `${url.host} redirects this ${method} to ${checked.url.host}. Only what reads follows to another host; send it there yourself, if that is right.`,
    )
  return {
    url: checked.url,
    method: nextMethod,
    headers: sent.filter(
      ([name]) => (!isElsewhere || HARMLESS.has(name)) && !(becomesGet && name.startsWith('content-')),
    ),
    body: becomesGet ? null : body,
  }
}

const REDIRECTS = [301, 302, 303, 307, 308]

/** All that goes along to another host; others may be credentials, whatever they are called. */
const HARMLESS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent'])

/** Nobody outside may lead a request to this machine. */
const loopbackFrom = ({ origin }: URL, { allowLoopback }: Reach): string | undefined =>
  origin === allowLoopback ? allowLoopback : undefined
