import type { IncomingMessage, Server } from 'node:http'

/** How long who sends may take. A large file takes its time, so of a body only the pauses are bounded. */
export interface SendingBounds {
  readonly headersMs: number
  readonly pauseMs: number
}

export const SENDING: SendingBounds = { headersMs: 20_000, pauseMs: 20_000 }

/** Each connection costs memory, whatever comes over it. */
const MOST_CONNECTIONS = 10_000

/** Gives up connections over which a request has begun and does not come to its end. What is answered may take as long as it likes. */
export function boundSending(server: Server, { pauseMs }: SendingBounds): void {
  server.maxConnections = MOST_CONNECTIONS
  server.on('request', (request: IncomingMessage) => {
    const { socket } = request
    const hasBody =
      Number(request.headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in request.headers
    if (!hasBody) return
    let taken = socket.bytesRead
    // A timeout of the socket would also end what is answered late.
    const look = setInterval(() => {
      if (request.complete) clearInterval(look)
      else if (socket.bytesRead === taken) socket.destroy()
      taken = socket.bytesRead
    }, pauseMs).unref()
    request.once('close', () => clearInterval(look))
  })
}

export const sendingOptions = ({ headersMs }: SendingBounds) => ({
  headersTimeout: headersMs,
  connectionsCheckingInterval: headersMs / 4,
})
