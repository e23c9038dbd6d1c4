import type { IncomingMessage, Server } from 'node:http'
import { type Http2Bindings, type HttpBindings, type ServerType, serve } from '@hono/node-server'
import { PlatformError } from '@parley/contracts'
import type { Api } from './api.ts'

type Bindings = HttpBindings | Http2Bindings

export interface Listening {
  readonly url: string
  /** Ends open streams and waits until every connection is closed. */
  close(): Promise<void>
}

/** Serves on loopback; `port` 0 takes any free one. Requests wait until the app is ready. `onStreamError` gets the error of a broken event stream. */
export function listen(
  app: Api | Promise<Api>,
  port: number,
  onStreamError: (failure: unknown) => void,
  sending: SendingBounds = SENDING,
): Promise<Listening> {
  const fetch = async (request: Request, { incoming, outgoing }: Bindings) => {
    const response = await (await app).fetch(request, { address: incoming.socket.remoteAddress })
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    if (!isStream || !response.body) return response
    return new Response(breakingOff(response.body, outgoing, onStreamError), response)
  }
  return new Promise((resolve, reject) => {
    const serverOptions = { keepAliveTimeout: KEPT_MS, ...sendingOptions(sending) }
    const server = serve({ fetch, hostname: HOST, port, serverOptions }, (address) => {
      resolve({ url: `http://${HOST}:${address.port}`, close: () => close(server) })
    })
    boundSending(server as Server, sending)
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? portTaken(port) : cause)
    })
  })
}

const HOST = '127.0.0.1'

/** Longer than clients keep an idle connection: else a request may meet one that is just being closed. */
const KEPT_MS = 65_000

/** A stream that fails is cut off at its connection; left alone, the HTTP server would print the failure as it is. */
function breakingOff(
  source: ReadableStream<Uint8Array>,
  outgoing: Bindings['outgoing'],
  onStreamError: (failure: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  // Also where nobody asks for more: the failure may be that the one who listens has stalled.
  reader.closed.catch((failure: unknown) => {
    onStreamError(failure)
    outgoing.destroy()
  })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read().catch(() => undefined)
        if (next?.done) controller.close()
        else if (next) controller.enqueue(next.value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

const portTaken = (port: number) =>
  new PlatformError('config_invalid', {
    port,
    message: `Port ${port} is taken by another program. Set PARLEY_PORT to another one, or to 0 for any free one.`,
  })

async function close(server: ServerType): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  if ('closeAllConnections' in server) server.closeAllConnections()
  await closed
}

/** How long who sends may take. A large file takes its time, so of a body only the pauses are bounded. */
interface SendingBounds {
  readonly headersMs: number
  readonly pauseMs: number
}

const SENDING: SendingBounds = { headersMs: 20_000, pauseMs: 20_000 }

/** Each connection costs memory, whatever comes over it. */
const MOST_CONNECTIONS = 10_000

/** Closes connections whose request does not arrive in time. Responses have no time limit. */
function boundSending(server: Server, { pauseMs }: SendingBounds): void {
  server.maxConnections = MOST_CONNECTIONS
  server.on('request', (request: IncomingMessage) => {
    const { socket } = request
    const hasBody =
      Number(request.headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in request.headers
    if (!hasBody) return
    let taken = socket.bytesRead
    // A socket timeout would also cut slow responses.
    const look = setInterval(() => {
      if (request.complete) clearInterval(look)
      else if (socket.bytesRead === taken) socket.destroy()
      taken = socket.bytesRead
    }, pauseMs).unref()
    request.once('close', () => clearInterval(look))
  })
}

const sendingOptions = ({ headersMs }: SendingBounds) => ({
  headersTimeout: headersMs,
  connectionsCheckingInterval: headersMs / 4,
})
