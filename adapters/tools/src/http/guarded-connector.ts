import { isIP, type Socket } from 'node:net'
import { connect as secure, type TLSSocket } from 'node:tls'
import { callbackify } from 'node:util'
import type { buildConnector } from 'undici'
import { checkUrl, type Reach } from './check-url.ts'
import { dial, type Destination, type DialOptions } from './dial.ts'
import { RefusedAddressError } from './refused-address-error.ts'

export interface ConnectorOptions extends Reach, DialOptions {
  readonly connectMs: number
}

/** The only way in which guarded requests come to a connection: whatever asks for one, its place is checked here. */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const opened = callbackify((origin: string) => open(origin, options))
  return ({ protocol, host, hostname }, callback) => {
    opened(`${protocol}//${host ?? hostname}`, (failure, socket) =>
      failure ? callback(failure, null) : callback(null, socket),
    )
  }
}

async function open(origin: string, options: ConnectorOptions): Promise<Socket> {
  const checked = checkUrl(origin, options)
  if (checked.kind === 'refused') throw new RefusedAddressError(checked.why)
  const { url, isLoopback } = checked
  const isSecure = url.protocol === 'https:'
  const destination = { host: url.hostname, port: Number(url.port || (isSecure ? 443 : 80)), isLoopback }
  const deadline = AbortSignal.timeout(options.connectMs)
  const socket = await orLate(dial(destination, options, deadline), deadline)
  return isSecure ? secured(socket, destination, options, deadline) : socket
}

/** A resolver cannot be stopped, but it need not be waited for. */
function orLate(dialled: Promise<Socket>, deadline: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const late = () => reject(deadline.reason as Error)
    deadline.addEventListener('abort', late, { once: true })
    dialled.finally(() => deadline.removeEventListener('abort', late)).then(resolve, reject)
  })
}

function secured(
  socket: Socket,
  { host }: Destination,
  { detour }: ConnectorOptions,
  deadline: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const name = host.replace(/^\[|\]$/g, '')
    const shielded = secure({
      socket,
      host: name,
      ...(isIP(name) === 0 && { servername: name }),
      ALPNProtocols: ['http/1.1'],
      // Whatever the environment says.
      rejectUnauthorized: true,
      ...(detour && { ca: detour.authority }),
    })
    const settle = (failure?: Error) => {
      deadline.removeEventListener('abort', late)
      if (!failure) return resolve(shielded)
      shielded.destroy()
      return reject(failure)
    }
    const late = () => settle(deadline.reason as Error)
    deadline.addEventListener('abort', late, { once: true })
    shielded.on('error', settle)
    shielded.once('secureConnect', () => settle())
  })
}
