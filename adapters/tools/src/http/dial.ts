import { lookup } from 'node:dns/promises'
import { type Socket, connect, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { RefusedAddressError } from './check-url.ts'

/** All addresses of a host. */
export type AddressResolver = (host: string) => Promise<readonly string[]>

/** For tests only: redirects a connection after its address passed all checks. */
export interface DialDetour {
  readonly to: (address: string, port: number) => { readonly host: string; readonly port: number }
  /** The certificate authority of the servers there. */
  readonly authority: string
}

export interface DialOptions {
  readonly resolver?: AddressResolver | undefined
  readonly detour?: DialDetour | undefined
}

export interface DialDestination {
  readonly host: string
  readonly port: number
  readonly isLoopback: boolean
}

/** Connects to a checked address; no byte is sent before the check. */
export async function dial(
  { host, port, isLoopback }: DialDestination,
  { resolver = lookUpAddresses, detour }: DialOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = isLoopback ? listLoopbackAddresses(host) : await resolvePublic(host, resolver)
  signal.throwIfAborted()
  let failure: unknown
  for (const [index, address] of addresses.entries()) {
    const isLast = index === addresses.length - 1
    try {
      const place = isLoopback ? undefined : detour?.to(address, port)
      // One unresponsive address must not use up the time of the others.
      const patience = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(CONNECT_PATIENCE_MS)])
      return await connectTo(place ?? { host: address, port }, patience)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof RefusedAddressError) throw error
      failure = error
    }
  }
  throw failure
}

const CONNECT_PATIENCE_MS = 2_000

async function resolvePublic(host: string, resolver: AddressResolver): Promise<readonly string[]> {
  const addresses = await resolver(host)
  const internal = addresses.find((address) => !isPublicAddress(address))
  if (internal !== undefined)
    throw new RefusedAddressError(
      `${host} has the address ${internal}, which is not on the public internet. Such addresses are never contacted.`,
    )
  if (addresses.length === 0) throw new Error(`${host} has no address`)
  return addresses
}

const lookUpAddresses: AddressResolver = async (host) => {
  const records = await lookup(host, { all: true, order: 'verbatim' })
  return records.map(({ address }) => address)
}

/** Loopback names need no DNS lookup. */
const listLoopbackAddresses = (host: string): readonly string[] =>
  host === 'localhost' ? ['127.0.0.1', '::1'] : [host.replace(/^\[|\]$/g, '')]

function connectTo(
  place: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  if (isIP(place.host) === 0) throw new Error(`${place.host} is not an address`)
  signal.throwIfAborted()
  const socket = connect({ host: place.host, port: place.port, noDelay: true, keepAlive: true })
  return waitUntilReady(socket, 'connect', signal, () => checkDestination(socket, place.host))
}

/** Waits until a socket is ready and checked; destroys it after an error or an abort. */
export function waitUntilReady<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  check: () => Error | undefined = () => undefined,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>()
  const settle = (failure?: Error) => {
    signal.removeEventListener('abort', cancel)
    if (!failure) return resolve(socket)
    socket.destroy()
    return reject(failure)
  }
  const cancel = () => settle(signal.reason as Error)
  signal.addEventListener('abort', cancel, { once: true })
  // The listener stays: an unhandled error event would end the process.
  socket.on('error', settle)
  socket.once(event, () => settle(check()))
  return promise
}

/** An error if the socket is not connected to the checked address. */
function checkDestination({ remoteAddress }: Socket, address: string): Error | undefined {
  const isSame =
    remoteAddress !== undefined &&
    ipaddr.process(remoteAddress).toNormalizedString() === ipaddr.process(address).toNormalizedString()
  return isSame ? undefined : new RefusedAddressError(`The connection did not go to ${address}.`)
}

/** Whether an address is on the public internet. Unknown ranges are not. */
export function isPublicAddress(address: string): boolean {
  // The parser below also accepts octal, hexadecimal and short forms; a resolver returns none of these.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return !IPV4_EXCEPTIONS.some((range) => parsed.match(range))
  return parsed.match(IPV6_GLOBAL_UNICAST) && !IPV6_EXCEPTIONS.some((range) => parsed.match(range))
}

const IPV4_EXCEPTIONS = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; metadata of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // metadata of a cloud, in public space
  '169.254.0.0/16', // link-local, metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays from IPv6
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map((range) => ipaddr.IPv4.parseCIDR(range))

/** Loopback, private, link-local, multicast, mapped and translated addresses are all outside this range. */
const IPV6_GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const IPV6_EXCEPTIONS = [
  '2001::/23', // protocol assignments, Teredo and benchmarks among them
  '2001:db8::/32', // documentation
  '2002::/16', // holds an IPv4 address: 6to4
  '3fff::/20', // documentation
].map((range) => ipaddr.IPv6.parseCIDR(range))
