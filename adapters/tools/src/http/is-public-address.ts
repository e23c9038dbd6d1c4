import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether an address is one of the open internet. What is not known to be so is not. */
export function isPublicAddress(address: string): boolean {
  // The parser below also takes octal, hexadecimal and short forms; a resolver gives none of these.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return !IPV4_EXCEPTIONS.some((range) => parsed.match(range))
  return parsed.match(IPV6_GLOBAL_UNICAST) && !IPV6_EXCEPTIONS.some((range) => parsed.match(range))
}

const IPV4_EXCEPTIONS = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by customers of a carrier; some clouds keep metadata here
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // metadata of a cloud, in what is public space elsewhere
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

/** Loopback, private, link-local, multicast, mapped and translated addresses all lie outside of it. */
const IPV6_GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const IPV6_EXCEPTIONS = [
  '2001::/23', // protocol assignments, Teredo and benchmarks among them
  '2001:db8::/32', // documentation
  '2002::/16', // holds an IPv4 address: 6to4
  '3fff::/20', // documentation
].map((range) => ipaddr.IPv6.parseCIDR(range))
