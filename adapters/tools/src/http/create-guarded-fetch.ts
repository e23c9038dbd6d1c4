import type { Agent, fetch } from 'undici'
import { checkUrl, type Reach } from './check-url.ts'
import type { DialOptions } from './dial.ts'
import { guardedConnector } from './guarded-connector.ts'
import { HTTP_LIMITS, type HttpLimits } from './http-limits.ts'
import { type GuardedRequest, redirectOf } from './redirect-of.ts'
import { RefusedAddressError } from './refused-address-error.ts'

export interface GuardOptions extends Reach, DialOptions {
  readonly limits?: Partial<Pick<HttpLimits, 'connectMs' | 'headersMs'>> | undefined
}

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Fetches from allowed hosts on the open internet alone, and follows redirects only to where a request could go by
 * itself. Throws a RefusedAddressError where it does not; how long it takes in all is for the signal to say.
 */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  let client: Promise<Client> | undefined

  return async (given, init = {}) => {
    client ??= openClient(options)
    const { fetchBy, agent } = await client
    let request = firstRequest(given, init, options)
    for (let redirects = 0; ; redirects += 1) {
      const { url, ...rest } = request
      const response = await asItIs(
        fetchBy(url, { ...rest, signal: init.signal ?? null, redirect: 'manual', dispatcher: agent }),
      )
      const next = tooManyHeaders(response, url) ?? redirectOf(response, request, options)
      if (next === undefined) return response
      await response.body?.cancel()
      if (next instanceof Error) throw next
      if (redirects === MOST_REDIRECTS)
        throw new RefusedAddressError(`${url.host} redirects more than ${MOST_REDIRECTS} times.`)
      request = next
    }
  }
}

const MOST_REDIRECTS = 5
const MOST_HEADERS = 100
const HEADER_BYTES = 65_536

interface Client {
  readonly fetchBy: typeof fetch
  readonly agent: Agent
}

/** The library is big, and most sessions never fetch. */
async function openClient({ limits, ...rest }: GuardOptions): Promise<Client> {
  const { Agent, fetch: fetchBy } = await import('undici')
  const { connectMs, headersMs } = { ...HTTP_LIMITS, ...limits }
  const agent = new Agent({
    connect: guardedConnector({ ...rest, connectMs }),
    headersTimeout: headersMs,
    bodyTimeout: 0,
    maxHeaderSize: HEADER_BYTES,
  })
  return { fetchBy, agent }
}

function firstRequest(
  given: string | URL,
  { method = 'GET', headers, body }: RequestInit,
  reach: Reach,
): GuardedRequest {
  const checked = checkUrl(given, reach)
  if (checked.kind === 'refused') throw new RefusedAddressError(checked.why)
  if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('A guarded request takes its body as text or bytes.')
  return {
    url: checked.url,
    method: method.toUpperCase(),
    headers: [...new Headers(headers)],
    body: body ?? null,
  }
}

const tooManyHeaders = ({ headers }: Pick<Response, 'headers'>, { host }: URL): Error | undefined =>
  [...headers].length > MOST_HEADERS
    ? new Error(`${host} answers with more than ${MOST_HEADERS} headers.`)
    : undefined

async function asItIs(fetched: ReturnType<typeof fetch>): Promise<Response> {
  try {
    // The library has its own declarations of what is the same.
    return (await fetched) as unknown as Response
  } catch (failure) {
    // The library hides the reason behind "fetch failed".
    throw failure instanceof TypeError && failure.cause instanceof Error ? failure.cause : failure
  }
}
