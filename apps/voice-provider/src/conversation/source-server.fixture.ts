import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '@parley/contracts'

/** A tool server on loopback: gives a fixed answer and records the requests. */
export async function startSourceServer(answer: Json) {
  const asked: { readonly headers: IncomingHttpHeaders; readonly body: unknown }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) })
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
