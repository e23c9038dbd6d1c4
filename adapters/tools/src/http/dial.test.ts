import { type AddressInfo, type Server, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startNameServer } from '../testing/web-server.ts'
import { type DialOptions, dial, isPublicAddress } from './dial.ts'
import { RefusedAddressError } from './check-url.ts'

const PUBLIC = '93.184.215.14'

let server: Server
let port: number
let connections = 0
let received = 0
beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1
    socket.on('data', (chunk) => {
      received += chunk.length
    })
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ;({ port } = server.address() as AddressInfo)
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  connections = 0
  received = 0
})

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((known) => known?.address === '::1')

const never = new AbortController().signal
const reach = (options: DialOptions, signal = never) =>
  dial({ host: 'host.test', port, isLoopback: false }, options, signal)

describe('dialling', () => {
  test.each([
    '127.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    'fe80::1%lo',
    'fd00:ec2::254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '0x7f.1',
    'localhost',
  ])('[S13] attack: a host whose address is %s is not connected to', async (address) => {
    await expect(reach({ resolver: async () => [address] })).rejects.toThrow(RefusedAddressError)
    await expect(reach({ resolver: async () => [PUBLIC, address] })).rejects.toThrow('public internet')
    expect(connections).toBe(0)
  })

  test('[S13] attack: a name that is public first and loopback later is not connected to loopback', async () => {
    const names = await startNameServer([PUBLIC], ['127.0.0.1'])
    const dialled: string[] = []
    const detour = {
      to: (address: string) => (dialled.push(address), { host: '127.0.0.1', port }),
      authority: '',
    }
    const options = { resolver: names.resolver, detour }
    const socket = await reach(options)
    // The connection uses the looked up address, without another lookup.
    expect(names.asked()).toBe(1)
    await expect(reach(options)).rejects.toThrow(RefusedAddressError)
    expect(names.asked()).toBe(2)
    expect(dialled).toEqual([PUBLIC])
    socket.destroy()
    await names.close()
  })

  test('[S13] attack: a name that is both public and loopback is not connected to', async () => {
    const names = await startNameServer([PUBLIC, '127.0.0.1'])
    await expect(reach({ resolver: names.resolver })).rejects.toThrow(RefusedAddressError)
    expect(connections).toBe(0)
    await names.close()
  })

  test('[S13] attack: a name of this machine is not public', async () => {
    await expect(dial({ host: 'localhost', port, isLoopback: false }, {}, never)).rejects.toThrow(
      RefusedAddressError,
    )
    expect(connections).toBe(0)
  })

  test('[S13] attack: a connection to another address is dropped before any byte', async () => {
    // The system treats 0.0.0.0 as this machine.
    const detour = { to: () => ({ host: '0.0.0.0', port }), authority: '' }
    await expect(reach({ resolver: async () => [PUBLIC], detour })).rejects.toThrow('did not go to')
    expect(received).toBe(0)
  })

  test('[S13] a host without an address is an error', async () => {
    await expect(reach({ resolver: async () => [] })).rejects.toThrow('no address')
  })

  test('tries the next address if one refuses', async () => {
    const detour = {
      to: (address: string) => ({ host: '127.0.0.1', port: address === PUBLIC ? port : 1 }),
      authority: '',
    }
    const socket = await reach({ resolver: async () => ['1.1.1.1', PUBLIC], detour })
    expect(socket.remotePort).toBe(port)
    socket.destroy()
  })

  test('ends when cancelled', async () => {
    const detour = { to: () => ({ host: '127.0.0.1', port }), authority: '' }
    await expect(reach({ resolver: async () => [PUBLIC], detour }, AbortSignal.abort())).rejects.toThrow(
      'abort',
    )
  })

  test.each(['127.0.0.1', 'localhost'])('[S13] reaches %s if loopback is allowed', async (host) => {
    const socket = await dial({ host, port, isLoopback: true }, {}, never)
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  test.skipIf(!hasIpv6)('[S13] reaches [::1] if loopback is allowed', async () => {
    const six = createServer((socket) => socket.on('error', () => socket.destroy()).resume())
    await new Promise<void>((resolve) => six.listen(0, '::1', resolve))
    const place = { host: '[::1]', port: (six.address() as AddressInfo).port, isLoopback: true }
    const socket = await dial(place, {}, never)
    expect(socket.remoteAddress).toBe('::1')
    socket.destroy()
    await new Promise((resolve) => six.close(resolve))
  })
})

describe('public addresses', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2606:4700:4700:0:0:0:0:1111',
    '2a00:1450:4001:81b::200e',
    '2001:200::1',
    '2A00:1450::1',
  ])('[S13] %s is on the public internet', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['a carrier', '100.64.0.1'],
    ['metadata in the space of a carrier', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local', '169.254.1.1'],
    ['metadata', '169.254.169.254'],
    ['metadata of containers', '169.254.170.2'],
    ['metadata in public space', '168.63.129.16'],
    ['metadata among protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['a relay', '192.88.99.1'],
    ['a benchmark', '198.18.0.1'],
    ['a benchmark', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.250'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback in full', '0000:0000:0000:0000:0000:0000:0000:0001'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
    ['mapped, even of a public one', '::ffff:8.8.8.8'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['compatible', '::127.0.0.1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700::1%eth0'],
    ['site-local', 'fec0::1'],
    ['unique local', 'fc00::1'],
    ['metadata', 'fd00:ec2::254'],
    ['metadata', 'fd20:ce::254'],
    ['multicast', 'ff02::1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['discarded', '100::1'],
    ['Teredo', '2001:0:7f00:1::'],
    ['a benchmark', '2001:2::1'],
    ['a cryptographic hash', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['segment routing', '5f00::1'],
    ['outside of the assigned ranges', '4000::1'],
    ['outside of the assigned ranges', '1fff::1'],
    ['decimal', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['hexadecimal', '0x7f.1'],
    ['short', '127.1'],
    ['decimal of a public one', '134744072'],
    ['octal of a public one', '010.8.8.8'],
    ['bracketed', '[2606:4700::1]'],
    ['with a port', '8.8.8.8:443'],
    ['with space', ' 8.8.8.8'],
    ['nothing', ''],
    ['a name', 'localhost'],
  ])('[S13] attack: %s (%s) is not', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test('[S13] each IPv4 address is judged by its bits', () => {
    fc.assert(
      fc.property(ipv4, (bits) => {
        expect(isPublicAddress(dotted(bits))).toBe(!IPV4_NOT.some((prefix) => bits.startsWith(prefix)))
      }),
      { numRuns: 2_000 },
    )
  })

  test('[S13] each IPv6 address is judged by its bits', () => {
    fc.assert(
      fc.property(ipv6, (bits) => {
        const isPublic = bits.startsWith('001') && !IPV6_NOT.some((prefix) => bits.startsWith(prefix))
        expect(isPublicAddress(coloned(bits))).toBe(isPublic)
      }),
      { numRuns: 2_000 },
    )
  })
})

const IPV4_NOT = [
  '00000000',
  '00001010',
  '0110010001',
  '01111111',
  '10101000001111111000000100010000',
  '1010100111111110',
  '101011000001',
  '110000000000000000000000',
  '110000000000000000000010',
  '110000000101100001100011',
  '1100000010101000',
  '110001100001001',
  '110001100011001101100100',
  '110010110000000001110001',
  '1110',
  '1111',
]

const IPV6_NOT = [
  '00100000000000010000000',
  '00100000000000010000110110111000',
  '0010000000000010',
  '00111111111111110000',
]

const bit = fc.constantFrom('0', '1')
const bitsOf = (length: number) => fc.string({ unit: bit, minLength: length, maxLength: length })

/** An arbitrary address, often within a special range or next to one. */
const near = (length: number, prefixes: readonly string[]) =>
  fc
    .tuple(fc.constantFrom('', ...prefixes), bitsOf(length), fc.option(fc.nat(length - 1)))
    .map(([prefix, rest, flipped]) => {
      const bits = (prefix + rest).slice(0, length).split('')
      if (flipped !== null) bits[flipped] = bits[flipped] === '0' ? '1' : '0'
      return bits.join('')
    })

const ipv4 = near(32, IPV4_NOT)
const ipv6 = near(128, [...IPV6_NOT, '001', '0'.repeat(80) + '1'.repeat(16), '1111111010', '1111110'])

const dotted = (bits: string) => (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)).join('.')
const coloned = (bits: string) =>
  (bits.match(/.{16}/g) ?? []).map((part) => Number.parseInt(part, 2).toString(16)).join(':')
