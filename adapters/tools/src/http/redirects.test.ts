import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWebServer, type WebReply, type WebServer } from '../testing/web-server.ts'
import { createGuardedFetch } from './create-guarded-fetch.ts'
import { RefusedAddressError } from './check-url.ts'

let web: WebServer
beforeAll(async () => {
  web = await startWebServer()
})
afterAll(() => web.close())

const guarded = () =>
  createGuardedFetch({
    allowedHosts: ['allowed.test', 'other.test'],
    resolver: web.resolver,
    detour: web.detour,
  })

const redirecting =
  (location: string, status = 302): WebReply =>
  (response, { path }) => {
    if (path === '/start') response.writeHead(status, { location }).end('moved')
    else response.end('arrived')
  }

const START = 'https://allowed.test/start'

describe('redirects', () => {
  test.each([
    ['within a host', '/next', 'https://allowed.test/next'],
    ['to another allowed host', 'https://other.test/next', 'https://other.test/next'],
    ['without a scheme', '//other.test/next', 'https://other.test/next'],
  ])('[S13] %s are followed', async (_, location, url) => {
    web.answer(redirecting(location))
    const response = await guarded()(START)
    expect(await response.text()).toBe('arrived')
    expect(response.url).toBe(url)
  })

  test.each([
    'http://allowed.test/next',
    'https://evil.test/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/',
    'https://10.0.0.1/',
    'https://192.168.0.1/',
    'https://localhost/',
    '//127.0.0.1/',
    '\\\\127.0.0.1\\',
    'https://allowed.test:8443/',
    'https://allowed.test@evil.test/',
    'https://user:word@allowed.test/',
    'https://allowed.test./',
    'file:///etc/passwd',
    'data:text/html,hello',
    'javascript:alert(1)',
    'https://',
  ])('[S13] attack: a redirect to %s is refused', async (location) => {
    web.answer(redirecting(location))
    await expect(guarded()(START)).rejects.toThrow(RefusedAddressError)
    expect(web.requests).toHaveLength(1)
  })

  test('[S13] attack: a chain with a bad last redirect', async () => {
    web.answer((response, { path }) => {
      const step = Number(path.slice(1))
      const location =
        step === 3 ? 'https://169.254.169.254/' : `https://${step % 2 ? 'allowed' : 'other'}.test/${step + 1}`
      response.writeHead(307, { location }).end()
    })
    await expect(guarded()('https://allowed.test/0')).rejects.toThrow('address')
    expect(web.requests.map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3'])
  })

  test.each([
    [5, 'arrived'],
    [6, 'allowed.test redirects more than 5 times.'],
  ])('[S13] after %i in a row: %s', async (count, end) => {
    web.answer((response, { path }) => {
      const step = Number(path.slice(1))
      if (step === count) return response.end('arrived')
      return response.writeHead(302, { location: `/${step + 1}` }).end()
    })
    const said = await guarded()('https://allowed.test/0').then(
      (response) => response.text(),
      (failure: Error) => failure.message,
    )
    expect(said).toBe(end)
  })

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', 'body'],
    [308, 'POST', 'POST', 'body'],
    [302, 'PUT', 'PUT', 'body'],
  ])('[S12] a %i turns a %s into a %s', async (status, method, becomes, body) => {
    web.answer(redirecting('/next', status))
    await guarded()(START, { method, body: 'body', headers: { 'content-type': 'text/plain' } })
    expect(web.requests[1]).toMatchObject({ method: becomes, body })
    expect(web.requests[1]?.headers['content-type']).toBe(body === '' ? undefined : 'text/plain')
  })

  test.each([
    [307, 'POST'],
    [308, 'DELETE'],
    [302, 'PUT'],
  ])('[S13] attack: a %i that redirects a %s to another host', async (status, method) => {
    web.answer(redirecting('https://other.test/next', status))
    await expect(guarded()(START, { method, body: 'private' })).rejects.toThrow('other.test')
    expect(web.requests).toHaveLength(1)
  })

  test('[S13] attack: credentials are not sent to another host, nor after a redirect back', async () => {
    web.answer((response, { path }) => {
      const next: Record<string, string> = {
        '/start': 'https://other.test/1',
        '/1': 'https://allowed.test/2',
      }
      const location = next[path]
      if (location) response.writeHead(302, { location, 'set-cookie': 'made-up=1' }).end()
      else response.end()
    })
    const headers = {
      accept: 'text/plain',
      authorization: 'Bearer made-up',
      cookie: 'made-up=1',
      'x-api-key': 'made-up',
      'proxy-authorization': 'made-up',
    }
    await guarded()(START, { headers })
    const [first, second, third] = web.requests
    expect(first?.headers).toMatchObject(headers)
    expect(second?.headers.accept).toBe('text/plain')
    expect(JSON.stringify([second, third])).not.toContain('made-up')
  })

  test('[S12] credentials stay within a host', async () => {
    web.answer(redirecting('/next'))
    await guarded()(START, { headers: { authorization: 'Bearer made-up' } })
    expect(web.requests[1]?.headers.authorization).toBe('Bearer made-up')
  })
})
