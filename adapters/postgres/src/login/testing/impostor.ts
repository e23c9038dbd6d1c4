import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type ConnectionOptions, type TlsOptions, TLSSocket, type TLSSocketOptions } from 'node:tls'
import { onTestFinished } from 'vitest'

/** The lines of a server: one after the client's first message, and one after each answer, which it may read. */
export type ImpostorReply = (heard: Buffer) => Buffer

/** TLS with a shared key, without a certificate. */
const BY_KEY = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const
const KEY = Buffer.from('0123456789abcdef')
export const CLIENT_TLS: ConnectionOptions = {
  ...BY_KEY,
  pskCallback: () => ({ identity: 'parley', psk: KEY }),
  checkServerIdentity: () => undefined,
}
const SERVER_TLS: TLSSocketOptions & TlsOptions = { ...BY_KEY, isServer: true, pskCallback: () => KEY }

/** A false server that speaks some of the Postgres protocol. `heard` has everything that it received. */
export async function startImpostor(lines: readonly ImpostorReply[], security: 'none' | 'tls' = 'none') {
  const heard: Buffer[] = []
  const serve = (socket: Socket) => {
    const script = [...lines]
    socket.on('error', () => {})
    socket.on('data', (message) => {
      heard.push(message)
      const line = script.shift()
      if (line) socket.write(line(message))
    })
  }
  const server = createServer((socket) => {
    if (security === 'none') return serve(socket)
    socket.once('data', () => {
      socket.write('S')
      serve(new TLSSocket(socket, SERVER_TLS))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `postgresql://parley:swordfish@127.0.0.1:${port}/parley`,
    heard: () => Buffer.concat(heard).toString('latin1'),
  }
}

const message = (kind: string, ...parts: readonly Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(kind), number(body.length + 4), body])
}
const number = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])

export const ASK_CLEARTEXT = message('R', number(3))
export const ASK_MD5 = message('R', number(5), Buffer.from('salt'))
export const WELCOME = Buffer.concat([message('R', number(0)), message('Z', Buffer.from('I'))])
/** The message of a server to all clients after one of its processes crashed. */
export const CRASHED = message('E', Buffer.from('SFATAL\0C57P02\0Mterminating connection\0\0'))

/** Asks for SCRAM, and ends with another message instead of a proof. */
export const SCRAM_WITHOUT_PROOF: readonly ImpostorReply[] = [
  () => message('R', number(10), Buffer.from('SCRAM-SHA-256\0\0')),
  (first) => {
    const nonce = /r=([^,]*)$/.exec(first.toString())?.[1]
    return message('R', number(11), Buffer.from(`r=${nonce}ours,s=c2FsdA==,i=4096`))
  },
  () => Buffer.concat([message('R', number(12), Buffer.from(`v=${'A'.repeat(43)}=`)), WELCOME]),
]
