import { createSocket } from 'node:dgram'
import { Resolver as DnsResolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { DialDetour, AddressResolver } from '../http/dial.ts'

export interface WebRequest {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type WebReply = (response: ServerResponse, request: WebRequest) => void

/** A public address that tests never really contact. */
export const PUBLIC_ADDRESS = '93.184.215.14'

/** A web server on loopback that plays all public hosts. */
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
  const detour: DialDetour = { to: () => ({ host: '127.0.0.1', port }), authority: pem('authority') }
  return {
    port,
    requests,
    connections: () => connections,
    detour,
    resolver: resolvePublic,
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

const resolvePublic: AddressResolver = async () => [PUBLIC_ADDRESS]

const pem = (name: string): string => readFileSync(new URL(`test-only-${name}.pem`, import.meta.url), 'utf8')

/** A DNS server on loopback: each IPv4 query gets the next answer, and the last one repeats. */
export async function startNameServer(...answers: readonly (readonly string[])[]) {
  const rest = [...answers]
  let asked = 0
  const socket = createSocket('udp4')
  socket.on('message', (question, { address, port }) => {
    const isIpv4 = question.readUInt16BE(question.length - 4) === A_RECORD
    if (isIpv4) asked += 1
    const addresses = isIpv4 ? ((rest.length > 1 ? rest.shift() : rest[0]) ?? []) : []
    socket.send(dnsReply(question, addresses), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const dns = new DnsResolver({ timeout: 2_000, tries: 1 })
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  const resolver: AddressResolver = (host) => dns.resolve4(host)
  return {
    resolver,
    asked: () => asked,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

const A_RECORD = 1

/** Header, the original question, and one record per address with a TTL of zero. */
function dnsReply(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, A_RECORD, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, question.subarray(12), ...records])
}
