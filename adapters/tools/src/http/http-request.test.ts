import type { HttpRequestInput } from '@parley/contracts'
import type { ToolCallPlan, ToolCallRefusal, RawToolResult } from '@parley/engine'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { startWebServer, type WebServer } from '../testing/web-server.ts'
import { createHttpRequestTool, type HttpOptions } from './http-request.ts'

const URL_A = 'https://allowed.test/a'
const MADE_UP = 'made-up-value-0123456789'

let web: WebServer
beforeAll(async () => {
  web = await startWebServer()
})
afterAll(() => web.close())
afterEach(() => {
  vi.unstubAllEnvs()
})

const never = new AbortController().signal

const tool = (options: Partial<HttpOptions> = {}) =>
  createHttpRequestTool({
    policy: {
      allowedDomains: ['allowed.test', 'other.test'],
      httpHeaders: { 'allowed.test': { Authorization: 'Bearer {{secrets.MADE_UP}}' } },
    },
    findSecret: (name) => (name === 'MADE_UP' ? MADE_UP : undefined),
    resolver: web.resolver,
    detour: web.detour,
    ...options,
  })

const plan = (
  input: HttpRequestInput,
  options?: Partial<HttpOptions>,
): Promise<ToolCallPlan | ToolCallRefusal> => tool(options).plan(input, never)

async function carriedOut(
  input: HttpRequestInput,
  options?: Partial<HttpOptions>,
  signal: AbortSignal = never,
): Promise<RawToolResult> {
  const planned = await plan(input, options)
  if (planned.kind === 'refused') throw new Error(planned.text)
  return planned.carryOut(signal)
}

describe('requests', () => {
  test.each(['GET', 'HEAD', undefined] as const)('[S13] a %s needs no approval', async (method) => {
    const planned = await plan({ url: URL_A, ...(method && { method }) })
    expect(planned).toMatchObject({
      kind: 'plan',
      target: `${method ?? 'GET'} https://allowed.test`,
      origin: URL_A,
    })
    expect(planned).not.toHaveProperty('approval')
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('[S13] a %s asks the person', async (method) => {
    const input = { url: URL_A, method, body: '{"a":1}', headers: { 'content-type': 'application/json' } }
    expect(await plan(input)).toMatchObject({
      target: `${method} https://allowed.test`,
      approval: {
        forSession: {},
        state: '',
        preview: {
          kind: 'text',
          text: `${method} ${URL_A}\ncontent-type: application/json\nAuthorization: (from your config)\n\n{"a":1}`,
        },
      },
    })
  })

  test('[S13] the same call gives the same question', async () => {
    const input = { url: URL_A, method: 'POST', body: 'a' } as const
    const [one, other] = [await plan(input), await plan(input)]
    expect(JSON.stringify(one)).toBe(JSON.stringify(other))
    expect(JSON.stringify(one)).not.toContain(MADE_UP)
  })

  test('[S13] names a host that is not allowed, and the setting that allows it', async () => {
    const refused = await plan({ url: 'https://evil.test/' })
    expect(refused).toMatchObject({ kind: 'refused', code: 'tool_denied' })
    expect((refused as ToolCallRefusal).text).toContain('evil.test')
    expect((refused as ToolCallRefusal).text).toContain('allowed_domains')
  })

  test.each<[string, Partial<HttpRequestInput>]>([
    ['the URL', { url: 'https://allowed.test/?q={{secrets.MADE_UP}}' }],
    ['the URL with spaces', { url: 'https://allowed.test/?q={{ secrets.MADE_UP }}' }],
    ['a value', { headers: { 'x-key': '{{secrets.MADE_UP}}' } }],
    ['a name', { headers: { '{{secrets.MADE_UP}}': 'a' } }],
    ['the body', { method: 'POST', body: '{"key":"{{secrets.MADE_UP}}"}' }],
  ])('[S13] attack: a secret named in %s', async (_, input) => {
    expect(await plan({ url: URL_A, ...input })).toMatchObject({ kind: 'refused', code: 'tool_denied' })
  })

  test.each<[string, string]>([
    ['Host', 'evil.test'],
    ['content-length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'close'],
    ['Upgrade', 'websocket'],
    ['Proxy-Authorization', 'a'],
    ['Sec-Fetch-Site', 'same-origin'],
    ['TE', 'trailers'],
    ['Expect', '100-continue'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['x-a', 'a\r\nHost: evil.test'],
    ['x-a', 'a\nb'],
    ['x-a', 'a\0b'],
    ['x-a', 'a\u2028b'],
    ['x-a', '嘊嘍'],
    ['x-a\r\nHost', 'evil.test'],
    ['x a', 'b'],
    ['x-a:', 'b'],
    ['', 'b'],
  ])('[S13] attack: the header %j with %j', async (name, value) => {
    expect(await plan({ url: URL_A, headers: { [name]: value } })).toMatchObject({
      kind: 'refused',
      code: 'validation',
    })
  })

  test('a GET with a body is refused for the model to fix', async () => {
    expect(await plan({ url: URL_A, body: 'a' })).toMatchObject({ kind: 'refused', code: 'validation' })
  })

  test('[S13] a missing secret is reported before anything is sent', async () => {
    const refused = await plan({ url: URL_A }, { findSecret: () => undefined })
    expect(refused).toMatchObject({ kind: 'refused', code: 'tool_unavailable' })
    expect((refused as ToolCallRefusal).text).toContain('parley keys set MADE_UP')
  })

  test('[S13] attack: a secret with a line break adds no header, and is not shown', async () => {
    const refused = await plan({ url: URL_A }, { findSecret: () => 'made-up\r\nx-evil: 1' })
    expect(refused).toMatchObject({ kind: 'refused' })
    expect(JSON.stringify(refused)).not.toContain('x-evil')
  })
})

describe('the sent request', () => {
  test('[S13] the headers of the config override those of the model', async () => {
    web.answer((response) => response.end())
    await carriedOut({
      url: URL_A,
      headers: { authorization: 'Basic mine', 'X-Mine': 'a', Accept: 'text/plain' },
    })
    expect(web.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${MADE_UP}`,
      'x-mine': 'a',
      accept: 'text/plain',
    })
  })

  test('[S13] attack: the headers of the config are only for their host', async () => {
    web.answer((response, { path }) => {
      if (path === '/a') response.writeHead(302, { location: 'https://other.test/b' }).end()
      else response.end('there')
    })
    const said = await carriedOut({ url: URL_A })
    expect(said.text).toContain('redirected to: https://other.test/b')
    await carriedOut({ url: 'https://other.test/c' })
    expect(web.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${MADE_UP}`,
      undefined,
      undefined,
    ])
  })

  test('[S12] has the unchanged body', async () => {
    web.answer((response) => response.writeHead(201).end())
    const said = await carriedOut({ url: URL_A, method: 'POST', body: 'grüße' })
    expect(said).toEqual({ kind: 'ok', text: 'HTTP 201 Created' })
    expect(web.requests).toMatchObject([{ method: 'POST', body: 'grüße' }])
  })

  test('[S13] the environment names no proxy', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1')
    web.answer((response) => response.end('direct'))
    expect((await carriedOut({ url: URL_A })).text).toContain('direct')
  })

  test('[S12] no URL fragment is sent', async () => {
    web.answer((response) => response.end('a'))
    expect(await carriedOut({ url: `${URL_A}#part` })).toEqual({ kind: 'ok', text: 'HTTP 200 OK\n\na' })
  })
})

/** Sends single letters until the connection closes. */
const drip = (onFirst: () => void = () => undefined): Promise<void> =>
  new Promise((resolve) => {
    web.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('a', onFirst)
      const timer = setInterval(() => response.write('a'), 20)
      response.on('close', () => {
        clearInterval(timer)
        resolve()
      })
    })
  })

