import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ProviderKind } from '@parley/contracts'

export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type VendorReply = (response: ServerResponse) => void

/** A fake vendor on loopback: sends the next reply for each request, and repeats the last one. */
export async function startVendorServer() {
  const requests: ReceivedRequest[] = []
  let replies: VendorReply[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      const reply = replies.length > 1 ? replies.shift() : replies[0]
      reply?.(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    script(...next: VendorReply[]) {
      replies = next
      requests.length = 0
    },
    lastBody: (): unknown => JSON.parse(requests.at(-1)?.body ?? 'null'),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A recorded stream. */
export const readFixture = (kind: ProviderKind, name: string): string =>
  readFileSync(new URL(`fixtures/${kind}/${name}.sse`, import.meta.url), 'utf8')

export const replyWithStream =
  (text: string): VendorReply =>
  (response) => {
    openStream(response).end(text)
  }

export const replyWith =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): VendorReply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }

/** Streams up to the first word, then continues with `then`. */
export function replyAfterHello(
  kind: ProviderKind,
  then: (response: ServerResponse, helloEvent: string) => void,
): VendorReply {
  return (response) => {
    const events = readFixture(kind, 'text').split(/(?<=\n\n)/)
    const first = events.findIndex((event) => event.includes('"Hello"'))
    openStream(response).write(events.slice(0, first + 1).join(''), () => then(response, events[first] ?? ''))
  }
}

/** Repeats the text until the connection closes. */
export function repeatForever(response: ServerResponse, text: string) {
  const chunk = text.repeat(50)
  const push = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', push)
  }
  push()
}

const openStream = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' })
