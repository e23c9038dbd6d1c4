import type { IncomingMessage, Server } from 'node:http'
import { type Http2Bindings, type HttpBindings, type ServerType, serve } from '@hono/node-server'
import { PlatformError } from '@parley/contracts'
import type { Api } from './api-env.ts'

type Bindings = HttpBindings | Http2Bindings

export interface Listening {
  readonly url: string
  /** Ends open streams and waits until every connection is closed. */
  close(): Promise<void>
}

/** Serves on loopback; `port` 0 means any free port. Requests wait until the app is ready. `onStreamError` gets the error of a broken event stream. */
export function listen(
  app: Api | Promise<Api>,
  port: number,
  onStreamError: (failure: unknown) => void,
  sending: SendingLimits = DEFAULT_SENDING_LIMITS,
): Promise<Listening> {
  const fetch = async (request: Request, { incoming, outgoing }: Bindings) => {
    const response = await (await app).fetch(request, { address: incoming.socket.remoteAddress })
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    if (!isStream || !response.body) return response
    return new Response(closeOnFailure(response.body, outgoing, onStreamError), response)
  }
  return new Promise((resolve, reject) => {
    const serverOptions = { keepAliveTimeout: KEEP_ALIVE_MS, ...toServerOptions(sending) }
    const server = serve({ fetch, hostname: HOST, port, serverOptions }, (address) => {
      resolve({ url: `http://${HOST}:${address.port}`, close: () => close(server) })
    })
    limitSending(server as Server, sending)
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? createPortTakenError(port) : cause)
    })
  })
}

const HOST = '127.0.0.1'

/** Longer than clients keep an idle connection; otherwise a request may meet a closing connection. */
const KEEP_ALIVE_MS = 65_000

/** Closes the connection of a stream that fails. Otherwise the HTTP server would print the error. */
function closeOnFailure(
  source: ReadableStream<Uint8Array>,
  outgoing: Bindings['outgoing'],
  onStreamError: (failure: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  // Also without a pending read: a stalled reader is such a failure.
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

const createPortTakenError = (port: number) =>
  new PlatformError('config_invalid', {
    port,
    message: `Port ${port} is taken by another program. Set PARLEY_PORT to another one, or to 0 for any free one.`,
  })

async function close(server: ServerType): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  if ('closeAllConnections' in server) server.closeAllConnections()
  await closed
}

/** Time limits of clients that send. A large file takes long, so a body has a limit for each pause only. */
interface SendingLimits {
  readonly headersMs: number
  readonly pauseMs: number
}

const DEFAULT_SENDING_LIMITS: SendingLimits = { headersMs: 20_000, pauseMs: 20_000 }

/** Each open connection costs memory. */
const MAX_CONNECTIONS = 10_000

/** Closes connections whose request does not arrive in time. Responses have no time limit. */
function limitSending(server: Server, { pauseMs }: SendingLimits): void {
  server.maxConnections = MAX_CONNECTIONS
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

const toServerOptions = ({ headersMs }: SendingLimits) => ({
  headersTimeout: headersMs,
  connectionsCheckingInterval: headersMs / 4,
})
