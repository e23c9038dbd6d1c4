import { createServer as createPlainServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PUBLIC_ADDRESS, type WebServer, startNameServer, startWebServer } from '../testing/web-server.ts'
import { RefusedAddressError } from './check-url.ts'
import { type GuardOptions, createGuardedFetch, createGuardedConnector } from './create-guarded-fetch.ts'

let web: WebServer
beforeAll(async () => {
  web = await startWebServer()
})
afterAll(() => web.close())

const guarded = (options: Partial<GuardOptions> = {}) =>
  createGuardedFetch({
    allowedHosts: ['allowed.test', 'other.test', 'rebind.test'],
    resolver: web.resolver,
    detour: web.detour,
    ...options,
  })

const START = 'https://allowed.test/start'

describe('a guarded fetch', () => {
  test('[S13] returns the response of an allowed host', async () => {
    web.answer((response) => response.end('hello'))
    const response = await guarded()('https://ALLOWED.test/a')
    expect(await response.text()).toBe('hello')
    expect(web.requests).toMatchObject([{ method: 'GET', host: 'allowed.test', path: '/a' }])
  })

  test.each([
    'https://evil.test/',
    'https://127.0.0.1/',
    'http://allowed.test/',
    'https://u:p@allowed.test/',
  ])('[S13] attack: %s is not connected to', async (url) => {
    web.answer((response) => response.end())
    await expect(guarded()(url)).rejects.toThrow(RefusedAddressError)
    expect(web.connections()).toBe(0)
  })

  test('[S13] attack: an allowed host on this machine is not connected to', async () => {
    web.answer((response) => response.end())
    const inner = guarded({ resolver: async () => ['127.0.0.1'] })
    await expect(inner('https://allowed.test/')).rejects.toThrow(RefusedAddressError)
    expect(web.connections()).toBe(0)
  })

  test('[S13] attack: a name that resolves to loopback at the second request', async () => {
    const names = await startNameServer([PUBLIC_ADDRESS], ['127.0.0.1'])
    web.answer((response) => response.writeHead(200, { connection: 'close' }).end('once'))
    const rebound = guarded({ resolver: names.resolver })
    expect(await (await rebound('https://rebind.test/')).text()).toBe('once')
    await expect(rebound('https://rebind.test/')).rejects.toThrow(RefusedAddressError)
    expect(web.requests).toHaveLength(1)
    await names.close()
  })

  test('[S13] attack: a name that resolves to loopback after a redirect', async () => {
    const names = await startNameServer([PUBLIC_ADDRESS], ['169.254.169.254'])
    web.answer((response) => response.writeHead(302, { location: '/next', connection: 'close' }).end())
    await expect(guarded({ resolver: names.resolver })('https://rebind.test/')).rejects.toThrow(
      RefusedAddressError,
    )
    expect(web.requests).toHaveLength(1)
    await names.close()
  })

  test('[S13] attack: a server whose certificate is for another host, or from an unknown authority', async () => {
    web.answer((response) => response.end('secret'))
    const unknown = guarded({ allowedHosts: ['unknown.test'] })
    await expect(unknown('https://unknown.test/')).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    const { authority: _, ...detour } = web.detour
    const untrusting = guarded({ detour: { ...detour, authority: '' } })
    await expect(untrusting('https://allowed.test/')).rejects.toThrow(/certificate/)
    expect(web.requests).toEqual([])
  })
})

describe('the one origin on this machine', () => {
  test('[S13] is reached, and cannot redirect elsewhere', async () => {
    const paths: (string | undefined)[] = []
    const plain = createPlainServer(({ url }, response) => {
      paths.push(url)
      if (url === '/away') response.writeHead(302, { location: `http://127.0.0.2:${port}/elsewhere` }).end()
      else if (url === '/on') response.writeHead(302, { location: '/end' }).end()
      else response.end('here')
    })
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const { port } = plain.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    const local = createGuardedFetch({ allowedHosts: [], allowLoopback: origin })
    expect(await (await local(`${origin}/on`)).text()).toBe('here')
    await expect(local(`${origin}/away`)).rejects.toThrow(RefusedAddressError)
    await expect(createGuardedFetch({ allowedHosts: ['127.0.0.1'] })(origin)).rejects.toThrow(
      RefusedAddressError,
    )

    web.answer((response) => response.writeHead(302, { location: `${origin}/inner` }).end())
    await expect(guarded({ allowLoopback: origin })(START)).rejects.toThrow('https')
    expect(paths).toEqual(['/on', '/end', '/away'])
    plain.closeAllConnections()
    plain.close()
  })
})

describe('limits', () => {
  test('[S13] limits the wait for DNS', async () => {
    const hanging = guarded({ resolver: () => new Promise(() => undefined), limits: { connectMs: 50 } })
    await expect(hanging(START)).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('[S13] limits the wait for the TLS handshake', async () => {
    const silent = createServer((socket) => socket.on('error', () => socket.destroy()).resume())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const detour = { ...web.detour, to: () => ({ host: '127.0.0.1', port }) }
    await expect(guarded({ detour, limits: { connectMs: 50 } })(START)).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    await new Promise((resolve) => silent.close(resolve))
  })

  test('[S13] limits the wait for headers', async () => {
    web.answer(() => undefined)
    await expect(guarded({ limits: { headersMs: 50 } })(START)).rejects.toMatchObject({
      code: 'UND_ERR_HEADERS_TIMEOUT',
    })
  })

  test.each([
    [100, 'OK'],
    [101, 'allowed.test answers with more than 100 headers.'],
  ])('[S13] an answer of %i headers: %s', async (count, end) => {
    web.answer((response) => {
      response.sendDate = false
      response.setHeader('content-length', '0')
      response.setHeader('connection', 'close')
      for (let index = 2; index < count; index += 1) response.setHeader(`x-${index}`, 'a')
      response.end()
    })
    const said = await guarded()(START).then(
      ({ statusText }) => statusText,
      (failure: Error) => failure.message,
    )
    expect(said).toBe(end)
  })

  test('[S13] headers that are too large are refused', async () => {
    web.answer((response) => response.writeHead(200, { 'x-large': 'a'.repeat(70_000) }).end())
    await expect(guarded()(START)).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_OVERFLOW' })
  })

  test('[S12] a cancelled request ends at once', async () => {
    web.answer(() => controller.abort())
    const controller = new AbortController()
    await expect(guarded()(START, { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})

describe('the connector', () => {
  test.each([
    ['an address', 'https:', '127.0.0.1'],
    ['an address over plain HTTP', 'http:', '127.0.0.1'],
    ['an address of IPv6', 'https:', '[::1]'],
    ['a host that is not allowed', 'https:', 'evil.test'],
    ['an allowed host at another port', 'https:', 'allowed.test'],
  ])('[S13] attack: %s is checked for every connection', async (_, protocol, hostname) => {
    let connections = 0
    const server = createServer(() => {
      connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const port = String((server.address() as AddressInfo).port)
    const connect = createGuardedConnector({ allowedHosts: ['allowed.test', '127.0.0.1'], connectMs: 1_000 })
    const failure = await new Promise((resolve) => {
      connect({ protocol, hostname, host: `${hostname}:${port}`, port }, (...[reason]) => resolve(reason))
    })
    expect(failure).toBeInstanceOf(RefusedAddressError)
    expect(connections).toBe(0)
    await new Promise((resolve) => server.close(resolve))
  })
})
