import { type Socket, isIP } from 'node:net'
import { type TLSSocket, connect as secure } from 'node:tls'
import { callbackify } from 'node:util'
import type { Agent, buildConnector, fetch } from 'undici'
import { waitUnlessAborted } from '@parley/engine'
import { type AllowedTargets, RefusedAddressError, checkUrl } from './check-url.ts'
import { type DialDestination, type DialOptions, dial, waitUntilReady } from './dial.ts'
import { HTTP_LIMITS, type HttpLimits } from './http-exchange.ts'

export interface GuardOptions extends AllowedTargets, DialOptions {
  readonly limits?: Partial<Pick<HttpLimits, 'connectMs' | 'headersMs'>> | undefined
}

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Fetches only from allowed hosts on the public internet, and follows redirects only to URLs that would be allowed
 * directly. Otherwise throws a RefusedAddressError. The signal sets the total timeout.
 */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  let client: Promise<HttpClient> | undefined

  return async (given, init = {}) => {
    client ??= loadClient(options)
    const { fetchBy, agent } = await client
    let request = createFirstRequest(given, init, options)
    for (let redirects = 0; ; redirects += 1) {
      const { url, ...rest } = request
      const response = await withPlainErrors(
        fetchBy(url, { ...rest, signal: init.signal ?? null, redirect: 'manual', dispatcher: agent }),
      )
      const next = refuseManyHeaders(response, url) ?? followRedirect(response, request, options)
      if (next === undefined) return response
      await response.body?.cancel()
      if (next instanceof Error) throw next
      if (redirects === MAX_REDIRECTS)
        throw new RefusedAddressError(`${url.host} redirects more than ${MAX_REDIRECTS} times.`)
      request = next
    }
  }
}

const MAX_REDIRECTS = 5
const MAX_HEADERS = 100
const HEADER_BYTES = 65_536

interface HttpClient {
  readonly fetchBy: typeof fetch
  readonly agent: Agent
}

/** Loaded late: the library is big, and most sessions never fetch. */
async function loadClient({ limits, ...rest }: GuardOptions): Promise<HttpClient> {
  const { Agent, fetch: fetchBy } = await import('undici')
  const { connectMs, headersMs } = { ...HTTP_LIMITS, ...limits }
  const agent = new Agent({
    connect: createGuardedConnector({ ...rest, connectMs }),
    headersTimeout: headersMs,
    bodyTimeout: 0,
    maxHeaderSize: HEADER_BYTES,
  })
  return { fetchBy, agent }
}

function createFirstRequest(
  given: string | URL,
  { method = 'GET', headers, body }: RequestInit,
  targets: AllowedTargets,
): GuardedRequest {
  const checked = checkUrl(given, targets)
  if (checked.kind === 'refused') throw new RefusedAddressError(checked.reason)
  if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('A guarded request takes its body as text or bytes.')
  return {
    url: checked.url,
    method: method.toUpperCase(),
    headers: [...new Headers(headers)],
    body: body ?? null,
  }
}

const refuseManyHeaders = ({ headers }: Pick<Response, 'headers'>, { host }: URL): Error | undefined =>
  [...headers].length > MAX_HEADERS
    ? new Error(`${host} answers with more than ${MAX_HEADERS} headers.`)
    : undefined

async function withPlainErrors(fetched: ReturnType<typeof fetch>): Promise<Response> {
  try {
    // The library declares its own, equal types.
    return (await fetched) as unknown as Response
  } catch (failure) {
    // The library hides the reason behind "fetch failed".
    throw failure instanceof TypeError && failure.cause instanceof Error ? failure.cause : failure
  }
}

interface GuardedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: [string, string][]
  readonly body: string | Uint8Array | null
}

/** The request that a redirect asks for; undefined if it is no redirect, an error if it is not allowed. */
function followRedirect(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  { url, method, body, headers: sent }: GuardedRequest,
  targets: AllowedTargets,
): GuardedRequest | Error | undefined {
  const location = REDIRECTS.includes(status) ? headers.get('location') : null
  if (location === null) return undefined
  const target = URL.parse(location, url)
  const checked = checkUrl(target ?? location, { ...targets, allowLoopback: keepLoopback(url, targets) })
  if (checked.kind === 'refused')
    return new RefusedAddressError(`${url.host} redirects to a URL that is not allowed. ${checked.reason}`)

  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
  const nextMethod = becomesGet ? 'GET' : method
  const isElsewhere = checked.url.origin !== url.origin
  if (isElsewhere && nextMethod !== 'GET' && nextMethod !== 'HEAD')
    return new RefusedAddressError(
      `${url.host} redirects this ${method} to ${checked.url.host}. Only GET and HEAD follow a redirect to another host; send the request there yourself if that is right.`,
    )
  return {
    url: checked.url,
    method: nextMethod,
    headers: sent.filter(
      ([name]) =>
        (!isElsewhere || HARMLESS_HEADERS.has(name)) && !(becomesGet && name.startsWith('content-')),
    ),
    body: becomesGet ? null : body,
  }
}

const REDIRECTS = [301, 302, 303, 307, 308]

/** The only headers sent to another host; any other may be a credential. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent'])

/** Other hosts must not redirect a request to this machine. */
const keepLoopback = ({ origin }: URL, { allowLoopback }: AllowedTargets): string | undefined =>
  origin === allowLoopback ? allowLoopback : undefined

interface ConnectorOptions extends AllowedTargets, DialOptions {
  readonly connectMs: number
}

/** Every connection of a guarded request is made and checked here. */
export function createGuardedConnector(options: ConnectorOptions): buildConnector.connector {
  const openAsync = callbackify((origin: string) => openSocket(origin, options))
  return ({ protocol, host, hostname }, callback) => {
    openAsync(`${protocol}//${host ?? hostname}`, (failure, socket) =>
      failure ? callback(failure, null) : callback(null, socket),
    )
  }
}

async function openSocket(origin: string, options: ConnectorOptions): Promise<Socket> {
  const checked = checkUrl(origin, options)
  if (checked.kind === 'refused') throw new RefusedAddressError(checked.reason)
  const { url, isLoopback } = checked
  const isSecure = url.protocol === 'https:'
  const destination = { host: url.hostname, port: Number(url.port || (isSecure ? 443 : 80)), isLoopback }
  const deadline = AbortSignal.timeout(options.connectMs)
  // A resolver cannot be stopped, so we stop waiting for it.
  const socket = await waitUnlessAborted(dial(destination, options, deadline), deadline)
  return isSecure ? startTls(socket, destination, options, deadline) : socket
}

function startTls(
  socket: Socket,
  { host }: DialDestination,
  { detour }: ConnectorOptions,
  deadline: AbortSignal,
): Promise<TLSSocket> {
  const name = host.replace(/^\[|\]$/g, '')
  const tlsSocket = secure({
    socket,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    ALPNProtocols: ['http/1.1'],
    // Overrides the environment.
    rejectUnauthorized: true,
    ...(detour && { ca: detour.authority }),
  })
  return waitUntilReady(tlsSocket, 'secureConnect', deadline)
}
