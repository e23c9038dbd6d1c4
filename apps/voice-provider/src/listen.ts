import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { PlatformError } from '@parley/contracts'

export interface Listening {
  readonly url: string
  readonly server: Server
  close(): Promise<void>
}

/** How long a client may take to send a request. */
const MOST_SENDING_MS = 10_000

/** Serves on one address; `port` 0 takes any free one. */
export function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  host: string,
  port: number,
  mostSendingMs = MOST_SENDING_MS,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const serverOptions = {
      requestTimeout: mostSendingMs,
      headersTimeout: mostSendingMs,
      connectionsCheckingInterval: mostSendingMs / 10,
    }
    const server = serve({ fetch, hostname: host, port, serverOptions }, (address) => {
      const name = host.includes(':') ? `[${host}]` : host
      resolve({ url: `http://${name}:${address.port}`, server, close: () => close(server) })
    }) as Server
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? portTaken(port) : cause)
    })
  })
}

const portTaken = (port: number) =>
  new PlatformError('config_invalid', {
    port,
    message: `Port ${port} is taken by another program. Set PARLEY_VOICE_PORT to another one, or to 0 for any free one.`,
  })

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
