import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { isLoopbackHost } from '@parley/contracts'
import { type GuardedFetch, createGuardedFetch } from '../http/create-guarded-fetch.ts'
import type { DialOptions } from '../http/dial.ts'
import { fillHeaders } from '../http/http-exchange.ts'
import type { FindSecret } from '../tool-policy.ts'
import { McpError } from './mcp-error.ts'
import type { McpLimits } from './mcp-limits.ts'

export interface HttpTransportHost {
  readonly findSecret: FindSecret
  readonly dial?: DialOptions | undefined
  readonly limits: McpLimits
}

export interface HttpTransport {
  readonly transport: StreamableHTTPClientTransport
  readonly readExitReason: () => string
}

interface UrlServer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly isOwn: boolean
}

/** Connects to a server by URL: only to that host, and to this machine only if the person's own config says so. */
export function openHttpTransport(
  { url: given, headers, isOwn }: UrlServer,
  host: HttpTransportHost,
): HttpTransport {
  const url = new URL(given)
  if (isThisMachine(url) && !isOwn) throw new McpError(describeLoopbackRefusal(url))
  const { limits, findSecret, dial } = host
  const filled = fillHeaders(headers, findSecret)
  if (filled.kind === 'missing') throw new McpError(filled.reason)
  let endReason = ''
  const guarded = createGuardedFetch({
    ...dial,
    allowedHosts: [url.hostname],
    ...(isOwn && isThisMachine(url) && { allowLoopback: url.origin }),
    // A server may take the whole time of a call before it responds.
    limits: { headersMs: limits.longestCallMs },
  })
  const fetchBy = createBoundedFetch(guarded, limits, (reason) => {
    endReason ||= reason
    void transport.close()
  })
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: fetchBy,
    requestInit: { headers: filled.headers },
  })
  return { transport, readExitReason: () => endReason }
}

const isThisMachine = ({ hostname }: URL): boolean =>
  isLoopbackHost(hostname) || /^(.+\.)?localhost\.?$/.test(hostname)

const describeLoopbackRefusal = ({ host }: URL): string =>
  `It is at ${host}, on this machine. Only the person's own config (~/.parley/config.toml) may name such a server.`

/** Limits the size of a server's responses and events, and the number of its event streams. */
function createBoundedFetch(
  fetchBy: GuardedFetch,
  limits: StreamLimits,
  onBroken: (reason: string) => void,
): GuardedFetch {
  let streams = 0

  return async (url, init = {}) => {
    const isListening = init.method === 'GET'
    if (isListening && (streams += 1) > MAX_STREAMS)
      throw new Error(`It ended ${MAX_STREAMS} streams of events.`)
    const response = await fetchBy(url, init)
    if (!response.body) return response

    const { status, statusText, headers } = response
    const isEvents = headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const check = isEvents ? checkEvents(limits) : checkWhole(limits)
    // A broken response would only end by timeout, so it is reported; a broken listening stream can be reopened.
    const onError = () => isListening || onBroken('The connection ended early.')
    return new Response(checkStream(response.body, check, { onBroken, onError }), {
      status,
      statusText,
      headers,
    })
  }
}

const MAX_STREAMS = 100

type StreamLimits = Pick<McpLimits, 'messageBytes' | 'unrequestedBytes' | 'unrequestedMessages'>

/** Tells why a body is too large. */
type ChunkCheck = (chunk: Uint8Array) => string | undefined

function checkWhole({ messageBytes }: StreamLimits): ChunkCheck {
  let total = 0
  return (chunk) => {
    total += chunk.length
    return total > messageBytes ? describeTooLarge(messageBytes) : undefined
  }
}

/** Empty lines separate events. */
function checkEvents({ messageBytes, unrequestedBytes, unrequestedMessages }: StreamLimits): ChunkCheck {
  let total = 0
  let events = 0
  let length = 0
  let last = 0
  return (chunk) => {
    total += chunk.length
    for (const byte of chunk) {
      const isEnd = last === NEWLINE && (byte === NEWLINE || byte === RETURN)
      length = isEnd ? 0 : length + 1
      events += isEnd ? 1 : 0
      last = byte
      if (length > messageBytes) return describeTooLarge(messageBytes)
    }
    if (total > unrequestedBytes) return `It sent more than ${unrequestedBytes} bytes unasked.`
    return events > unrequestedMessages
      ? `It sent more than ${unrequestedMessages} messages unasked.`
      : undefined
  }
}

const NEWLINE = 0x0a
const RETURN = 0x0d

const describeTooLarge = (most: number): string => `It sent a message of more than ${most} bytes.`

interface StreamObserver {
  readonly onBroken: (reason: string) => void
  readonly onError: () => void
}

function checkStream(
  body: ReadableStream<Uint8Array>,
  check: ChunkCheck,
  { onBroken, onError }: StreamObserver,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let isCancelled = false
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (isCancelled) return
        if (done) return controller.close()
        const reason = check(value)
        if (reason === undefined) return controller.enqueue(value)
        onBroken(reason)
        await reader.cancel()
        controller.error(new Error(reason))
      } catch (failure) {
        onError()
        controller.error(failure)
      }
    },
    cancel(reason) {
      isCancelled = true
      return reader.cancel(reason)
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}