describe('failures', () => {
  test('[S13] attack: a server that responds slowly without end', async () => {
    const closed = drip()
    expect(await carriedOut({ url: URL_A }, { limits: { wholeMs: 300 } })).toMatchObject({
      kind: 'failed',
      text: expect.stringContaining('timed out'),
    })
    await closed
  })

  test('[S13] attack: redirects do not restart the timeout', async () => {
    web.answer((response, { path }) => {
      setTimeout(() => response.writeHead(302, { location: `${path}a` }).end(), 200)
    })
    expect(await carriedOut({ url: URL_A }, { limits: { wholeMs: 500 } })).toMatchObject({
      kind: 'failed',
      text: expect.stringContaining('timed out'),
    })
  })

  test('[S12] a cancelled call ends with its connection', async () => {
    const controller = new AbortController()
    const closed = drip(() => controller.abort())
    await expect(carriedOut({ url: URL_A }, {}, controller.signal)).rejects.toMatchObject({
      name: 'AbortError',
    })
    await closed
  })

  test.each([
    ['resolver', { resolver: async () => ['10.0.0.1'] }, 'tool_denied', '10.0.0.1'],
    [
      'name',
      { resolver: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })) },
      'tool_failed',
      'was not found',
    ],
  ] as const)('[S13] a failure of the %s is reported', async (_, options, code, text) => {
    expect(await carriedOut({ url: URL_A }, options)).toMatchObject({
      kind: 'failed',
      code,
      text: expect.stringContaining(text),
    })
  })

  test('a missing server is reported', async () => {
    const detour = { ...web.detour, to: () => ({ host: '127.0.0.1', port: 1 }) }
    expect(await carriedOut({ url: URL_A }, { detour })).toMatchObject({
      kind: 'failed',
      text: 'allowed.test could not be connected to. Try again later.',
    })
  })

  test('[S13] a body with a wrong encoding is a failure', async () => {
    web.answer((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed'))
    expect(await carriedOut({ url: URL_A })).toMatchObject({ kind: 'failed', code: 'tool_failed' })
  })

  test('[S13] a truncated response is a failure', async () => {
    web.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    expect(await carriedOut({ url: URL_A })).toMatchObject({
      kind: 'failed',
      text: expect.stringContaining('closed the connection'),
    })
  })
})
