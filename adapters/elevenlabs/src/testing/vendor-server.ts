import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly apiKey: string
  readonly body: unknown
}

export type Reply = (response: ServerResponse, request: ReceivedRequest) => void

/** A fake vendor on loopback: sends the next reply for each request, and repeats the last one. */
export async function startVendorServer() {
  const requests: ReceivedRequest[] = []
  let replies: Reply[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        apiKey: String(request.headers['xi-api-key']),
        body: text === '' ? undefined : (JSON.parse(text) as unknown),
      }
      requests.push(asked)
      const reply = replies.length > 1 ? replies.shift() : replies[0]
      reply?.(response, asked)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    script(...next: Reply[]) {
      replies = next
      requests.length = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type VendorServer = Awaited<ReturnType<typeof startVendorServer>>

export const replyWithJson =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

/** An error in the vendor's format. */
export const replyWithRefusal = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply => replyWithJson({ detail: { status: 'some_status', message } }, status, headers)

export const replyWithPage =
  (html: string, status = 200): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(html)
  }

export const hang: Reply = () => undefined

/** Starts an answer and never ends it. */
export const stall: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"signed_url":')
}

export const hangUp: Reply = (response) => {
  response.destroy()
}

/** Stores the agent that it receives and returns it. */
export function createAgentKeeper(): Reply {
  let held: object = {}
  return (response, { method, path, body }) => {
    if (method !== 'GET' && typeof body === 'object' && body !== null) held = body
    const isNew = path.endsWith('/create')
    const metadata = { created_at_unix_secs: 1_780_000_000, updated_at_unix_secs: 1_780_000_000 }
    replyWithJson(isNew ? { agent_id: 'agent_1' } : { ...held, agent_id: 'agent_1', metadata })(response, {
      method,
      path,
      body,
      apiKey: '',
    })
  }
}
