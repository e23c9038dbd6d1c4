import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startNameServer } from '../testing/name-server.ts'
import { dial, type DialOptions } from './dial.ts'
import { RefusedAddressError } from './refused-address-error.ts'

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
    await expect(reach({ resolver: async () => [PUBLIC, address] })).rejects.toThrow('open internet')
    expect(connections).toBe(0)
  })

  test('[S13] attack: a name that is public first and loopback afterwards is not followed there', async () => {
    const names = await startNameServer([PUBLIC], ['127.0.0.1'])
    const dialled: string[] = []
    const detour = {
      to: (address: string) => (dialled.push(address), { host: '127.0.0.1', port }),
      authority: '',
    }
    const options = { resolver: names.resolver, detour }
    const socket = await reach(options)
    // What was looked up is what is connected to: it is not looked up again.
    expect(names.asked()).toBe(1)
    await expect(reach(options)).rejects.toThrow(RefusedAddressError)
    expect(names.asked()).toBe(2)
    expect(dialled).toEqual([PUBLIC])
    socket.destroy()
    await names.close()
  })

  test('[S13] attack: a name that is public and loopback at once is not connected to', async () => {
    const names = await startNameServer([PUBLIC, '127.0.0.1'])
    await expect(reach({ resolver: names.resolver })).rejects.toThrow(RefusedAddressError)
    expect(connections).toBe(0)
    await names.close()
  })

  test('[S13] attack: a name of this machine is not public because the system knows it', async () => {
    await expect(dial({ host: 'localhost', port, isLoopback: false }, {}, never)).rejects.toThrow(
      RefusedAddressError,
    )
    expect(connections).toBe(0)
  })

  test('[S13] attack: a connection that ends up elsewhere is dropped before a byte is sent', async () => {
    // The system takes 0.0.0.0 for this machine.
    const detour = { to: () => ({ host: '0.0.0.0', port }), authority: '' }
    await expect(reach({ resolver: async () => [PUBLIC], detour })).rejects.toThrow('another address')
    expect(received).toBe(0)
  })

  test('[S13] a host without an address is an error', async () => {
    await expect(reach({ resolver: async () => [] })).rejects.toThrow('no address')
  })

  test('goes on to the next address where one refuses', async () => {
    const detour = {
      to: (address: string) => ({ host: '127.0.0.1', port: address === PUBLIC ? port : 1 }),
      authority: '',
    }
    const socket = await reach({ resolver: async () => ['1.1.1.1', PUBLIC], detour })
    expect(socket.remotePort).toBe(port)
    socket.destroy()
  })

  test('ends where it is cancelled', async () => {
    const detour = { to: () => ({ host: '127.0.0.1', port }), authority: '' }
    await expect(reach({ resolver: async () => [PUBLIC], detour }, AbortSignal.abort())).rejects.toThrow(
      'abort',
    )
  })

  test.each(['127.0.0.1', 'localhost'])(
    '[S13] reaches %s where it is told that this is loopback',
    async (host) => {
      const socket = await dial({ host, port, isLoopback: true }, {}, never)
      expect(socket.remoteAddress).toBe('127.0.0.1')
      socket.destroy()
    },
  )

  test.skipIf(!hasIpv6)('[S13] reaches [::1] where it is told that this is loopback', async () => {
    const six = createServer((socket) => socket.on('error', () => socket.destroy()).resume())
    await new Promise<void>((resolve) => six.listen(0, '::1', resolve))
    const place = { host: '[::1]', port: (six.address() as AddressInfo).port, isLoopback: true }
    const socket = await dial(place, {}, never)
    expect(socket.remoteAddress).toBe('::1')
    socket.destroy()
    await new Promise((resolve) => six.close(resolve))
  })
})
