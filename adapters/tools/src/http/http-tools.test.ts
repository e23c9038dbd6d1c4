import { type IncomingMessage, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RawToolResult } from '@parley/engine'
import { type WebServer, startWebServer } from '../testing/web-server.ts'
import type { ToolPolicy } from '../tool-policy.ts'
import { type SearchOptions, createHttpTools, createWebSearchTool } from './http-tools.ts'

const search = { kind: 'brave', url: 'https://search.test/', isOwn: true } as const

describe('the web tools', () => {
  test.each<[string, Partial<ToolPolicy>, readonly string[]]>([
    ['nothing: no tools', {}, []],
    ['a host: http_request', { allowedDomains: ['allowed.test'] }, ['http_request']],
    ['a search service: web_search', { webSearch: search }, ['web_search']],
    [
      'both, there are both',
      { allowedDomains: ['allowed.test'], webSearch: search },
      ['http_request', 'web_search'],
    ],
  ])('[S13] the config allows %s', (_, given, names) => {
    const policy = { allowedDomains: [], httpHeaders: {}, ...given }
    expect(createHttpTools({ policy, findSecret: () => undefined }).map(({ name }) => name)).toEqual(names)
  })
})

const BRAVE: NonNullable<ToolPolicy['webSearch']> = {
  isOwn: true,
  kind: 'brave',
  url: 'https://search.test/res/v1/web/search',
  headers: { 'X-Subscription-Token': '{{secrets.MADE_UP}}' },
}

let web: WebServer
beforeAll(async () => {
  web = await startWebServer()
})
afterAll(() => web.close())

const never = new AbortController().signal

const tool = (options: Partial<SearchOptions> = {}) =>
  createWebSearchTool({
    config: BRAVE,
    findSecret: () => 'made-up-value-0123456789',
    resolver: web.resolver,
    detour: web.detour,
    ...options,
  })

async function found(
  query: string,
  count?: number,
  options?: Partial<SearchOptions>,
): Promise<RawToolResult> {
  const planned = await tool(options).plan({ query, ...(count !== undefined && { count }) }, never)
  if (planned.kind === 'refused') throw new Error(planned.text)
  return planned.carryOut(never)
}

const answering = (answer: unknown, status = 200) =>
  web.answer((response) => response.writeHead(status).end(JSON.stringify(answer)))

describe('web_search', () => {
  test('[S12] Brave is queried with its key, and its results are shown', async () => {
    const results = [
      { title: 'A &amp; B', url: 'https://a.test/', description: 'It is <strong>found</strong>.' },
      { title: 'C', url: 'https://c.test/' },
      { title: 'D', url: 'https://d.test/' },
    ]
    answering({ type: 'search', web: { results } })
    expect(await found('a b&c', 2)).toEqual({
      kind: 'ok',
      text: 'A & B\nhttps://a.test/\nIt is found.\n\nC\nhttps://c.test/',
    })
    expect(web.requests).toMatchObject([
      {
        host: 'search.test',
        path: '/res/v1/web/search?q=a+b%26c&count=2',
        headers: { 'x-subscription-token': 'made-up-value-0123456789' },
      },
    ])
  })

  test('[S13] it needs no approval, and its results are untrusted', async () => {
    const planned = await tool().plan({ query: 'a' }, never)
    expect(planned).toMatchObject({ kind: 'plan', target: 'search.test', origin: 'search.test' })
    expect(planned).not.toHaveProperty('approval')
  })

  test('[S13] SearXNG may be on this machine if the person’s config names it', async () => {
    const asked: IncomingMessage['url'][] = []
    const server = createServer(({ url }, response) => {
      asked.push(url)
      response.end(JSON.stringify({ results: [{ title: 'A', url: 'https://a.test/', content: 'b' }] }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const config = { kind: 'searxng', isOwn: true, url: `http://127.0.0.1:${port}/searx/` } as const
    expect(await found('a', 3, { config })).toEqual({ kind: 'ok', text: 'A\nhttps://a.test/\nb' })
    expect(asked).toEqual(['/searx/search?q=a&format=json'])
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  test.each([
    ['a local network address', 'https://192.168.0.5/'],
    ['plain HTTP', 'http://search.test/'],
    ['another port', 'https://search.test:8443/'],
  ])('[S13] does not contact %s', async (_, url) => {
    const refused = await tool({ config: { kind: 'searxng', url, isOwn: true } }).plan({ query: 'a' }, never)
    expect(refused).toMatchObject({ kind: 'refused', text: expect.stringContaining('[web_search]') })
  })

  test('[S13] attack: a search service that redirects elsewhere', async () => {
    web.answer((response) => response.writeHead(302, { location: 'https://other.test/' }).end())
    expect(await found('a')).toMatchObject({ kind: 'failed', code: 'tool_denied' })
    expect(web.requests).toHaveLength(1)
  })

  test('[S13] attack: a search that names a secret', async () => {
    expect(await tool().plan({ query: '{{secrets.MADE_UP}}' }, never)).toMatchObject({ kind: 'refused' })
  })

  test.each([
    ['nothing', { type: 'search' }, 'ok', 'No results.'],
    ['an empty list', { web: { results: [] } }, 'ok', 'No results.'],
    ['no results at all', {}, 'failed', 'did not respond as brave does'],
    ['a list of nonsense', { web: { results: [null, 1, 'a', { title: 2 }] } }, 'ok', 'No results.'],
    ['a text', 'sorry', 'failed', 'did not respond as brave does'],
  ])('[S12] the response is %s', async (_, answer, kind, text) => {
    answering(answer)
    const said = await found('a')
    expect(said.kind).toBe(kind)
    expect(said.text).toContain(text)
  })

  test('[S12] an error status is reported, with how to fix it', async () => {
    answering({}, 401)
    expect(await found('a')).toMatchObject({
      kind: 'failed',
      text: expect.stringMatching(/401.*X-Subscription-Token/),
    })
  })

  test('[S13] an endless response is cut off', async () => {
    answering({ web: { results: [{ title: 'a'.repeat(1_000) }] } })
    expect(await found('a', 1, { limits: { textBytes: 500 } })).toMatchObject({ kind: 'failed' })
  })
})
