import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import {
  onLoopback,
  onTheWeb,
  reply,
  startEverything,
  unusedAddress,
  withCall,
} from './http-servers.fixture.ts'
import { openMcp } from './mcp.fixture.ts'

const ECHO = { server: 'web', tool: 'echo', arguments: { text: 'hello' } }

test('[S12] a server with a URL is called over HTTPS, with its configured headers', async () => {
  const { web, servers, dial } = await onTheWeb({ headers: { Authorization: 'Bearer {{secrets.MADE_UP}}' } })
  const { call, decide } = await openMcp({ servers, dial, findSecret: () => 'made-up-secret' })
  expect(await decide(ECHO)).toMatchObject({ kind: 'asks', target: 'web/echo' })
  expect((await call(ECHO)).outcome).toMatchObject({
    kind: 'ok',
    text: expect.stringContaining('{"text":"hello"}'),
  })
  const posts = web.requests.filter(({ method }) => method === 'POST')
  expect(posts.every(({ headers }) => headers.authorization === 'Bearer made-up-secret')).toBe(true)
  expect(posts.at(-1)?.headers['mcp-session-id']).toBe('made-up-session')
})

test('[S12] the reference server works over HTTP on this machine if the person’s config names it', async () => {
  const servers = { web: { url: await startEverything(), isOwn: true } }
  const { call } = await openMcp({ servers })
  expect((await call({ server: 'web' })).outcome.text).toContain('## get-sum')
  const { outcome } = await call({ server: 'web', tool: 'get-sum', arguments: { a: 1, b: 2 } })
  expect(outcome.text).toContain('The sum of 1 and 2 is 3.')
})

test.each([
  'http://127.0.0.1:PORT/mcp',
  'http://localhost:PORT/mcp',
  'http://[::1]:PORT/mcp',
  'https://localhost/mcp',
])('[S13] attack: a project cannot name the server %s on this machine', async (place) => {
  let requests = 0
  const { port } = new URL(await onLoopback((_, response) => void ((requests += 1), response.end())))
  const servers = { web: { url: place.replace('PORT', port), isOwn: false } }
  const { decide } = await openMcp({ servers })
  expect(await decide(ECHO)).toMatchObject({
    kind: 'refused',
    outcome: { text: expect.stringContaining("Only the person's own config") },
  })
  expect(requests).toBe(0)
})

test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1'])(
  '[S13] attack: a name that resolves to %s is not connected to',
  async (address) => {
    const { web, servers, dial } = await onTheWeb({ isOwn: true })
    const { call } = await openMcp({ servers, dial: { ...dial, resolver: async () => [address] } })
    expect((await call(ECHO)).outcome).toMatchObject({
      kind: 'failed',
      text: expect.stringContaining('not on the public internet'),
    })
    expect(web.connections()).toBe(0)
  },
)

test.each(['https://other.test/mcp', 'http://mcp.test/api', 'http://127.0.0.1:1/', 'https://mcp.test:8443/'])(
  '[S13] attack: a redirect to %s is not followed, and gets no secret',
  async (location) => {
    const { web, servers, dial } = await onTheWeb({ headers: { 'X-Key': 'made-up-key' } }, (response) => {
      response.writeHead(307, { location }).end()
    })
    const { call } = await openMcp({ servers, dial })
    expect((await call(ECHO)).outcome).toMatchObject({ kind: 'failed' })
    expect(web.requests.map(({ host }) => host)).not.toContain('other.test')
    expect(web.requests).toHaveLength(1)
  },
)

test('[S13] attack: a server on this machine cannot redirect elsewhere on it', async () => {
  let requests = 0
  const other = await onLoopback((_, response) => void ((requests += 1), response.end()))
  const url = await onLoopback((_, response) => response.writeHead(307, { location: other }).end())
  const { call } = await openMcp({ servers: { web: { url, isOwn: true } } })
  expect((await call(ECHO)).outcome).toMatchObject({ kind: 'failed' })
  expect(requests).toBe(0)
})

test.each<[string, string]>([
  ['an answer', 'application/json'],
  ['an event', 'text/event-stream'],
])('[S13] attack: %s without an end is cut off', async (_, type) => {
  const url = await withCall((response) => {
    response.writeHead(200, { 'content-type': type })
    const more = () => !response.destroyed && response.write('data: '.padEnd(65_536, 'x'), () => more())
    more()
  })
  const { call } = await openMcp({
    servers: { web: { url, isOwn: true } },
    limits: { messageBytes: 1_000_000 },
  })
  const { outcome } = await call(ECHO)
  expect(outcome).toMatchObject({ kind: 'failed', text: expect.stringContaining('more than 1000000 bytes') })
})

test.each([
  ['many bytes', { unrequestedBytes: 100_000 }, 'more than 100000 bytes unasked'],
  ['many events', { unrequestedMessages: 500 }, 'more than 500 messages unasked'],
])('[S13] attack: endless events are cut off after too %s', async (_, limits, text) => {
  const url = await withCall((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const event = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} })}\n\n`
    const more = () => !response.destroyed && response.write(event.repeat(50), () => more())
    more()
  })
  const { call } = await openMcp({ servers: { web: { url, isOwn: true } }, limits })
  expect((await call(ECHO)).outcome.text).toContain(text)
})

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['breaks off', breakOff, /The connection ended early/],
  ['fails', (response) => response.writeHead(500).end('made-up-trouble'), /made-up-trouble/],
  [
    'is a page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    /content type/,
  ],
])('[S12] a response that %s is reported at once', async (_, atCall, text) => {
  const { call } = await openMcp({ servers: { web: { url: await withCall(atCall), isOwn: true } } })
  const { outcome } = await call(ECHO)
  expect(outcome).toMatchObject({ kind: 'failed', text: expect.stringMatching(text) })
})

test('[S12] a restarted server is connected again', async () => {
  const { web, servers, dial } = await onTheWeb()
  let time = 1_000_000
  const { call } = await openMcp({ servers, dial, now: () => time })
  expect((await call(ECHO)).outcome).toMatchObject({ kind: 'ok' })
  web.answer((response) => response.writeHead(404).end('no such session'))
  expect((await call(ECHO)).outcome).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('no such session'),
  })
  web.answer((response, { method, body }) => reply(response, method, body))
  time += 1_000
  expect((await call(ECHO)).outcome).toMatchObject({ kind: 'ok' })
  expect(web.requests.filter(({ body }) => body.includes('"initialize"'))).toHaveLength(1)
})

test('[S12] an unreachable address is reported', async () => {
  const url = await unusedAddress()
  const { call } = await openMcp({ servers: { web: { url, isOwn: true } } })
  expect((await call(ECHO)).outcome).toMatchObject({
    code: 'tool_unavailable',
    text: expect.stringContaining('ECONNREFUSED'),
  })
})

test('[S13] a secret that no header can hold is not quoted', async () => {
  const { servers, dial } = await onTheWeb({ headers: { 'X-Key': '{{secrets.MADE_UP}}' } })
  const { decide } = await openMcp({ servers, dial, findSecret: () => 'made-up\nsecret' })
  const verdict = await decide(ECHO)
  expect(verdict).toMatchObject({ kind: 'refused', outcome: { text: expect.stringContaining('X-Key') } })
  expect(JSON.stringify(verdict)).not.toContain('made-up')
})

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': wait\n\n', () => response.destroy())
}
