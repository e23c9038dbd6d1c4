import { serve, type ServerType } from '@hono/node-server'
import { PlatformError } from '@parley/contracts'
import type { Api } from './api.ts'

export interface Listening {
  readonly url: string
  /** Ends open streams and waits until every connection is closed. */
  close(): Promise<void>
}

/** Serves on loopback; `port` 0 takes any free one. */
export function listen(app: Api, port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: HOST, port }, (address) => {
      resolve({ url: `http://${HOST}:${address.port}`, close: () => close(server) })
    })
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? portTaken(port) : cause)
    })
  })
}

const HOST = '127.0.0.1'

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
