import { createSocket } from 'node:dgram'
import { Resolver as DnsResolver } from 'node:dns/promises'
import type { Resolver } from '../http/dial.ts'

/** A name server on loopback that answers each question for IPv4 with the next addresses, and the last ones over and over. */
export async function startNameServer(...answers: readonly (readonly string[])[]) {
  const rest = [...answers]
  let asked = 0
  const socket = createSocket('udp4')
  socket.on('message', (question, { address, port }) => {
    const isIpv4 = question.readUInt16BE(question.length - 4) === A_RECORD
    if (isIpv4) asked += 1
    const addresses = isIpv4 ? ((rest.length > 1 ? rest.shift() : rest[0]) ?? []) : []
    socket.send(reply(question, addresses), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const dns = new DnsResolver({ timeout: 2_000, tries: 1 })
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  const resolver: Resolver = (host) => dns.resolve4(host)
  return {
    resolver,
    asked: () => asked,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

const A_RECORD = 1

/** Header, the question as it came, and a record per address that may be kept for no time at all. */
function reply(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, A_RECORD, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, question.subarray(12), ...records])
}
