import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { framesOf, testApi, tokenOf } from './testing/test-api.ts'

const SCRIPT = 'export const greeting = "Good day"\n'.repeat(400)
const PAGE = `<!doctype html><title>Parley</title>${'<p>Hello</p>'.repeat(200)}`

let api: Awaited<ReturnType<typeof testApi>>
let consoleDir = ''
beforeAll(async () => {
  consoleDir = await mkdtemp(join(tmpdir(), 'parley-console-'))
  await mkdir(join(consoleDir, 'assets'))
  await writeFile(join(consoleDir, 'index.html'), PAGE)
  await writeFile(join(consoleDir, 'assets', 'index-abcd1234.js'), SCRIPT)
  await writeFile(join(consoleDir, 'assets', 'mark-abcd1234.png'), SCRIPT)
  await writeFile(join(consoleDir, 'assets', 'tiny-abcd1234.js'), 'export {}')
  api = await testApi(
    createScriptedModel(Array.from({ length: 5 }, () => createAnswerScript('Good day. '.repeat(500)))),
    {
      consoleDir,
    },
  )
})
afterAll(async () => {
  await api.close()
  await rm(consoleDir, { recursive: true })
})

/** The raw response: fetch would decompress it and set its own accept header. */
const sent = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: Buffer }>(
    (resolve, reject) => {
      const request = get(`${api.url}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
        response.on('error', reject)
      })
      request.on('error', reject)
    },
  )

const script = '/assets/index-abcd1234.js'
const decoded = { br: brotliDecompressSync, gzip: gunzipSync }

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
] as const)('a console file is sent compressed to a client that accepts %s', async (accepted, encoding) => {
  for (const [path, text] of [
    [script, SCRIPT],
    ['/reflections', PAGE],
  ] as const) {
    const { headers, body } = await sent(path, { 'accept-encoding': accepted })
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' })
    expect(decoded[encoding](body).toString()).toBe(text)
    expect(body.length).toBeLessThan(text.length / 4)
  }
})

test.each([[undefined], ['identity'], ['gzip;q=0, br;q=0'], ['zstd']])(
  'a file of the console is sent as it is to who accepts %s',
  async (accepted) => {
    const { headers, body } = await sent(script, { ...(accepted && { 'accept-encoding': accepted }) })
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['vary']).toBe('Accept-Encoding')
    expect(body.toString()).toBe(SCRIPT)
  },
)

test.each(['/assets/mark-abcd1234.png', '/assets/tiny-abcd1234.js'])(
  '%s would not become smaller, and is sent as it is',
  async (path) => {
    const { headers } = await sent(path, { 'accept-encoding': 'br' })
    expect(headers['content-encoding']).toBeUndefined()
  },
)

test('a hashed file is cached forever; the page is revalidated', async () => {
  const file = await sent(script)
  expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const page = await sent('/')
  expect(page.headers['cache-control']).toBe('no-cache')
  const again = await sent('/', { 'if-none-match': `"other", ${String(page.headers['etag'])}` })
  expect(again).toMatchObject({
    status: 304,
    body: Buffer.alloc(0),
    headers: { etag: page.headers['etag'], vary: 'Accept-Encoding' },
  })

  await writeFile(join(consoleDir, 'index.html'), `${PAGE}<p>Rebuilt</p>`)
  const rebuilt = await sent('/', {
    'if-none-match': String(page.headers['etag']),
    'accept-encoding': 'gzip',
  })
  await writeFile(join(consoleDir, 'index.html'), PAGE)
  expect(rebuilt.status).toBe(200)
  expect(gunzipSync(rebuilt.body).toString()).toContain('Rebuilt')
})

const asOwner = { authorization: `Bearer ${tokenOf('owner')}`, 'accept-encoding': 'gzip, deflate, br' }

const talk = async () => {
  const started = await api.call('POST', '/v1/sessions', { body: { channel: 'text' } })
  const { sessionId } = (await started.json()) as { sessionId: string }
  const events = await api.call('POST', `/v1/sessions/${sessionId}/messages`, {
    body: { text: 'Hello' },
    headers: { accept: 'text/event-stream' },
  })
  return { sessionId, events }
}

test('long responses to GET are compressed', async () => {
  const { sessionId, events } = await talk()
  await framesOf(events)
  const messages = await sent(`/v1/sessions/${sessionId}/messages`, asOwner)
  expect(messages.headers).toMatchObject({
    'content-encoding': 'br',
    vary: 'Accept-Encoding',
    'content-type': expect.stringContaining('application/json'),
    'cache-control': 'no-store',
  })
  const { items } = JSON.parse(brotliDecompressSync(messages.body).toString()) as { items: unknown[] }
  expect(items).toHaveLength(2)

  const me = await sent('/v1/me', asOwner)
  expect(me.headers['content-encoding']).toBeUndefined()
  expect(JSON.parse(me.body.toString())).toMatchObject({ role: 'owner' })
})

test('events and responses to writes, which may hold a new secret, are never compressed', async () => {
  const { sessionId, events } = await talk()
  expect(events.headers.get('content-encoding')).toBeNull()
  await framesOf(events)
  const heard = await api.call('GET', `/v1/sessions/${sessionId}/events`)
  expect(heard.headers.get('content-encoding')).toBeNull()
  await heard.body?.cancel()

  const title = 'A long title. '.repeat(14)
  const renamed = await api.call('PATCH', `/v1/sessions/${sessionId}`, { body: { title } })
  expect(renamed.status).toBe(200)
  expect(renamed.headers.get('content-encoding')).toBeNull()
})
