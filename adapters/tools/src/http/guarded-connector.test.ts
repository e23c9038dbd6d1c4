import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { guardedConnector } from './guarded-connector.ts'
import { RefusedAddressError } from './refused-address-error.ts'

describe('the connector', () => {
  test.each([
    ['an address', 'https:', '127.0.0.1'],
    ['an address on an open line', 'http:', '127.0.0.1'],
    ['an address of IPv6', 'https:', '[::1]'],
    ['a host that is not allowed', 'https:', 'evil.test'],
    ['an allowed host at another port', 'https:', 'allowed.test'],
  ])('[S13] attack: %s is checked, whoever asks for the connection', async (_, protocol, hostname) => {
    let connections = 0
    const server = createServer(() => {
      connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const port = String((server.address() as AddressInfo).port)
    const connect = guardedConnector({ allowedHosts: ['allowed.test', '127.0.0.1'], connectMs: 1_000 })
    const failure = await new Promise((resolve) => {
      connect({ protocol, hostname, host: `${hostname}:${port}`, port }, (...[why]) => resolve(why))
    })
    expect(failure).toBeInstanceOf(RefusedAddressError)
    expect(connections).toBe(0)
    await new Promise((resolve) => server.close(resolve))
  })
})
