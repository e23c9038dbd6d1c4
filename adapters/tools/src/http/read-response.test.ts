import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { RawToolResult } from '@parley/engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWebServer, type WebServer } from '../testing/web-server.ts'
import { createGuardedFetch } from './create-guarded-fetch.ts'
import { HTTP_LIMITS } from './http-exchange.ts'
import { readResponse } from './http-request.ts'

let web: WebServer
beforeAll(async () => {
  web = await startWebServer()
})
afterAll(() => web.close())

async function read({ method = 'GET', limits = {} } = {}): Promise<RawToolResult> {
  const { resolver, detour } = web
  const guarded = createGuardedFetch({ allowedHosts: ['allowed.test'], resolver, detour })
  const url = 'https://allowed.test/a'
  return readResponse(await guarded(url, { method }), { url, method }, { ...HTTP_LIMITS, ...limits })
}

const answering = (type: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  web.answer((response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body))

describe('a response', () => {
  test.each([
    ['text/plain', 'hello', 'hello'],
    ['application/json', '{"a":1}', '{"a":1}'],
    ['application/problem+json; charset=utf-8', '{}', '{}'],
    ['application/xml', '<a/>', '<a/>'],
    ['text/csv', 'a,b', 'a,b'],
    ['text/javascript', 'let a', 'let a'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0xfc]), 'ü'],
    ['text/plain; charset="UTF-16LE"', Buffer.from('hi', 'utf16le'), 'hi'],
    ['text/plain; charset=made-up', 'hi', 'hi'],
    ['text/html', '<title>T</title><p>a<script>b</script>&amp;c', 'Title: T\n\na&c'],
    ['text/html', Buffer.from('<meta charset="iso-8859-1"><p>\xfc', 'latin1'), 'ü'],
  ])('[S12] %s as text', async (type, body, text) => {
    answering(type, body)
    expect(await read()).toEqual({
      kind: 'ok',
      text: `HTTP 200 OK\ncontent-type: ${type}\n\n${text}`,
    })
  })

  test.each([
    ['image/png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ['image/gif', Buffer.from('GIF89a')],
    ['image/webp', Buffer.from('RIFF\n\0\0\0WEBP')],
    ['application/pdf', Buffer.from('%PDF-1.7')],
  ])('[S12] %s as media', async (mediaType, bytes) => {
    answering(mediaType, bytes)
    const said = await read()
    expect(said).toMatchObject({ kind: 'ok', media: [{ mediaType }] })
    expect(said.kind === 'ok' && Buffer.from(said.media?.[0]?.bytes ?? [])).toEqual(bytes)
  })

  test('[S12] an error status is a response', async () => {
    web.answer((response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('not here'))
    expect(await read()).toEqual({
      kind: 'ok',
      text: 'HTTP 404 Not Found\ncontent-type: text/plain\n\nnot here',
    })
  })

  test('[S12] a HEAD response shows the headers, but no cookie', async () => {
    answering('application/zip', '', { 'x-a': 'b', 'set-cookie': 'made-up=1' })
    const said = await read({ method: 'HEAD' })
    expect(said.text).toContain('x-a: b')
    expect(said.text).not.toContain('made-up')
  })

  test.each([
    ['a program', 'application/octet-stream', 'application/octet-stream'],
    ['an archive', 'application/zip', 'application/zip'],
    ['a picture with scripts', 'image/svg', 'image/svg'],
    ['a film', 'video/mp4', 'video/mp4'],
  ])('[S13] %s is not read, and its type is reported', async (_, type, named) => {
    answering(type, 'abc')
    const said = await read()
    expect(said.kind).toBe('failed')
    expect(said.text).toContain(named)
  })

  test.each([
    ['a page labelled as a picture', 'image/png', '<html>'],
    ['a program labelled as text', 'text/plain', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])],
    ['a program labelled as a page', 'text/html', Buffer.from([0x4d, 0x5a, 0, 0])],
    ['a program without a type', '', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])],
    ['a page labelled as a PDF', 'application/pdf', '<html>%PDF-'],
  ])('[S13] attack: %s', async (_, type, body) => {
    answering(type, body)
    const said = await read()
    expect(said).toMatchObject({
      kind: 'failed',
      code: 'tool_failed',
      text: expect.stringContaining('but is not'),
    })
  })

  const bomb = Buffer.alloc(60_000_000, 'a')
  test.each([
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb, { params: {} })],
    ['gzip, gzip', gzipSync(gzipSync(bomb))],
  ])('[S13] attack: a bomb in %s', async (encoding, body) => {
    answering('text/plain', body, { 'content-encoding': encoding })
    const said = await read()
    expect(said).toMatchObject({ kind: 'failed', text: expect.stringContaining('larger than 2000000 bytes') })
  })

  test.each([
    ['text/plain', 10, 'a'.repeat(10), 'ok'],
    ['text/plain', 10, 'a'.repeat(11), 'failed'],
    ['image/gif', 10, `GIF89a${'a'.repeat(14)}`, 'ok'],
    ['image/gif', 10, `GIF89a${'a'.repeat(15)}`, 'failed'],
  ])('[S13] the limit for %s', async (type, textBytes, body, kind) => {
    answering(type, body)
    const said = await read({ limits: { textBytes, mediaBytes: 2 * textBytes } })
    expect(said.kind).toBe(kind)
  })

  test('[S13] attack: an endless body is read only up to the limit', async () => {
    const closed = new Promise<void>((resolve) => {
      web.answer((response) => {
        response.writeHead(200, { 'content-type': 'text/plain' }).on('close', resolve)
        const push = () => {
          while (!response.destroyed && response.write(bomb.subarray(0, 65_536)));
          if (!response.destroyed) response.once('drain', push)
        }
        push()
      })
    })
    expect(await read()).toMatchObject({ kind: 'failed', text: expect.stringContaining('larger') })
    await closed
  })
})
