import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { onTestFinished } from 'vitest'

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Status of the answer, or 'hangs' for no answer. */
export type ReceiverResponse = number | 'hangs'

/** A webhook receiver on loopback, for one test. */
export async function startReceiver(reply: (place: number) => ReceiverResponse = () => 200) {
  const received: ReceivedRequest[] = []
  const waiting = new Set<() => void>()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await buffer(request)).toString()
    const place = received.push({ headers: request.headers, body }) - 1
    for (const wake of waiting) wake()
    const status = reply(place)
    if (status !== 'hangs') response.writeHead(status).end()
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  /** Resolves when this many requests arrived. */
  const has = async (count: number): Promise<readonly ReceivedRequest[]> => {
    while (received.length < count) {
      await new Promise<void>((resolve) => {
        waiting.add(resolve)
      })
      waiting.clear()
    }
    return received
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/calls`, received, has }
}

const { webhooks } = new ElevenLabsClient({ apiKey: 'made-up', baseUrl: 'http://127.0.0.1:9' })

/** The event, if the vendor's client accepts the signature. */
export const verifyEvent = ({ headers, body }: ReceivedRequest, secret: string) =>
  webhooks.constructEvent(body, String(headers['elevenlabs-signature']), secret)
