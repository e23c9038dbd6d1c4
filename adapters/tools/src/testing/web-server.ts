import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Detour, Resolver } from '../http/dial.ts'

export interface WebRequest {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type WebReply = (response: ServerResponse, request: WebRequest) => void

/** An address of the open internet, which nobody in a test really reaches. */
export const PUBLIC_ADDRESS = '93.184.215.14'

/** A web server on loopback that stands for all hosts of the open internet. */
export async function startWebServer() {
  const requests: WebRequest[] = []
  let connections = 0
  let reply: WebReply = ended
  const server = createServer({ key: pem('key'), cert: pem('certificate') }, (request, response) => {
    void received(request).then((told) => {
      requests.push(told)
      return reply(response, told)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const detour: Detour = { to: () => ({ host: '127.0.0.1', port }), authority: pem('authority') }
  return {
    port,
    requests,
    connections: () => connections,
    detour,
    resolver,
    answer(next: WebReply) {
      reply = next
      requests.length = 0
      connections = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type WebServer = Awaited<ReturnType<typeof startWebServer>>

async function received(request: IncomingMessage): Promise<WebRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = '', headers, url = '' } = request
  return { method, host: headers.host ?? '', path: url, headers, body: Buffer.concat(chunks).toString() }
}

const ended: WebReply = (response) => response.end()

const resolver: Resolver = async () => [PUBLIC_ADDRESS]

const pem = (name: string): string => readFileSync(new URL(`test-only-${name}.pem`, import.meta.url), 'utf8')
